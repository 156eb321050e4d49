import { execFileSync } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { wishSchema } from "../../../agent/fleet/wish.ts";
import { declareFleets, runLoop } from "../../../agent/reconcile/loop.ts";
import type { Keeper } from "../../../launch/keeper.ts";
import { openKeeper } from "../../../launch/open.ts";
import type { SettingsInput } from "../../../simulator/index.ts";
import type { Simulation } from "../../../simulator/simulation.ts";
import { startSimulation } from "../../../simulator/simulation.ts";
import { until } from "../../cli/cli.ts";
import { sharedServer, TestServer } from "../../support/postgres.ts";

const isPossible = (await sharedServer()) !== undefined;

const PROTOCOL = { poll: 1_000, settle: 1_500, postTimeout: 30_000, gone: 3_000 };
const QUICKLY: SettingsInput = {
  initializingSeconds: [0, 0],
  provisioningSeconds: [0, 0],
  connectingSeconds: [0.25, 0.25],
};
const CANDIDATE = { offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel", gpus: 1 };
const SOURCE = "file:fleet.yaml";

/** An agent whose lists can be held back. */
async function agentOn(url: string, { simulator, apiKey, profilePath, url: baseUrl }: Simulation) {
  const { signal } = new AbortController();
  const opened = await openKeeper(
    { baseUrl, apiKey, profile: profilePath, account: "exclusive", ledger: url },
    signal,
    PROTOCOL,
  );
  let gate = Promise.resolve();
  let underWay = 0;
  let waiting = 0;
  const service: Keeper["service"] = Object.assign(Object.create(opened.service), {
    deployments: async (listing: AbortSignal) => {
      waiting += 1;
      await gate;
      waiting -= 1;
      underWay += 1;
      try {
        return await opened.service.deployments(listing);
      } finally {
        underWay -= 1;
      }
    },
  });
  const keeper: Keeper = { ...opened, service };
  const ending = new AbortController();
  const ended = runLoop(
    { keeper, host: "test", onTick: () => undefined, onError: () => undefined },
    ending.signal,
  );
  const rows = () => opened.ledger.read(opened.account);
  onTestFinished(async () => {
    ending.abort();
    await ended;
    await opened.close();
  });
  const isKept = async (gpus: number): Promise<boolean> => {
    const { account, deployments } = await rows();
    return (
      !account.restored &&
      deployments.filter(({ owner, end }) => owner === "fleet:web" && end === null).length === gpus
    );
  };
  return {
    want: (gpus: number) =>
      declareFleets(keeper, SOURCE, () => [
        { name: "web", source: SOURCE, wish: wishSchema.parse({ gpus, candidates: [CANDIDATE] }) },
      ]),
    /** The ledger has as many machines for the fleet, or more than that were launched. */
    keeps: (gpus: number): Promise<void> =>
      expect
        .poll(async () => simulator.truth().launches.length > gpus || (await isKept(gpus)), {
          timeout: 200_000,
          interval: 50,
        })
        .toBe(true),
    /** A list is held back. */
    waits: () => until("a list is held back", () => waiting > 0),
    /** No list is under way, and none begins before what this gives is called. */
    hold: async (): Promise<() => void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      await until("no list is under way", () => underWay === 0);
      return resolve;
    },
  };
}

describe.skipIf(!isPossible)("a failover to a server that lacks the newest transactions", () => {
  it("is noticed by an agent that goes on: it launches nothing again, though the first list lacks what the ledger forgot", async () => {
    const server = await TestServer.start();
    onTestFinished(() => server.end());
    const simulation = await startSimulation({ settings: QUICKLY });
    onTestFinished(() => simulation.close());
    const { simulator } = simulation;
    const database = await server.database();
    const agent = await agentOn(database.url, simulation);
    await agent.want(1);
    await agent.keeps(1);
    const [{ data } = {}] = await server.sql("SELECT current_setting('data_directory') AS data");
    const standby = `${data}-standby`;
    await server.kill();
    execFileSync("cp", ["-a", String(data), standby]);
    await server.restart();
    const copied = simulator.truth().now;
    await agent.want(2);
    await agent.keeps(2);

    const go = await agent.hold();
    await server.kill();
    rmSync(String(data), { recursive: true, force: true });
    renameSync(standby, String(data));
    await server.restart();
    await agent.want(2);
    // Lists may have shown the machine meanwhile, but whose it is was lost.
    expect(await database.sql("SELECT FROM fleetkeeper.intent")).toHaveLength(1);
    const [{ restored } = {}] = await database.sql(
      "SELECT row::json->>'restored' AS restored FROM fleetkeeper.account",
    );
    await agent.waits();
    const { machines, now } = simulator.truth();
    const between = (copied + (machines[1]?.committedAt ?? 0)) / 2;
    simulator.control.faults.next("deployments", { kind: "lag", seconds: (now - between) / 1_000 });
    go();
    await agent.keeps(2);
    expect(simulator.truth().launches).toHaveLength(2);
    const alive = simulator.truth().machines.filter(({ endedAt }) => endedAt === null);
    expect(alive).toHaveLength(2);
    expect(restored).not.toBeNull();
  });
});
