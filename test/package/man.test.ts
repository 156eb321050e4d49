import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../../agent/cli/program.ts";

const ROOT = join(import.meta.dirname, "../..");

/** The man page of these sources. */
function page(): string {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-man-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  execFileSync(process.execPath, [join(ROOT, "scripts", "setup", "man.mjs"), folder]);
  const text = readFileSync(join(folder, "fleetkeeper.1"), "utf8");
  // A request that roff does not know, or a line lost as one, is a warning.
  if (hasGroff) {
    const { stdout, stderr } = spawnSync("groff", ["-man", "-ww", "-Tutf8", "-P-cbou"], {
      input: text,
      encoding: "utf8",
      env: { ...process.env, LC_ALL: "C.UTF-8" },
    });
    expect(stderr).toBe("");
    return stdout.replaceAll(/\s+/g, " ");
  }
  return text.replaceAll("\\-", "-").replaceAll(/\s+/g, " ");
}

const hasGroff = spawnSync("groff", ["--version"]).status === 0;

/** What `--help` of a command says. */
async function helpOf(args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  await runCli([...args, "--help"], "0.0.0", {
    environment: {},
    signal: new AbortController().signal,
    print: (text) => printed.push(text),
    tell: (text) => printed.push(text),
    color: false,
  });
  return printed.join("\n");
}

test("the man page has every command with its flags, every variable, and the exit codes", async () => {
  const shown = page();
  const commands = [...(await helpOf([])).matchAll(/^ {2}([a-z]+) /gm)].map(([, name = ""]) => name);
  expect(commands.length).toBeGreaterThan(20);
  for (const name of commands.filter((each) => each !== "help")) {
    expect(shown).toMatch(new RegExp(`fleetkeeper ${name}\\b`));
    for (const [flag] of (await helpOf([name])).matchAll(/--[a-z][a-z-]+/g)) expect(shown).toContain(flag);
  }
  const manual = readFileSync(join(ROOT, "docs/reference/fleet-file.md"), "utf8");
  const table = [...manual.matchAll(/^\|[^|]*\| `(FLEETKEEPER_\w+)` \|/gm)].map(([, name = ""]) => name);
  expect(table.length).toBeGreaterThan(5);
  for (const name of table) expect(shown).toContain(name);
  expect(shown).toMatch(/130 (\.TP )?stopped by you|\.B 130 stopped by you/);
});
