import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { fleet, machine, slot, wish } from "../../provider/kinds.ts";
import { openEnvironment } from "../../provider/runtime/host/open-environment.ts";
import { keptBy } from "../../provider/runtime/kept-by.ts";
import { alive, place, running, until } from "../cli/cli.ts";
import { sharedServer } from "../support/postgres.ts";
import { REPEATS } from "../support/repeats.ts";

const server = await sharedServer();
const H100 = { offer: "h100-80gb-x8", provider: "aurora", location: "fi-hel" };
const [Slot, Machine, Fleet, Wish] = [
  keptBy("slot", slot),
  keptBy("machine", machine),
  keptBy("fleet", fleet),
  keptBy("wish", wish),
];

/** One address of several agents, as a load balancer has it: whoever answers first in this order gets the connection. */
async function balanced(ports: () => readonly number[]): Promise<string> {
  const balancer = createServer((client) => {
    const dial = ([port, ...others]: readonly number[]): void => {
      if (port === undefined) return void client.destroy();
      const agent = connect(port, "127.0.0.1");
      agent.once("error", () => dial(others));
      agent.once("connect", () => {
        agent.removeAllListeners("error");
        for (const [one, other] of [
          [agent, client],
          [client, agent],
        ] as const) {
          one.on("error", () => other.destroy());
          one.on("close", () => other.destroy());
          one.pipe(other);
        }
      });
    };
    dial(ports());
  });
  await once(balancer.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void balancer.close());
  return `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`;
}

describe.skipIf(!server)("two agents on a ledger in PostgreSQL", REPEATS, () => {
  it("keep a Deployment and a Fleet while the one that leads is killed in a launch, and then in a stop", async () => {
    const on = await place();
    const { url } = await server!.database();
    on.write("fleet.yaml", "fleets: []\n");
    const env = { FLEETKEEPER_LEDGER: url };
    const begin = async () => {
      const process = on.start(["agent", "--http", "127.0.0.1:0"], env);
      const [, port] =
        /status page: http:\/\/127\.0\.0\.1:(\d+)/.exec(await process.shows("status page: ")) ?? [];
      return { process, port: Number(port) };
    };
    const agents = [await begin(), await begin()];
    const made = await on.run(["token", "create", "--name", "ci", "--may", "declare"], env);
    const agent = await balanced(() => agents.map(({ port }) => port));
    const { signal } = new AbortController();
    const given = { agent, token: made.stdout.trim() };
    const desk = openEnvironment({ given, variables: {}, say: () => undefined, signal });
    const dies = async (): Promise<void> => {
      const [leader] = agents.splice(0, 1);
      leader?.process.kill("SIGKILL");
      agents.push(await begin());
    };

    const label = "project/dev/web";
    const spot = await Slot.create(desk, { label, ...H100 });
    const inputs = { label, ...H100, slot: spot.id, ledger: spot.outs.ledger };
    on.simulator.control.faults.next("launch", { kind: "slow", seconds: 30 });
    const making = Machine.create(desk, inputs);
    await until("it is launched", () => on.simulator.truth().launches.length === 1);
    await dies();
    const web = await making;
    expect(web.outs).toMatchObject({ status: "running", claim: "certain" });

    const half = await Fleet.create(desk, { label: "project/dev/training", name: "training" });
    const candidates = [{ ...H100, gpus: 8 }];
    const asked = { ...half.outs, source: `stack:${half.id}`, gpus: 16, candidates };
    const met = Wish.create(desk, asked);
    await until("one of it is launched", () => on.simulator.truth().launches.length > 1);
    await dies();
    const training = await met;
    expect(training.outs).toMatchObject({ runningGpus: 16 });
    expect(running(on)).toBe(3);
    expect(on.simulator.truth().machines).toHaveLength(3);

    await Wish.delete(desk, training.id, training.outs);
    const ending = Promise.all([
      Fleet.delete(desk, half.id, half.outs),
      Machine.delete(desk, web.id, web.outs).then(() => Slot.delete(desk, spot.id, spot.outs)),
    ]);
    await until("a stop was sent", () => on.simulator.truth().requests.stop > 0);
    await dies();
    await ending;
    await until("all have ended", () => alive(on).length === 0);
    expect(on.simulator.truth().machines).toHaveLength(3);
  }, 300_000);
});
