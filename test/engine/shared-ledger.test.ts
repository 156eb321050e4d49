import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { sharedServer } from "../support/postgres.ts";
import { REPEATS } from "../support/repeats.ts";
import { describeWithEngine } from "./engine.ts";
import type { SharedWorld } from "./on-postgres.ts";
import { worldOnPostgres } from "./on-postgres.ts";
import type { World } from "./world.ts";
import { H100, until } from "./world.ts";

const server = await sharedServer();

/** All that stands in the files of a folder. */
function contentOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

describeWithEngine("a ledger in PostgreSQL that is a secret of the stack", () => {
  let shared: SharedWorld;
  let world: World;
  const said: string[] = [];
  const tried = async (...args: readonly string[]): Promise<void> => {
    said.push(await world.project.succeed(...args));
  };
  /** Another host's checkout of the program: it has no file but those that are committed. */
  const elsewhere = async (): Promise<void> => {
    const { folder } = world.project;
    for (const file of readdirSync(folder)) {
      if (/ledger|^\.home$/.test(file)) rmSync(path.join(folder, file), { recursive: true });
    }
    await world.project.succeed("stack", "select", "dev");
  };
  beforeAll(async () => {
    if (!server) return;
    shared = await worldOnPostgres(server, "deployment");
    ({ world } = shared);
  });
  afterAll(() => shared?.close());

  it.skipIf(!server)(
    "works in preview, up, refresh and destroy, and stands with the key in no output, file, state or row",
    async () => {
      await world.want({ one: H100 });
      await tried("preview", "--diff");
      await tried("up", "--yes", "--skip-preview");
      await elsewhere();
      await tried("up", "--yes", "--skip-preview");
      await tried("refresh", "--yes", "--skip-preview");
      expect(world.machines()).toHaveLength(1);
      await tried("stack", "export");
      expect(shared.secretsIn(said.join("\n"))).toEqual([]);
      expect(shared.secretsIn(contentOf(world.project.folder))).toEqual([]);
      expect(JSON.stringify(await world.state())).toContain(
        `postgres://127.0.0.1:${server!.port}/${shared.name}`,
      );
      expect(existsSync(path.join(world.project.folder, "ledger.db"))).toBe(false);
      await tried("destroy", "--yes", "--skip-preview");
      expect(world.alive()).toEqual([]);
      expect(await shared.rows()).toContain(world.machines()[0]?.id);
      expect(shared.secretsIn(await shared.rows())).toEqual([]);
    },
  );

  // test/ledger/postgres/hosts.test.ts kills the host of a launch, and killed-engine.test.ts the engine.
  it.skipIf(!server)(
    "has a launch whose runner was killed, engine and all, gone on with elsewhere: one machine",
    REPEATS,
    async () => {
      await world.want({ two: H100 });
      const before = world.machines().length;
      const update = world.start();
      await until(() => world.machines().length > before);
      const [row] = await server!.sql(
        "SELECT row FROM fleetkeeper.intent ORDER BY place DESC LIMIT 1",
        shared.name,
      );
      const { sender } = JSON.parse(String(row?.row)) as { sender: { pid: number } };
      process.kill(sender.pid, "SIGKILL");
      update.engine.kill("SIGKILL");
      await update.ended;
      await elsewhere();
      await world.project.succeed("cancel", "--yes");
      await world.up();
      expect(world.machines().length).toBe(before + 1);
      expect(world.alive()).toHaveLength(1);
    },
  );
});
