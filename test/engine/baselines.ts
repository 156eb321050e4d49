import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { StateResource, World } from "./world.ts";

const FOLDER = path.join(import.meta.dirname, "baselines");

/** Properties that are others in each world. */
const MOVING = [
  "baseUrl",
  "fleetkeeper:baseUrl",
  "id",
  "slot",
  "ledger",
  "account",
  "source",
  "createdAt",
  "readyAt",
  "ciphertext",
];
/** The same in all worlds: how an account is held, and a folder's file. */
const FIXED = ["exclusive", "ledger.db"];
/** When and where it was made: no release promises that. */
const LEFT_OUT = ["created", "modified", "sourcePosition", "stackTrace"];

/** Releases whose states are recorded, the oldest first. */
export const releases: readonly string[] = readdirSync(FOLDER)
  .map((name) => path.basename(name, ".jsonl"))
  .sort((one, other) => one.localeCompare(other, "en", { numeric: true }));

/** Writes down the state of this world as that of a release: a line for each resource, with names for what is another in each world. */
export async function record(world: World, release: string, host: string): Promise<void> {
  const resources = await world.state();
  const others = existsSync(fileOf(release)) ? linesOf(release).filter((line) => line.host !== host) : [];
  let own = textOf(resources.map((resource) => ({ host, ...kept(resource) })));
  for (const [name, value] of moving(resources)) own = own.replaceAll(value, `{{${name}}}`);
  writeFileSync(fileOf(release), textOf(others) + own);
}

/** Puts the state that a release made of the same program in the place of this world's. Gives how many resources it has. */
export async function replay(world: World, release: string, host: string): Promise<number> {
  const values = new Map(moving(await world.state()));
  const lines = linesOf(release).filter((line) => line.host === host);
  const resources = lines.map(({ host: _, ...resource }) =>
    JSON.parse(
      JSON.stringify(resource).replace(/\{\{(.*?)\}\}/g, (_, name: string) => {
        const value = values.get(name);
        if (value === undefined) throw new Error(`${release}: this version's state has no ${name}`);
        return value;
      }),
    ),
  );
  world.putState(resources);
  return resources.length;
}

const fileOf = (release: string): string => path.join(FOLDER, `${release}.jsonl`);
const textOf = (lines: readonly object[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join("");

function linesOf(release: string): readonly (StateResource & { readonly host: string })[] {
  const lines = readFileSync(fileOf(release), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}

function kept(resource: StateResource): object {
  const isStack = resource.type === "pulumi:pulumi:Stack";
  const out = isStack ? [...LEFT_OUT, "outputs"] : LEFT_OUT;
  return Object.fromEntries(Object.entries(resource).filter(([key]) => !out.includes(key)));
}

/** What is another in each world, by a name that is the same in all: where it stands. The longest first, as one may stand in another. */
function moving(resources: readonly StateResource[]): readonly (readonly [name: string, value: string])[] {
  const found = new Map<string, string>();
  // A state has them in the order in which they were made.
  const ordered = resources.toSorted((one, other) => (one.urn < other.urn ? -1 : 1));
  for (const { urn, id, inputs, outputs } of ordered) {
    const [, , type, own = ""] = urn.split("::");
    const put = (name: string, value: string): void => {
      if (value !== own && !FIXED.includes(value) && !found.has(value))
        found.set(value, `${name} of ${type} ${own}`);
    };
    const walk = (value: unknown, where: string): void => {
      for (const [key, inner] of Object.entries(value ?? {})) {
        if (typeof inner === "object") walk(inner, `${where}.${key}`);
        else if (MOVING.includes(key)) put(`${where}.${key}`, String(inner));
      }
    };
    if (id !== undefined) put("id", id);
    walk(inputs, "inputs");
    walk(outputs, "outputs");
    // The simulator makes addresses of the begin of an id.
    if (id !== undefined && /^[0-9a-f]{8}-/.test(id)) put("short id", id.slice(0, 8));
  }
  return [...found]
    .map(([value, name]) => [name, value] as const)
    .sort(([, one], [, other]) => other.length - one.length);
}
