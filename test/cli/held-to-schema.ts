import { expect } from "vitest";
import { JSON_SCHEMAS } from "../../agent/json/index.ts";

type Name = keyof typeof JSON_SCHEMAS;

/** Which schema says what a command prints with --json: `deployments show ID` is called `deployment` there. */
export function schemaOf([command = "", part]: readonly string[]): Name | undefined {
  const name = command === "deployments" && part === "show" ? "deployment" : command;
  return Object.hasOwn(JSON_SCHEMAS, name) ? (name as Name) : undefined;
}

/** Fails if what a command printed with --json is not what its schema says. A field without a name there fails, too. */
export function heldToSchema(args: readonly string[], stdout: string): void {
  const name = schemaOf(args);
  if (stdout === "" || name === undefined) return;
  const values = name === "history" ? stdout.trim().split("\n") : [stdout];
  for (const value of values.map((text): unknown => JSON.parse(text))) saidBy(name, value);
}

/** The schema leaves out what it does not name. */
export function saidBy(name: Name, value: unknown): void {
  expect(JSON_SCHEMAS[name].parse(value), `${name}: what the schema says of it`).toStrictEqual(value);
}
