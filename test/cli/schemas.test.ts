import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, test } from "vitest";
import { z } from "zod";
import { describeCommands } from "../../agent/cli/commands/index.ts";
import { JSON_SCHEMAS, jsonSchemaOf } from "../../agent/json/index.ts";
import { callCli } from "./cli.ts";
import { saidBy, schemaOf } from "./held-to-schema.ts";

const CHANGES = readFileSync(join(import.meta.dirname, "..", "..", "CHANGELOG.md"), "utf8");
const NAMES = Object.keys(JSON_SCHEMAS) as (keyof typeof JSON_SCHEMAS)[];

const program = describeCommands(() => async () => undefined, "", {
  environment: {},
  signal: new AbortController().signal,
  print: () => undefined,
  tell: () => undefined,
  color: false,
});

function leaves(command: Command, path: readonly string[] = []): readonly [readonly string[], Command][] {
  if (command.commands.length === 0) return [[path, command]];
  return command.commands.flatMap((each) => leaves(each, [...path, each.name()]));
}

test("whatever has --json has a schema, and fleetkeeper schema takes the name of each", () => {
  const withJson = leaves(program).filter(([, { options }]) => options.some(({ long }) => long === "--json"));
  const found = withJson.map(([path]) => schemaOf(path) ?? path);
  expect(found.toSorted()).toEqual(NAMES.toSorted());
  const schema = program.commands.find((command) => command.name() === "schema");
  expect(schema?.registeredArguments[0]?.argChoices).toEqual(["fleet", "profile", ...NAMES]);
});

test("fleetkeeper schema prints what editors and programs check with, and a newer version's fields pass", async () => {
  for (const name of NAMES) {
    const { code, stdout } = await callCli(["schema", name], import.meta.dirname, {});
    expect(code).toBe(0);
    const schema = JSON.parse(stdout);
    expect(schema).toEqual(JSON.parse(JSON.stringify(jsonSchemaOf(name))));
    expect(stdout).not.toContain('"additionalProperties": false');
  }
  const balance = z.fromJSONSchema(JSON.parse(JSON.stringify(jsonSchemaOf("balance"))));
  expect(balance.safeParse({ balance: "12.3400", currency: "USD", newer: 1 }).success).toBe(true);
  expect(balance.safeParse({ balance: 12.34, currency: "USD" }).success).toBe(false);
});

test("a field that a schema does not name fails the tests, and so does one that is lacking", () => {
  saidBy("balance", { balance: "12.3400", currency: "USD" });
  expect(() => saidBy("balance", { balance: "12.3400", currency: "USD", newer: 1 })).toThrow();
  expect(() => saidBy("balance", { balance: "12.3400" })).toThrow();
});

/** Of the schema without its descriptions: another word for the same thing changes nothing for a program. */
function fingerprint(name: keyof typeof JSON_SCHEMAS): string {
  const bare = JSON.stringify(jsonSchemaOf(name), (key, value: unknown) =>
    key === "description" && typeof value === "string" ? undefined : value,
  );
  return createHash("sha256").update(bare).digest("hex").slice(0, 8);
}

test.each(NAMES)("CHANGELOG.md says how %s --json is now", (name) => {
  const line = `(\`${name}\` ${fingerprint(name)})`;
  expect(
    CHANGES.includes(line),
    `what ${name} --json prints has changed: say what in a new line of CHANGELOG.md, and end it with ${line}`,
  ).toBe(true);
});
