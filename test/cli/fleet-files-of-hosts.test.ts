import { mkdirSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sharedServer } from "../support/postgres.ts";
import { alive, place, running, until } from "./cli.ts";

const server = await sharedServer();

/** 8 GPUs a machine. */
function fleets(gpus: Readonly<Record<string, number>>, more = ""): string {
  const each = Object.entries(gpus).map(
    ([name, count]) => `
  - name: ${name}
    gpus: ${count}
    candidates: [{ offer: h100-80gb-x8, provider: aurora, location: fi-hel, gpus: 8 }]`,
  );
  return `${more}fleets:${each.join("")}\n`;
}

const ONCE = ["agent", "--once", "--config"];

/** A ledger in PostgreSQL. What a server's file at srv/fleet.yaml asks for runs. */
async function kept(asked: Readonly<Record<string, number>> = { training: 16 }) {
  const on = await place();
  const database = await server!.database();
  const env = { FLEETKEEPER_LEDGER: database.url };
  for (const folder of ["srv", "home"]) mkdirSync(join(on.folder, folder));
  on.write("srv/fleet.yaml", fleets(asked));
  const machines = Object.values(asked).reduce((sum, gpus) => sum + gpus / 8, 0);
  const once = (path: string) => on.run([...ONCE, path], env);
  for (let round = 0; round < 2; round++) await once("srv/fleet.yaml");
  await until("all run", () => running(on) === machines);
  /** From here on this is another host: it has none of the server's files. */
  const elsewhere = (): void => rmSync(join(on.folder, "srv"), { recursive: true });
  return { on, database, env, once, elsewhere };
}

describe.skipIf(!server)("on a ledger that hosts share, a fleet file at another path", () => {
  it("does not take the fleets of a file that this host's disk lacks: nothing is stopped, and it says why", async () => {
    const { on, env, once, elsewhere } = await kept();
    elsewhere();
    on.write("home/fleet.yaml", fleets({ training: 8 }));
    const planned = await on.run(["plan", "--config", "home/fleet.yaml"], env);
    const refused = await once("home/fleet.yaml");
    expect(running(on)).toBe(2);
    for (const { code, stderr } of [planned, refused]) {
      expect(code).toBe(2);
      expect(stderr).toContain(`file:${join(on.folder, "srv/fleet.yaml")} has declared this name`);
      expect(stderr).toContain(`previousPath: ${join(on.folder, "srv/fleet.yaml")}`);
    }
  });

  it("takes them over if it says that it was moved from there, and keeps their machines", async () => {
    const { on, once, elsewhere } = await kept();
    elsewhere();
    const before = alive(on).map(({ id }) => id);
    on.write(
      "home/fleet.yaml",
      fleets({ training: 16 }, `previousPath: ${join(on.folder, "srv/fleet.yaml")}\n`),
    );
    expect(await once("home/fleet.yaml")).toMatchObject({ code: 0 });
    expect(alive(on).map(({ id }) => id)).toEqual(before);
    mkdirSync(join(on.folder, "srv"));
    on.write("srv/fleet.yaml", fleets({ training: 8 }));
    expect(await once("srv/fleet.yaml")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`file:${join(on.folder, "home/fleet.yaml")} has declared this name`),
    });
    expect(running(on)).toBe(2);
  });

  it("drains none of them that it leaves out on its way, and says so, and drains it when it was moved", async () => {
    const { on, env, once, elsewhere } = await kept({ training: 8, batch: 8 });
    elsewhere();
    const previousPath = `previousPath: ${join(on.folder, "srv/fleet.yaml")}\n`;
    on.write("home/fleet.yaml", fleets({ training: 8 }, previousPath));
    const planned = await on.run(["plan", "--config", "home/fleet.yaml"], env);
    for (const { code, stderr } of [planned, await once("home/fleet.yaml")]) {
      expect(code).toBe(2);
      expect(stderr).toContain(
        "the fleet file there has declared batch, too, and this file does not name it",
      );
    }
    expect(running(on)).toBe(2);
    on.write("home/fleet.yaml", fleets({ training: 8, batch: 8 }, previousPath));
    expect(await once("home/fleet.yaml")).toMatchObject({ code: 0 });
    expect(running(on)).toBe(2);
    on.write("home/fleet.yaml", fleets({ training: 8 }, previousPath));
    expect(await once("home/fleet.yaml")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("batch is left out, and drains"),
    });
    await until("batch is stopped", () => running(on) === 1);
  });
});

describe.skipIf(!server)("an agent with another fleet file than the agent that keeps the account", () => {
  const DRAINS = "batch is left out, and drains";

  it("says while it stands by what its file would change, and what it has changed when it takes over", async () => {
    const { on, env } = await kept({ training: 8, batch: 8 });
    // It has no fleet file: what the ledger says stays in force.
    const first = on.start(["agent", "--no-http"], env);
    await first.shows("fleetkeeper agent: account");
    await until("a tick", () => on.simulator.truth().requests.deployments > 0);
    on.write("srv/fleet.yaml", fleets({ training: 8 }));
    const second = on.start(["agent", "--no-http", "--config", "srv/fleet.yaml"], env);
    await second.shows("standby: another agent keeps the account");
    expect(await second.shows(`would change what is kept: ${DRAINS}. Give all agents`)).not.toContain(
      "took over now, its own fleet file would change nothing",
    );
    expect(running(on)).toBe(2);
    first.kill("SIGTERM");
    await second.shows(`this agent's fleet file changes what was declared before: ${DRAINS}`);
    second.kill("SIGTERM");
    await second.ended;
  });

  it("does no round beside it that would change what it keeps, and says what that is", async () => {
    const { on, database, env, once } = await kept({ training: 8, batch: 8 });
    // The agent's host is written as another one's, at each of its beats.
    await database.sql(
      `CREATE FUNCTION elsewhere() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         NEW.row := replace(NEW.row, '"host":"${hostname()}"', '"host":"server-1"'); RETURN NEW;
       END $$;
       CREATE TRIGGER elsewhere BEFORE UPDATE ON fleetkeeper.account FOR EACH ROW EXECUTE FUNCTION elsewhere()`,
    );
    const agent = on.start(["agent", "--no-http"], env);
    await database.until(`SELECT FROM fleetkeeper.account WHERE position('"host":"server-1"' IN row) > 0`);
    expect(await once("srv/fleet.yaml")).toMatchObject({ code: 0 });
    on.write("srv/fleet.yaml", fleets({ training: 8 }));
    expect(await once("srv/fleet.yaml")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(new RegExp(`The agent on server-1 keeps this account.*${DRAINS}`)),
    });
    expect(running(on)).toBe(2);
    expect(await on.run(["ledger", "copy", "--from", database.url, "--to", "new.db"])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/on server-1\)\. Stop it first\..* counts as running for \d+ s more/),
    });
    agent.kill("SIGTERM");
    await agent.ended;
    expect(await once("srv/fleet.yaml")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(DRAINS),
    });
  });
});
