import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { describeCommands } from "../../agent/cli/commands/index.ts";
import type { CliContext } from "../../agent/cli/commands/shared/cli-context.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const DOCS = readFileSync(join(ROOT, "docs", "reference", "cli.md"), "utf8");
const cli: CliContext = {
  environment: {},
  signal: new AbortController().signal,
  print: () => undefined,
  tell: () => undefined,
  color: false,
};
const program = describeCommands(() => async () => undefined, "0", cli);

/** Every command that does something, by its whole name. */
function leaves(command: Command, path = ""): readonly (readonly [string, Command])[] {
  if (command.commands.length === 0) return [[path.trim(), command]];
  return command.commands.flatMap((each) => leaves(each, `${path} ${each.name()}`));
}

/** The part of the page under the heading that names a command. */
function sectionOf(name: string): string {
  const sections = DOCS.split(/^###? /m);
  const found = sections.find((section) => {
    const [heading = ""] = section.split("\n");
    return heading
      .replace("fleetkeeper ", "")
      .split(/, | --/)
      .some((part) => part.replace(/ [A-Z[].*/, "") === name);
  });
  return found ?? "";
}

/** Said once, at the top. */
const COMMON = ["--config", "--service", "--base-url", "--profile", "--ledger", "--account"];
const ALONE = [
  "demo",
  "completion",
  "clouds",
  "init",
  "schema",
  "profile check",
  "simulate",
  "whatif",
  "declare",
  "serve-autoscaler",
  "notify test",
];

test.each(leaves(program))("docs/reference/cli.md names %s and each of its flags", (name, command) => {
  const section = sectionOf(name);
  expect(section, `a heading "### fleetkeeper ${name}"`).not.toBe("");
  const flags = command.options.map(({ long }) => long ?? "");
  const own = ALONE.includes(name) ? flags : flags.filter((flag) => !COMMON.includes(flag));
  for (const flag of own) expect(section).toMatch(new RegExp(`${flag}(?![a-z-])`));
});

test("skills/fleetkeeper/SKILL.md has only commands and flags that there are", () => {
  const skill = readFileSync(join(ROOT, "skills", "fleetkeeper", "SKILL.md"), "utf8");
  const typed = [...skill.matchAll(/^fleetkeeper (.+?)(?: +#.*)?$|`fleetkeeper ([a-z].*?)`/gm)];
  expect(typed.length).toBeGreaterThan(20);
  for (const [, line, inline] of typed) {
    const words = (line ?? inline ?? "").split(" ");
    const found = leaves(program).find(([name]) => `${words.join(" ")} `.startsWith(`${name} `));
    expect(found?.[0], words.join(" ")).toBeDefined();
    const flags = found?.[1].options.map(({ long }) => long);
    for (const word of words.filter((each) => each.startsWith("--")))
      expect(flags, words.join(" ")).toContain(word);
  }
});

test("docs/reference/cli.md names the flags of every command at its top", () => {
  const [top = ""] = DOCS.split(/^## /m);
  for (const flag of COMMON) expect(top).toContain(flag);
});

test("docs/reference/cli.md names at its top the commands that have only some of them", () => {
  const without = leaves(program).flatMap(([name, { options }]) =>
    ALONE.includes(name) || options.some(({ long }) => long === "--profile") ? [] : [name],
  );
  const [top = ""] = DOCS.split(/^## /m);
  for (const name of without) expect(top).toContain(`\`${name}\``);
  for (const [name, { options }] of leaves(program))
    if (!ALONE.includes(name))
      expect(options.map(({ long }) => long)).toEqual(expect.arrayContaining(["--config", "--ledger"]));
});

test("docs/reference/cli.md names no flag and no command that is not there", () => {
  const all = [program, ...leaves(program).map(([, each]) => each)];
  const flags = new Set(all.flatMap(({ options }) => options.map(({ long }) => long)));
  const named = [...DOCS.matchAll(/--[a-z][a-z-]+/g)].map(([flag]) => flag);
  expect(named.filter((flag) => !flags.has(flag) && flag !== "--help")).toEqual([]);
  const commands = leaves(program).map(([name]) => name.split(" ")[0]);
  const mentioned = [...DOCS.matchAll(/fleetkeeper ([a-z]+(?:-[a-z]+)*)/g)].map(([, name]) => name);
  expect(mentioned.filter((name) => !commands.includes(name))).toEqual([]);
});
