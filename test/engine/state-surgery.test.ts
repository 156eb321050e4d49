// @module-tag repeats
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithEngine } from "./engine.ts";
import { H100, World } from "./world.ts";

describeWithEngine("a Deployment whose pair is taken out of the state while its machine runs", () => {
  let world: World;
  const urn = async (type: string): Promise<string> =>
    (await world.state()).find((each) => each.type.endsWith(type))?.urn ?? "";
  beforeAll(async () => {
    world = await World.create("deployment");
    await world.want({ web: H100 });
    await world.up();
  });
  afterAll(() => world.close());

  it("is refused by preview and up, which name the machine and both ways on, and kept by adopt", async () => {
    const [id] = world.alive();
    await world.project.succeed("state", "delete", await urn(":Machine"), "--yes");
    await world.project.succeed("state", "delete", await urn(":Slot"), "--yes");
    const preview = await world.project.pulumi("preview");
    expect(preview.code).not.toBe(0);
    for (const said of [preview.stdout + preview.stderr, await world.failingUp()]) {
      expect(said).toContain(`${id} (running, 2.49 USD an hour) was rented for this very resource`);
      expect(said).toContain(`adopt: "${id}"`);
      expect(said).toContain(`fleetkeeper deployments stop ${id}`);
    }
    expect(world.machines()).toHaveLength(1);
    await world.want({ web: { ...H100, adopt: id } });
    await world.up();
    await world.want({ web: H100 });
    await world.up();
    expect(world.alive()).toEqual([id]);
    expect(world.machines()).toHaveLength(1);
  });

  // As in deployment.test.ts; the words, in test/provider/state-surgery.test.ts.
  it("is made anew by --replace and by taint of its slot, without a word of that", async () => {
    await world.up("--replace", await urn(":Slot"));
    await world.project.succeed("state", "taint", await urn(":Slot"), "--yes");
    await world.up();
    expect(world.machines()).toHaveLength(3);
    expect(world.alive()).toHaveLength(1);
    await world.destroy();
    expect(world.alive()).toEqual([]);
  });
});
