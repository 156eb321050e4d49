import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithEngine } from "./engine.ts";
import { H100, isAlive, type Update, until, World } from "./world.ts";

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

/** Where the create is when it is interrupted. The machine exists in both. */
type Phase = (world: World) => Promise<Update>;

const inPost: Phase = async (world) => {
  const before = world.alive().length;
  world.simulator.control.faults.next("launch", { kind: "slow", seconds: 8 });
  const update = world.start();
  await until(() => world.alive().length === before + 1);
  expect(await world.newestLaunch()).toBe("open");
  return update;
};
const inWait: Phase = async (world) => {
  const before = world.alive().length;
  // It does not run before it is waited for no more.
  world.clock.stop();
  const update = world.start();
  await until(async () => world.alive().length === before + 1 && (await world.newestLaunch()) !== "open");
  return update;
};

const cases: readonly (readonly [string, Interrupt])[] = [
  ["two Ctrl-C", twice],
  ["SIGKILL of the host", killHost],
  ["SIGKILL of the engine", killEngine],
];

for (const [what, interrupt] of cases) {
  describeWithEngine(`a create that is ended by ${what}`, () => {
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

    it.each([
      ["POST", inPost],
      ["wait", inWait],
    ] as const)(
      "in the %s is gone on with by up, and stopped by destroy: one machine or none",
      async (_phase, begin) => {
        const beginAndEnd = async (): Promise<void> => {
          await interrupt(world, await begin(world));
          world.clock.goOn();
        };
        await world.want({ one: H100 });
        await beginAndEnd();
        await world.up();
        const [first, ...others] = world.alive();
        expect(others).toEqual([]);
        expect(await world.outputs()).toMatchObject({ one: { deploymentId: first, status: "running" } });

        await world.want({ one: H100, two: H100 });
        await beginAndEnd();
        expect(world.alive()).toHaveLength(2);
        await world.destroy();
        expect(world.alive()).toEqual([]);
        expect(await world.state()).toEqual([]);
        const { deployments } = await world.rows();
        expect(deployments.filter(({ claim }) => claim !== "certain")).toEqual([]);
      },
    );
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
