import { execFileSync } from "node:child_process";
import { renameSync, rmSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { startSimulation } from "../../../simulator/simulation.ts";
import { sharedServer, TestServer } from "../../support/postgres.ts";
import { agentOn, QUICKLY } from "./agent-on.ts";

const isPossible = (await sharedServer()) !== undefined;

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
