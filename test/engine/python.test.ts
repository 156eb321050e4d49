import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithPython, pythonWorld } from "./python-world.ts";
import { A100, CANARY, H100, type World } from "./world.ts";

describeWithPython("a Deployment in Python, by plain `pulumi up`", () => {
  let world: World;
  beforeAll(async () => {
    world = await pythonWorld();
    await world.want({ web: { args: H100 } });
  });
  afterAll(() => world?.close());

  it("launches one machine and waits until it runs", async () => {
    const printed = await world.up();
    expect(world.alive()).toHaveLength(1);
    expect(await world.outputs()).toEqual({
      web: {
        deploymentId: world.alive()[0],
        status: "running",
        pricePerHour: "2.4900",
        connection: expect.objectContaining({ port: "22" }),
      },
    });
    expect(printed).not.toContain(CANARY);
  });

  it("changes nothing while it runs", async () => {
    expect(await world.up()).toContain("4 unchanged");
    expect(world.machines()).toHaveLength(1);
  });

  it("replaces the machine when it was interrupted", async () => {
    world.simulator.control.interrupt(world.alive()[0] ?? "", { now: true });
    await world.up();
    expect(world.alive()).toHaveLength(1);
    expect(world.machines()).toHaveLength(2);
  });

  it("makes another machine for another offer, and stops the first", async () => {
    await world.want({ web: { args: A100 } });
    await world.up();
    const alive = world.machines().filter(({ endedAt }) => endedAt === null);
    expect(alive.map(({ combination }) => combination)).toEqual([A100]);
  });

  it("is told a mistyped argument by Python itself, and rents nothing for it", async () => {
    await world.want({ web: { args: A100 }, other: { args: { ...H100, ofer: "x" } } });
    expect(await world.failingUp()).toContain("unexpected keyword argument 'ofer'");
    expect(world.machines()).toHaveLength(3);
    await world.want({ web: { args: A100 } });
  });

  it("is over after destroy", async () => {
    await world.destroy();
    expect(world.alive()).toEqual([]);
    expect(await world.state()).toEqual([]);
  });
});
