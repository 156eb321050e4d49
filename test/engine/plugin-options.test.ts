import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithEngine } from "./engine.ts";
import { pluginWorld } from "./plugin-world.ts";
import { H100, type World } from "./world.ts";

describeWithEngine("Pulumi's options on a Deployment of the plugin", () => {
  let world: World;
  beforeAll(async () => {
    world = await pluginWorld("plugin");
  });
  afterAll(() => world.close());

  it("hooks: one that refuses the Deployment has nothing launched", async () => {
    await world.want({ web: { args: H100, vetoed: true } });
    expect(await world.failingUp()).toContain("not without a signature");
    expect(world.machines()).toEqual([]);
  });

  it("additionalSecretOutputs: the state has them encrypted, in the machine and in the Deployment", async () => {
    await world.want({ web: { args: H100, opts: { additionalSecretOutputs: ["connection"] } } });
    await world.up();
    const [host] = world.machines().map(({ id }) => `${id.slice(0, 8)}.fi-hel.example`);
    expect(JSON.stringify(await world.state())).not.toContain(host);
  });
});
