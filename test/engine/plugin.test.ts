import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithEngine } from "./engine.ts";
import { pluginWorld } from "./plugin-world.ts";
import { A100, CANARY, H100, type World } from "./world.ts";

describeWithEngine("a Deployment of the plugin, by plain `pulumi up`", () => {
  let world: World;
  beforeAll(async () => {
    world = await pluginWorld();
    await world.want({ web: { args: H100 } });
  });
  afterAll(() => world.close());

  it("is previewed without a launch", async () => {
    const printed = await world.project.succeed("preview");
    expect(printed).toContain("fleetkeeper:half:Machine");
    expect(world.machines()).toEqual([]);
  });

  it("launches one machine and waits until it runs", async () => {
    const printed = await world.up();
    expect(world.alive()).toHaveLength(1);
    expect(await world.outputs()).toEqual({
      web: {
        deploymentId: world.alive()[0],
        status: "running",
        pricePerHour: "2.4900",
        provider: "aurora",
        connection: expect.objectContaining({ port: "22" }),
      },
    });
    expect(printed).toContain(`${world.alive()[0]} is running`);
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

  it("names a mistyped argument, and rents nothing for it", async () => {
    await world.want({ web: { args: A100 }, other: { args: { ...H100, ofer: "x" } } });
    expect(await world.failingUp()).toContain("ofer");
    expect(world.machines()).toHaveLength(3);
    await world.want({ web: { args: A100 } });
  });

  it("is over after destroy", async () => {
    await world.destroy();
    expect(world.alive()).toEqual([]);
    expect(await world.state()).toEqual([]);
  });
});
