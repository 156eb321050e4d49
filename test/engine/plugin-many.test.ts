// @module-tag repeats
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithEngine } from "./engine.ts";
import { pluginWorld } from "./plugin-world.ts";
import { H100, type World } from "./world.ts";

describeWithEngine("many Deployments of the plugin", () => {
  let world: World;
  beforeAll(async () => {
    world = await pluginWorld("plugin");
    world.simulator.control.setCapacity(H100, 100);
    const names = Array.from({ length: 20 }, (_each, index) => `m${index}`);
    await world.want(Object.fromEntries(names.map((name) => [name, { args: H100 }])));
    await world.up("--parallel", "64");
  });
  afterAll(() => world.close());

  it("have a machine each, and an up without a change asks the service for the account and one list", async () => {
    expect(world.alive()).toHaveLength(20);
    const before = { ...world.simulator.truth().requests };
    await world.up("--expect-no-changes", "--parallel", "64");
    const asked = Object.entries(world.simulator.truth().requests).flatMap(([kind, count]) => {
      const more = count - before[kind as keyof typeof before];
      return more > 0 ? [[kind, more]] : [];
    });
    expect(Object.fromEntries(asked)).toEqual({ account: 1, deployments: 1 });
  });
});
