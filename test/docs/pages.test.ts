import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { describeWithEngine } from "../engine/engine.ts";
import { sharedServer } from "../support/postgres.ts";
import { REPEATS } from "../support/repeats.ts";
import { type Step, stepsOf } from "./steps.ts";
import { Terminal } from "./terminal.ts";

const DOCS = join(import.meta.dirname, "..", "..", "docs");

const pages = ["start", "tasks"].flatMap((folder) =>
  readdirSync(join(DOCS, folder)).flatMap((name) => (name.endsWith(".md") ? [`${folder}/${name}`] : [])),
);
const steps = new Map<string, readonly Step[]>(
  pages.map((page) => [page, stepsOf(readFileSync(join(DOCS, page), "utf8"))]),
);

/** The page with a database and a stack. */
const TEAMS = "tasks/teams.md";
const server = await sharedServer();

/** What a reader does, page after page: each block runs in a shell, and prints what the page shows. */
describe("every command of", () => {
  const plain = pages.filter((page) => page !== TEAMS && steps.get(page)?.length);
  const isFirst = (page: string): boolean => page === "start/first-machine.md";
  test.each(plain.filter(isFirst))("docs/%s", async (page) => follow(page, await Terminal.open()));
  test.each(plain.filter((page) => !isFirst(page)))("docs/%s", REPEATS, async (page) =>
    follow(page, await Terminal.open()),
  );
});

describeWithEngine("with Pulumi, every command of", () => {
  test.skipIf(!server)(`docs/${TEAMS} [needs PostgreSQL]`, REPEATS, async () => {
    await withRoles();
    const terminal = await Terminal.open({
      servers: { "5432": String(server!.port) },
      standIns: (home) => ({
        "https://gpus.example.com": "http://127.0.0.1:4010",
        "db.example.com": "127.0.0.1:5432",
        "/run/secrets/gpu-key": join(home, "gpu-key"),
        "/etc/fleetkeeper": join(home, "etc"),
      }),
    });
    await follow(TEAMS, terminal);
  });
});

/** The database and the roles that the page's first step has its reader make. */
async function withRoles(): Promise<void> {
  const [, sql = ""] =
    /```sql\n([\s\S]*?)```/.exec(readFileSync(join(DOCS, "reference/ledgers.md"), "utf8")) ?? [];
  await server?.sql("CREATE DATABASE fleetkeeper");
  onTestFinished(async () => {
    await server?.drop("fleetkeeper");
    for (const [, role] of sql.matchAll(/^CREATE ROLE (\w+)/gm)) await server?.sql(`DROP ROLE ${role}`);
  });
  await server?.sql(sql, "fleetkeeper");
}

async function follow(page: string, terminal: Terminal): Promise<void> {
  onTestFinished(() => terminal.close());
  for (const step of steps.get(page) ?? [])
    await terminal.follow(step).catch((error: Error) => {
      throw new Error(`docs/${page}:${step.line}: ${error.message}`, { cause: error });
    });
}

test("there are pages with commands", () => {
  expect(pages.filter((page) => steps.get(page)?.some(({ kind }) => kind === "run")).length).toBeGreaterThan(
    3,
  );
});
