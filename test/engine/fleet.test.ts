import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { REPEATS } from "../support/repeats.ts";
import { describeWithEngine } from "./engine.ts";
import { H100, until, World } from "./world.ts";

describeWithEngine("a Fleet without an agent", () => {
  let world: World;
  const training = { gpus: 2, candidates: [{ ...H100, gpus: 1 }] };

  beforeAll(async () => {
    world = await World.create("fleet");
  });
  afterAll(() => world.close());

  it("says how to start one, and asks for nothing", async () => {
    await world.want({ training });
    const output = await world.failingUp();
    expect(output).toContain("no agent keeps the fleets of the ledger");
    expect(output).toContain("fleetkeeper agent");
    expect((await world.rows()).fleets).toEqual([]);
  });

  it("is brought about by `pulumi up` itself, if that is wanted", async () => {
    await world.want({ training: { ...training, reconcile: "inline" } });
    await world.up();
    expect(world.alive()).toHaveLength(2);
    expect(await world.outputs()).toMatchObject({
      training: { runningGpus: 2, reasons: [], pricePerHour: "4.9800" },
    });
  });

  // language-contract.ts says it of the plugin, test/provider/fleet.test.ts of the methods.
  it("is left alone while it is met, and healed and grown by the next up", REPEATS, async () => {
    await world.want({ training: { ...training, reconcile: "inline" } });
    await world.up();
    expect(await world.up()).toContain("4 unchanged");
    world.simulator.control.interrupt(world.alive()[0] ?? "", { now: true });
    await world.want({ training: { ...training, gpus: 3, reconcile: "inline" } });
    await world.up();
    expect(world.alive()).toHaveLength(3);
    expect(world.machines()).toHaveLength(4);
  });

  it("is drained by destroy", async () => {
    await world.destroy();
    expect(world.alive()).toEqual([]);
    expect((await world.rows()).fleets).toMatchObject([{ name: "training", removed: true }]);
    const all = ["stop", "drained", "launch", "declared"];
    expect(await world.decided()).toEqual(expect.arrayContaining(all));
  });
});

/** As language-contract.ts says of the plugin, and test/provider/fleet.test.ts of the methods. */
describeWithEngine("a Fleet with an agent", REPEATS, () => {
  let world: World;
  let agent: ChildProcess;
  const training = { gpus: 2, candidates: [{ ...H100, gpus: 1 }] };
  const queue = createServer((_request, response) => void response.end('{"waiting":[{"gpus":3}]}'));
  let host: string;

  beforeAll(async () => {
    await once(queue.listen(0, "127.0.0.1"), "listening");
    host = `127.0.0.1:${(queue.address() as AddressInfo).port}`;
    world = await World.create("fleet");
    agent = await world.keptByAgent({ FLEETKEEPER_METRIC_HOSTS: host });
  });
  afterAll(async () => {
    queue.close();
    agent.kill("SIGKILL");
    await world.close();
  });

  it("is brought about by the agent, and up waits until it has", async () => {
    await world.want({ training });
    const output = await world.up();
    expect(world.alive()).toHaveLength(2);
    expect(output).toContain("training: ");
    // Its reasons are of the agent's newest plan, which may be older than the list that met the fleet.
    expect(await world.outputs()).toMatchObject({ training: { runningGpus: 2 } });
    const { intents } = await world.rows();
    expect(new Set(intents.map(({ sender }) => sender.pid))).toEqual(new Set([agent.pid]));
  });

  it("is healed without an up", async () => {
    const [lost] = world.alive();
    world.simulator.control.interrupt(lost ?? "", { now: true });
    await until(() => world.alive().length === 2 && world.machines().length === 3);
  });

  it("says in the preview of a change which command its agent has not", async () => {
    await world.want({ training: { ...training, setup: { command: ["join.sh"] } } });
    const { code, stdout, stderr } = await world.project.pulumi("preview");
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain("setup.command: expected no command, got join.sh");
  });

  it("shrinks and is drained as Pulumi says, by the agent", async () => {
    await world.want({ training: { ...training, gpus: 1 } });
    await world.up();
    await until(() => world.alive().length === 1);
    await world.destroy();
    expect(world.alive()).toEqual([]);
    expect(world.machines()).toHaveLength(3);
  });

  it("that a fleet file claims too is an error, and neither loses a machine", async () => {
    await world.want({ training });
    await world.up();
    const file = world.startAgent(
      "--once",
      "--config",
      world.write(
        "another.yaml",
        `fleets:\n  - { name: training, gpus: 1, candidates: [{ offer: ${H100.offer}, provider: ${H100.provider}, location: ${H100.location}, gpus: 1 }] }\n`,
      ),
    );
    let said = "";
    file.stderr?.on("data", (chunk) => {
      said += chunk;
    });
    expect(await once(file, "close")).toEqual([2, null]);
    expect(said).toContain("training");
    expect(world.alive()).toHaveLength(2);
    await world.destroy();
    expect(world.alive()).toEqual([]);
  });

  it("follows a metric within its range without an up, and a secret is refused", async () => {
    const url = `http://${host}/queue`;
    const metric = { http: { url, pointer: "/waiting/0/gpus" }, every: "10s" };
    const range = { min: 1, max: 4 };
    const secret = { ...metric.http, secret: { env: "TOKEN" } };
    await world.want({ training: { ...training, range, metric: { http: secret } } });
    expect(await world.failingUp()).toContain("the agent sends its secrets for fleets of a fleet file only");
    await world.want({ training: { ...training, range, metric } });
    await world.up();
    await until(() => world.alive().length === 3);
    const { fleets } = await world.rows();
    expect(fleets).toMatchObject([{ wish: { metric: { ...metric, ...range, at: 2 } } }]);
    await world.destroy();
    expect(world.alive()).toEqual([]);
  });
});
