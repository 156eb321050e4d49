import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../../agent/cli/program.ts";
import { JSON_SCHEMAS } from "../../agent/json/index.ts";

/** The script of a shell, in a folder with a few files. */
async function scriptOf(shell: string): Promise<{ readonly folder: string; readonly file: string }> {
  const printed: string[] = [];
  const code = await runCli(["completion", shell], "0.0.0", {
    environment: {},
    signal: new AbortController().signal,
    print: (text) => printed.push(text),
    tell: (text) => printed.push(text),
    color: false,
  });
  expect(code).toBe(0);
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-completion-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["fleet.yaml", "my fleet.yaml"]) writeFileSync(join(folder, name), "");
  writeFileSync(join(folder, "script"), printed.join("\n"));
  return { folder, file: join(folder, "script") };
}

/** What a shell offers at the end of a line, its last word empty or half typed. */
async function offered(words: readonly string[]): Promise<readonly string[]> {
  const { folder, file } = await scriptOf("bash");
  const program = `source "$1"; shift; COMP_WORDS=(fleetkeeper "$@"); COMP_CWORD=$#; set -u; _fleetkeeper; printf '%s\\n' "\${COMPREPLY[@]-}"`;
  const { status, stdout, stderr } = spawnSync(
    "bash",
    ["--norc", "--noprofile", "-c", program, "-", file, ...words],
    { cwd: folder, encoding: "utf8" },
  );
  expect([status, stderr]).toEqual([0, ""]);
  return stdout.split("\n").filter((line) => line !== "");
}

test.each<[readonly string[], readonly string[]]>([
  [["dep"], ["deployments"]],
  [
    ["deployments", "s"],
    ["show", "stop"],
  ],
  [
    ["deployments", "stop", "--no"],
    ["--no-wait", "--now"],
  ],
  [
    ["stop", "--a"],
    ["--account", "--all"],
  ],
  [
    ["agent", "--log-format", ""],
    ["text", "json"],
  ],
  [["agent", "--log-format", "=", "t"], ["text"]],
  [["agent", "--config", "my"], ["my fleet.yaml"]],
  [["agent", "--service", ""], []],
  [
    ["schema", ""],
    ["fleet", "profile", ...Object.keys(JSON_SCHEMAS), "--help", "-h"],
  ],
  [["nonsense", "agent", "--on"], ["--once"]],
])("bash offers what may follow %j", async (words, expected) => {
  expect(new Set(await offered(words))).toEqual(new Set(expected));
});

test("bash offers every command at the beginning, and runs nothing of what is typed", async () => {
  expect(await offered([""])).toEqual(expect.arrayContaining(["demo", "agent", "ledger", "--version"]));
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-completion-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  expect(await offered([`$(touch ${folder}/ran)`, "--z"])).toEqual([]);
  expect(await offered(["stop", `$(touch ${folder}/ran)`])).toEqual([]);
  expect(spawnSync("ls", [folder], { encoding: "utf8" }).stdout).toBe("");
});

/** Zsh and fish are on few machines. */
function has(shell: string): boolean {
  return spawnSync(shell, ["-c", "exit 0"]).status === 0;
}

test.skipIf(!has("fish"))("fish offers the same, with a line on each [needs fish]", async () => {
  const { folder, file } = await scriptOf("fish");
  const at = (line: string): string =>
    spawnSync("fish", ["--no-config", "-c", "source $argv[1]; complete -C $argv[2]", file, line], {
      cwd: folder,
      encoding: "utf8",
    }).stdout;
  expect(at("fleetkeeper deployments st")).toMatch(/^stop\tstop one that is ours/);
  expect(at("fleetkeeper agent --log-format ")).toMatch(/^json\t.*\ntext\t/);
  expect(at("fleetkeeper agent -c my")).toContain("my fleet.yaml");
});

test.skipIf(!has("zsh"))("zsh takes the script [needs zsh]", async () => {
  const { file } = await scriptOf("zsh");
  const program = `autoload -Uz compinit; compinit -D -u; source ${file}; print $_comps[fleetkeeper]`;
  const { stdout, stderr } = spawnSync("zsh", ["-f", "-c", program], { encoding: "utf8" });
  expect([stdout, stderr]).toEqual(["_fleetkeeper\n", ""]);
});
