import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startSimulation } from "../../../simulator/simulation.ts";
import { until } from "../../cli/cli.ts";
import { type Database, sharedServer } from "../../support/postgres.ts";
import { folder } from "../folder.ts";
import type { Host, HostChild } from "./hosts.ts";
import { mayMakeHosts, startHost } from "./hosts.ts";

const server = await sharedServer();
const isPossible = server !== undefined && mayMakeHosts();

const MINUTE = 60_000;
/** Nothing is called absent before 23 s have passed since the POST. */
const PROTOCOL = { poll: 3_000, settle: 3_000, postTimeout: 20_000 };
/** Then its machine comes. */
const LATE_SECONDS = 10;

interface Running {
  readonly host: Host;
  readonly names: readonly string[];
  /** Its processes begin to launch. */
  go(): void;
}

async function scene(database: Database) {
  const simulation = await startSimulation();
  onTestFinished(() => simulation.close());
  const { url: baseUrl, apiKey, profilePath: profile, simulator } = simulation;
  const at = folder();
  const start = (
    number: number,
    processes: number,
    more: Partial<HostChild> & { ownerOf?: (name: string) => string } = {},
  ): Running => {
    const { ownerOf = () => "fleet:web", ...rest } = more;
    const go = join(at, `go${number}`);
    const names = Array.from({ length: processes }, (_, index) => `p${number}${index}`);
    const given = { baseUrl, apiKey, profile, url: database.url, protocol: PROTOCOL, go };
    const children = names.map(
      (name): HostChild => ({ ...given, name, owner: ownerOf(name), ahead: 0, dies: false, ...rest }),
    );
    return { host: startHost(number, children), names, go: () => writeFileSync(go, "") };
  };
  return { simulator, start };
}

/** Each process of these hosts says this `more` times from now on. */
async function each(running: readonly Running[], text: string, more: number): Promise<void> {
  const all = running.flatMap(({ host, names }) => names.map((name) => ({ host, name })));
  const before = all.map(({ host, name }) => host.times(name, text));
  const count = (): number =>
    all.filter(({ host, name }, index) => host.times(name, text) >= (before[index] ?? 0) + more).length;
  await until(`${all.length} processes: ${text}`, () => count() === all.length);
}

/** The processes of both hosts are there. */
async function ready(running: readonly Running[]): Promise<void> {
  await until("all are ready", () =>
    running.every(({ host, names }) => names.every((name) => host.times(name, "ready") === 1)),
  );
}

/** The launches in the ledger. */
function intents(database: Database) {
  return database.sql(
    "SELECT row::json->>'state' AS state, row::json->'sender'->>'boot' AS boot FROM fleetkeeper.intent",
  );
}

/**
 * A launch whose answer is lost, and whose machine comes late. Two other hosts want it, too; their wall clocks are 5 minutes
 * apart. The sender is killed, or it goes on.
 */
async function lostLaunch(database: Database, { dies, patience = 0 }: { dies: boolean; patience?: number }) {
  const { simulator, start } = await scene(database);
  const protocol = { ...PROTOCOL, postTimeout: PROTOCOL.postTimeout + 1_000 * patience };
  const one = start(1, 1, { dies, protocol });
  const others = [start(2, 2, { protocol }), start(3, 2, { protocol, ahead: 5 * MINUTE })];
  await ready([one, ...others]);
  simulator.control.faults.next("launch", { kind: "commitLate", seconds: LATE_SECONDS + patience });
  one.go();
  if (dies) await one.host.ended;
  else await each([one], "full", 1);
  expect(await intents(database)).toEqual([{ state: "open", boot: one.host.boot }]);
  for (const other of others) other.go();
  return {
    others,
    /** Waits for the machine, and until all have had the chance to launch another one. */
    isOnce: async (): Promise<void> => {
      await database.until("SELECT FROM fleetkeeper.intent WHERE row::json->>'state' <> 'open'");
      await until("the machine came", () => simulator.truth().machines.length > 0);
      await each(others, "full", 3);
      const { machines, requests } = simulator.truth();
      expect([requests.launch, machines.length]).toEqual([1, 1]);
      expect(await intents(database)).toEqual([{ state: "claimed", boot: one.host.boot }]);
    },
  };
}

describe.skipIf(!isPossible)("processes of several hosts on one ledger in PostgreSQL", () => {
  it("send one POST into a group: 8 of two hosts try while it is under way, and its machine is listed already", async () => {
    const database = await server!.database();
    const { simulator, start } = await scene(database);
    // Longer than the test: the sender waits for its answer all the time.
    simulator.control.faults.next("launch", { kind: "slow", seconds: 1_000 });
    const protocol = { ...PROTOCOL, postTimeout: 2_000_000 };
    const running = [1, 2].map((number) =>
      start(number, 4, { protocol, ownerOf: (name) => `fleet:${name}` }),
    );
    await ready(running);
    for (const { go } of running) go();
    const refused = (): number =>
      running.flatMap(({ host, names }) => names.filter((name) => host.times(name, "group") >= 5)).length;
    await until("7 were refused", () => refused() === 7 || simulator.truth().requests.launch > 1);
    const { machines, requests } = simulator.truth();
    expect([requests.launch, machines.length]).toEqual([1, 1]);
    const [sent] = await intents(database);
    expect(running.map(({ host }) => host.boot)).toContain(sent?.boot);
  });

  it("wait for the launch of a host that died, and launch no second machine", async () => {
    const { isOnce } = await lostLaunch(await server!.database(), { dies: true });
    await isOnce();
  });

  it("call nothing absent too early though the database's clock jumps by 5 minutes and back", async () => {
    const database = await server!.database();
    await database.sql(`CREATE SCHEMA shadow; CREATE TABLE shadow.jump AS SELECT interval '0' AS by;
      CREATE FUNCTION shadow.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS
        'SELECT pg_catalog.clock_timestamp() + by FROM shadow.jump';
      ALTER DATABASE ${database.name} SET search_path = shadow, pg_catalog, public`);
    const epochs = async (): Promise<number> => {
      const [row] = await database.sql("SELECT epoch::float8 AS number FROM fleetkeeper.ledger");
      return Number(row?.number);
    };
    const { others, isOnce } = await lostLaunch(database, { dies: false, patience: 10 });
    const before = await epochs();
    await each(others, "full", 2);
    await database.sql("UPDATE shadow.jump SET by = '5 minutes'");
    // For longer than the settle time.
    await each(others, "full", 15);
    await database.sql("UPDATE shadow.jump SET by = '0'");
    await isOnce();
    expect(await epochs()).toBeGreaterThan(before);
  });
});
