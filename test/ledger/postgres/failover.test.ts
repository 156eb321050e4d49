import { renameSync, rmSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { LedgerTime } from "../../../ledger/ledger-time.ts";
import { readAddress } from "../../../ledger/postgres/address.ts";
import { Connections } from "../../../ledger/postgres/connections.ts";
import { TIMES } from "../../../ledger/postgres/postgres-ledger.ts";
import { startSimulation } from "../../../simulator/simulation.ts";
import { FLEET, place, running, until } from "../../cli/cli.ts";
import { CuttingProxy } from "../../support/cutting-proxy.ts";
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
    const [data, standby] = [await server.folder(), await server.copied()];
    const copied = simulator.truth().now;
    await agent.want(2);
    await agent.keeps(2);

    const go = await agent.hold();
    await server.kill();
    rmSync(data, { recursive: true, force: true });
    renameSync(standby, data);
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

describe.skipIf(!isPossible)("a server that comes back as a hot standby, before it is promoted", () => {
  it("is waited for: by an agent that goes on, by one that starts, and by a pool that had it as the one that writes", async () => {
    const server = await TestServer.start();
    onTestFinished(() => server.end());
    const simulation = await startSimulation({ settings: QUICKLY });
    onTestFinished(() => simulation.close());
    const database = await server.database();
    const agent = await agentOn(database.url, simulation);
    await agent.want(1);
    await agent.keeps(1);
    const connectionsTo = (at: string, name = "postgres") => {
      const url = `postgres://postgres@${at}/${name}`;
      const connections = new Connections(readAddress(url), { ...TIMES, patience: 1_000 }, new LedgerTime());
      onTestFinished(() => connections.close());
      return connections;
    };
    const proxy = await CuttingProxy.before(server.port);
    const at = `127.0.0.1:${server.port}`;
    const other = `127.0.0.1:${(await sharedServer())?.port}`;
    const ask = (mode: "snapshot" | "write", connections: Connections) =>
      connections.run(mode, (transaction) => transaction.query("SELECT 1 AS one"));
    const busy = { code: "LEDGER_BUSY", message: expect.stringContaining("recovery") };

    await server.comesBackAsStandby();
    const pinned = connectionsTo(`127.0.0.1:${proxy.port}`);
    expect(await ask("snapshot", pinned)).toEqual([{ one: 1 }]);
    await expect(ask("write", pinned)).rejects.toMatchObject(busy);
    await expect(pinned.one("SELECT pg_notify('x', '')", [])).rejects.toMatchObject(busy);
    const writer = connectionsTo(at, "postgres?target_session_attrs=read-write");
    await expect(ask("snapshot", writer)).rejects.toMatchObject(busy);
    const on = await place();
    on.write("fleet.yaml", FLEET);
    const young = on.start(["agent"], { FLEETKEEPER_LEDGER: database.url });
    await young.tells("Tried again until it answers");
    await expect.poll(() => agent.said.join()).toContain("LEDGER_BUSY");

    // The other one writes. No connection was cut.
    proxy.leadsTo = Number(other.split(":")[1]);
    expect(await ask("write", pinned)).toEqual([{ one: 1 }]);
    const both = connectionsTo(`${at},127.0.0.1:1,${other}`, "postgres?connect_timeout=2");
    for (const mode of ["snapshot", "write"] as const) expect(await ask(mode, both)).toEqual([{ one: 1 }]);

    await server.sql("SELECT pg_promote()");
    await young.shows("fleetkeeper agent: account");
    await until("the young one launches", () => running(on) === 2);
    await agent.want(2);
    await agent.keeps(2);
    expect(simulation.simulator.truth().launches).toHaveLength(2);
    young.kill("SIGTERM");
    expect((await young.ended).code).toBe(0);
  });
});
