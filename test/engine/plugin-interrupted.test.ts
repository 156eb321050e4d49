import { afterEach, beforeEach, expect, it } from "vitest";
import { describeWithEngine } from "./engine.ts";
import { pluginWorld } from "./plugin-world.ts";
import { H100, isAlive, until, type World } from "./world.ts";

/** Judged by what the simulator has: one machine for one wish, and none after destroy. */
describeWithEngine("an up of the plugin that is interrupted", () => {
  let world: World;
  let plugin: number | undefined;

  beforeEach(async () => {
    world = await pluginWorld();
    plugin = undefined;
    await world.want({ web: { args: H100 } });
  });
  afterEach(async () => {
    if (plugin !== undefined && isAlive(plugin)) process.kill(plugin, "SIGKILL");
    await world.close();
  });

  /** Begins an `up` whose machine was launched and does not come any further. */
  const begin = async () => {
    world.clock.stop();
    const update = world.start();
    await until(() => update.said().includes("waiting until") || world.machines().length > 0);
    await until(async () => (await world.rows()).deployments.length > 0);
    plugin = await world.hostOfLaunch();
    return update;
  };
  const machineInState = async () => (await world.state()).find(({ type }) => type.endsWith(":Machine"));

  it("by one Ctrl-C ends at once with the machine's id in the state, and the next up goes on with it", async () => {
    const { engine, ended } = await begin();
    engine.kill("SIGINT");
    await ended;
    expect((await machineInState())?.id).toBe(world.alive()[0]);
    world.clock.goOn();
    await world.up();
    expect(world.machines()).toHaveLength(1);
    expect(await world.outputs()).toMatchObject({
      web: { deploymentId: world.alive()[0], status: "running" },
    });
    await world.destroy();
    expect(world.alive()).toEqual([]);
  });

  it("by two Ctrl-C is gone on with by the next up", async () => {
    const { engine, ended } = await begin();
    engine.kill("SIGINT");
    engine.kill("SIGINT");
    await ended;
    await until(() => !isAlive(plugin!));
    world.clock.goOn();
    await world.up();
    expect(world.machines()).toHaveLength(1);
    expect(world.alive()).toHaveLength(1);
  });

  it("by kill -9 of the engine: the plugin ends by itself, and destroy stops what was launched", async () => {
    const { engine, ended } = await begin();
    engine.kill("SIGKILL");
    await ended;
    engine.stdout?.destroy();
    engine.stderr?.destroy();
    await until(() => !isAlive(plugin!));
    world.clock.goOn();
    await world.project.succeed("cancel", "--yes");
    await world.destroy();
    expect(world.machines()).toHaveLength(1);
    expect(world.alive()).toEqual([]);
    expect(await world.state()).toEqual([]);
  });

  it("by kill -9 of the plugin: destroy stops what was launched", async () => {
    const { ended } = await begin();
    process.kill(plugin!, "SIGKILL");
    await ended;
    world.clock.goOn();
    await world.destroy();
    expect(world.machines()).toHaveLength(1);
    expect(world.alive()).toEqual([]);
  });
});
