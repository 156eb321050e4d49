import { spawnSync } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import { startSimulation } from "../../../simulator/simulation.ts";
import { until } from "../../cli/cli.ts";
import { type Database, sharedServer, TestServer } from "../../support/postgres.ts";
import { folder } from "../folder.ts";
import { agentOn, QUICKLY } from "./agent-on.ts";

const MEGABYTES = 40;
/** $0: a folder, which becomes a disk of its own. Then the command that sees it. */
const COMMAND = `mount -t tmpfs -o size=${MEGABYTES}m tmpfs "$0" && exec "$@"`;

function withDisk(at: string): readonly string[] {
  const mapped = process.getuid?.() === 0 ? [] : ["--map-root-user"];
  return ["unshare", "--mount", ...mapped, "sh", "-c", COMMAND, at];
}

/** False where the system lets us mount none: then this is skipped by name. In CI that is a failure. */
function mayMount(): boolean {
  const [file = "", ...parameters] = withDisk("/mnt");
  const { status, stderr, error } = spawnSync(file, [...parameters, "true"]);
  if (status !== 0 && process.env.CI) throw error ?? new Error(`no disk can be mounted: ${stderr}`);
  return status === 0;
}

const isPossible = (await sharedServer()) !== undefined && mayMount();

const TABLES = ["account", "decision", "intent", "deployment", "slot", "fleet", "event"];

/** Each new row takes a page of its own: then the ledger needs room on the disk for all that it stores. */
async function spread(database: Database): Promise<void> {
  for (const table of TABLES) await database.sql(`ALTER TABLE fleetkeeper.${table} SET (fillfactor = 10)`);
}

/** Takes all room that is left: many pages at once, and then one after the other. */
async function fill(database: Database): Promise<void> {
  await database.sql(
    "CREATE TABLE public.filler (what text); ALTER TABLE public.filler ALTER what SET STORAGE PLAIN",
  );
  for (const rows of [1_000, 100, 10, 1, 1]) {
    for (;;) {
      const filling = database.sql(
        `INSERT INTO public.filler SELECT repeat('x', 5000) FROM generate_series(1, ${rows})`,
      );
      const why = await filling.then(
        () => undefined,
        (error: { code: string }) => error.code,
      );
      if (why === "53100") break;
      expect(why).toBeUndefined();
    }
  }
}

describe.skipIf(!isPossible)("a ledger whose disk is full", () => {
  it("launches nothing and nothing twice, says what is wrong, and goes on once there is room", async () => {
    const at = folder();
    const server = await TestServer.start(withDisk(at));
    onTestFinished(() => server.end());
    await server.sql(`CREATE TABLESPACE small LOCATION '${at}'`);
    const database = await server.database("TABLESPACE small");
    const simulation = await startSimulation({ settings: QUICKLY });
    onTestFinished(() => simulation.close());
    const { simulator } = simulation;
    const agent = await agentOn(database.url, simulation);
    await spread(database);
    await agent.want(1);
    await agent.keeps(1);

    // The disk gets full while a launch is under way: its answer cannot be stored.
    simulator.control.faults.next("launch", { kind: "slow", seconds: 5 });
    await agent.want(3);
    await until("a launch is under way", () => simulator.truth().requests.launch === 2);
    await fill(database);
    const told = (): number => agent.said.filter((text) => text.includes("No space left on device")).length;
    await until("it says so", () => told() > 0);
    const sent = simulator.truth().requests.launch;
    const before = told();
    await until("it says so again and again", () => told() >= before + 5);
    expect(simulator.truth().requests.launch).toBe(sent);
    expect(agent.said.find((text) => text.includes("No space left"))).toMatch(
      /^LEDGER_BUSY: postgres:.+ the ledger cannot be used now: could not extend file .+ Nothing is launched without it\.$/,
    );

    await database.sql("DROP TABLE public.filler");
    await agent.keeps(3);
    const { machines, requests } = simulator.truth();
    expect([requests.launch, machines.filter(({ endedAt }) => endedAt === null).length]).toEqual([3, 3]);
  });
});
