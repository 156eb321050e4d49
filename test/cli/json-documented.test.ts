import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { wholeSchema } from "../../agent/json/whole.ts";
import { alive, FLEET, place, running, until } from "./cli.ts";

const DOCS = readFileSync(join(import.meta.dirname, "..", "..", "docs", "reference", "cli.md"), "utf8");

/** Names that come from a wire profile, a launch or a moment, not from us. */
const NOT_OURS = ["host", "port", "user"];

function keysOf(value: unknown): readonly string[] {
  if (value === null || typeof value !== "object") return [];
  if (Array.isArray(value)) return value.flatMap(keysOf);
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)]);
}

/** The part of the page under a command's heading, and under those that it refers to. */
function sectionOf(name: string): string {
  const found = DOCS.split(/^### fleetkeeper /m).find((section) => section.startsWith(name)) ?? "";
  return found.includes("as in the list") ? found + sectionOf("deployments list") : found;
}

test("docs/reference/cli.md names every field of a fleet over several services", () => {
  const schema = JSON.stringify(z.toJSONSchema(wholeSchema));
  const names = [...schema.matchAll(/"required":(\[.*?\])/g)].flatMap(
    ([, required = "[]"]) => JSON.parse(required) as readonly string[],
  );
  expect(names.length).toBeGreaterThan(20);
  const section = sectionOf("status");
  expect(names.filter((key) => !new RegExp(`\\b${key}\\b`).test(section))).toEqual([]);
});

test("docs/reference/cli.md names every field that --json prints", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  await on.run(["agent", "--once"]);
  await until("both run", () => running(on) === 2);
  on.simulator.control.launchByHand({ offer: "l40s-48gb-x1", provider: "dune", location: "us-west" });
  const [lost, kept] = alive(on).filter(({ gpus }) => gpus === 8);
  await on.run(["deployments", "stop", lost?.id ?? "", "--yes"]);
  on.simulator.control.cooldown({ offer: "h100-80gb-x8", provider: "aurora", location: "fi-hel" }, 100_000);
  await on.run(["agent", "--once"]);
  const commands = [
    ["doctor"],
    ["plan"],
    ["status"],
    ["history"],
    ["spend"],
    ["places"],
    ["offers"],
    ["balance"],
    ["hosts"],
    ["deployments", "list", "--all"],
    ["deployments", "show", kept?.id ?? ""],
  ];
  const missing: string[] = [];
  for (const command of commands) {
    const { stdout } = await on.run([...command, "--json"]);
    const values =
      command[0] === "history"
        ? stdout
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line))
        : JSON.parse(stdout);
    const keys = new Set(keysOf(values));
    expect(keys.size).toBeGreaterThan(1);
    const name = command.slice(0, command[0] === "deployments" ? 2 : 1).join(" ");
    const section = sectionOf(name);
    for (const key of keys)
      if (!NOT_OURS.includes(key) && !new RegExp(`\\b${key}\\b`).test(section))
        missing.push(`${name}: ${key}`);
  }
  expect(missing).toEqual([]);
});
