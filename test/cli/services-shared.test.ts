import { describe, expect, it } from "vitest";
import { sharedServer } from "../support/postgres.ts";
import { until } from "./cli.ts";
import { pageOf, runs, two, writeFleets } from "./two-services.ts";

const server = await sharedServer();

describe.skipIf(!server)("two agents with two services on one ledger in PostgreSQL", () => {
  async function onPostgres() {
    const world = await two();
    const database = await server!.database();
    writeFleets(world);
    const env = { ...world.env, FLEETKEEPER_LEDGER: database.url };
    const holders = async (): Promise<number> => {
      const rows = await database.sql(
        "SELECT DISTINCT holder FROM fleetkeeper.lease WHERE holder IS NOT NULL AND expires > clock_timestamp()",
      );
      return rows.length;
    };
    return { ...world, env, holders };
  }

  it("one that is killed leaves all of its accounts to the other one, and nothing is paid for twice", async () => {
    const { on, dune, env, holders } = await onPostgres();
    const first = on.start(["agent"], env);
    await until("all run", () => runs(on.simulator) === 1 && runs(dune) === 1);
    const second = on.start(["agent"], env);
    await second.shows("standby: another agent keeps the account");
    expect(await holders()).toBe(1);
    const url = await pageOf(second);
    expect(await (await fetch(new URL("services/acme/readyz", url))).text()).toContain("standby");
    first.kill("SIGKILL");
    for (const simulator of [on.simulator, dune]) {
      const [lost] = simulator.truth().machines;
      simulator.control.interrupt(lost?.id ?? "", { now: true });
    }
    await until("both are replaced", () =>
      [on.simulator, dune].every((each) => each.truth().launches.length === 2 && runs(each) === 1),
    );
    second.kill("SIGTERM");
    const { code, said } = await second.ended;
    expect(code).toBe(0);
    expect(said).toContain("acme: ");
    expect(said).not.toContain("never-print-me");
    expect([on.simulator, dune].map((each) => each.truth().launches.length)).toEqual([2, 2]);
  });

  it("each of which has one wrong credential keep the accounts between them", async () => {
    const { on, dune, env, holders } = await onPostgres();
    const first = on.start(["agent"], { ...env, DUNE_KEY: "sk-live-wrong-1" });
    const second = on.start(["agent"], { ...env, ACME_KEY: "sk-live-wrong-2" });
    await until("all run", () => runs(on.simulator) === 1 && runs(dune) === 1);
    expect(await holders()).toBe(2);
    const before = [on.simulator, dune].map((each) => each.truth().requests.deployments);
    await until("more ticks of both", () =>
      [on.simulator, dune].every(
        (each, index) => each.truth().requests.deployments >= (before[index] ?? 0) + 5,
      ),
    );
    for (const agent of [first, second]) agent.kill("SIGTERM");
    for (const agent of [first, second]) expect((await agent.ended).code).toBe(0);
    expect([on.simulator, dune].map((each) => each.truth().launches.length)).toEqual([1, 1]);
  });
});
