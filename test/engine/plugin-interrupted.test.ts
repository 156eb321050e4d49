import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithEngine } from "./engine.ts";
import { beginLaunch, endLeftOver } from "./interrupted.ts";
import { pluginWorld } from "./plugin-world.ts";
import { H100, type World } from "./world.ts";

/** Two Ctrl-C, and kill -9 of the engine or the plugin: language-contract.ts. */
describeWithEngine("an up of the plugin that is interrupted by one Ctrl-C", () => {
  let world: World;
  beforeAll(async () => {
    world = await pluginWorld("plugin");
    await world.want({ web: { args: H100 } });
  });
  afterAll(async () => {
    await endLeftOver(world);
    await world.close();
  });

  it("ends at once with the machine's id in the state, and the next up goes on with it", async () => {
    const { engine, ended, said } = await beginLaunch(world);
    engine.kill("SIGINT");
    await ended;
    expect(said()).toContain(
      `interrupted: ${world.alive()[0]} is launched and bills; the next up or destroy goes on`,
    );
    const machine = (await world.state()).find(({ type }) => type.endsWith(":Machine"));
    expect(machine?.id).toBe(world.alive()[0]);
    world.clock.goOn();
    await world.up();
    expect(world.machines()).toHaveLength(1);
    expect(await world.outputs()).toMatchObject({
      web: { deploymentId: world.alive()[0], status: "running" },
    });
    await world.destroy();
    expect(world.alive()).toEqual([]);
  });
});
