import { afterAll, beforeAll, expect, it } from "vitest";
import { REPEATS } from "../support/repeats.ts";
import { describeWithEngine } from "./engine.ts";
import { A100, H100, isAlive, type Update, until, World } from "./world.ts";

type Interrupt = (world: World, update: Update) => Promise<void>;

const twice: Interrupt = async (_world, { engine, ended, said }) => {
  engine.kill("SIGINT");
  await until(() => said().includes("^C received"));
  engine.kill("SIGINT");
  await ended;
};
const killHost: Interrupt = async (world, { ended }) => {
  process.kill(await world.hostOfLaunch(), "SIGKILL");
  await ended;
};
const killEngine: Interrupt = async (world, { engine, ended }) => {
  engine.kill("SIGKILL");
  await ended;
  // The stack stays locked.
  await world.project.succeed("cancel", "--yes");
};

/**
 * Starts an `up` of two creates, and returns when one is in its wait and the other in its POST: one launch at a
 * time is open where a list could not tell them apart. Both machines exist.
 */
async function begin(world: World): Promise<Update> {
  const before = world.alive().length;
  world.simulator.control.faults.place("launch", { kind: "slow", seconds: 15 }, 2);
  // The first does not run before it is waited for no more.
  world.clock.stop();
  const update = world.start();
  await until(() => world.alive().length === before + 2);
  // The answer of one is written down a moment later, maybe of the one that began later.
  await until(async () => {
    const states = (await world.rows()).intents.slice(-2).map(({ state }) => state);
    return states.sort().join() === "claimed,open";
  });
  return update;
}

const cases: readonly (readonly [string, Interrupt])[] = [
  // language-contract.ts has it for an up of the plugin, and interrupt.test.ts for the language host.
  ["two Ctrl-C", twice],
  // killed-host.test.ts kills it in a replacement and in a destroy.
  ["SIGKILL of the host", killHost],
  // killed-engine.test.ts kills it in a launch and in a wait.
  ["SIGKILL of the engine", killEngine],
];

for (const [what, interrupt] of cases) {
  describeWithEngine(`creates that are ended by ${what}`, REPEATS, () => {
    let world: World;
    beforeAll(async () => {
      world = await World.create("deployment");
    });
    afterAll(async () => {
      // The host of a killed engine ends by itself; where it does not, no process is left behind.
      const hosts = new Set((await world.rows()).intents.map(({ sender }) => sender.pid));
      for (const host of hosts) if (isAlive(host)) process.kill(host, "SIGKILL");
      await world.close();
    });

    it("in the POST and in the wait are gone on with by up, and stopped by destroy: one machine each, or none", async () => {
      const beginAndEnd = async (): Promise<void> => {
        await interrupt(world, await begin(world));
        world.clock.goOn();
      };
      const wish = { one: H100, two: A100 };
      await world.want(wish);
      await beginAndEnd();
      await world.up();
      const outputs: Record<string, { deploymentId: string; status: string }> = await world.outputs();
      expect(Object.values(outputs).map(({ status }) => status)).toEqual(["running", "running"]);
      expect(
        Object.values(outputs)
          .map(({ deploymentId }) => deploymentId)
          .sort(),
      ).toEqual([...world.alive()].sort());

      await world.want({ ...wish, three: H100, four: A100 });
      await beginAndEnd();
      expect(world.alive()).toHaveLength(4);
      await world.destroy();
      expect(world.alive()).toEqual([]);
      expect(await world.state()).toEqual([]);
      const { deployments } = await world.rows();
      expect(deployments.filter(({ claim }) => claim !== "certain")).toEqual([]);
    });
  });
}

describeWithEngine("a create that meets one Ctrl-C", () => {
  let world: World;
  beforeAll(async () => {
    world = await World.create("deployment");
    await world.want({ one: H100 });
  });
  afterAll(() => world.close());

  it("comes to its end, and its id is in the state", async () => {
    world.simulator.control.faults.next("launch", { kind: "slow", seconds: 2 });
    world.clock.stop();
    const update = world.start();
    await until(() => world.alive().length === 1);
    update.engine.kill("SIGINT");
    const told = "one: Ctrl-C: what is being launched is looked after until its outcome is written down";
    await until(() => update.said().includes(told));
    world.clock.goOn();
    expect(await update.ended).not.toBe(0);
    const kept = (await world.state()).find(({ type }) => type.endsWith(":Machine"));
    expect(kept).toMatchObject({ id: world.alive()[0], outputs: { status: "running" } });
    await world.destroy();
    expect(world.alive()).toEqual([]);
  });
});
