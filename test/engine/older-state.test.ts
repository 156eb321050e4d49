import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { olderText } from "../support/older-text.ts";
import { REPEATS } from "../support/repeats.ts";
import { describeWithEngine } from "./engine.ts";
import { A100, H100, World } from "./world.ts";

/** Makes the state what the first version of the package wrote: with another text of each provider, and no inputs of components. */
function makeOlder(world: World): number {
  const file = path.join(world.project.folder, ".state/.pulumi/stacks/deployment/dev.json");
  const state = JSON.parse(readFileSync(file, "utf8"));
  const { resources } = state.checkpoint.latest;
  for (const each of resources) if (/^fleetkeeper:index:/.test(each.type)) delete each.inputs;
  const halves = resources.filter((each: { type: string }) => /:(Slot|Machine)$/.test(each.type));
  for (const { type, inputs, outputs } of halves)
    for (const properties of [inputs, outputs])
      properties.__provider = olderText(type.endsWith(":Slot") ? "slot" : "machine");
  writeFileSync(file, JSON.stringify(state));
  return halves.length;
}

describeWithEngine("a stack that the first version of the package made", () => {
  let world: World;
  const list = { candidates: [H100], budget: { floor: "1.00" }, timeouts: { create: "5m" } };
  beforeAll(async () => {
    world = await World.create("deployment");
    await world.want({ web: H100, list });
    await world.up();
    expect(makeOlder(world)).toBe(4);
  });
  afterAll(() => world.close());

  it("has its components' inputs registered, once, and nothing is launched", async () => {
    const ids = world.alive();
    const printed = await world.up();
    expect(printed).toContain("2 updated");
    expect(printed).not.toMatch(/:(?:Slot|Machine) \w+ updated/);
    await world.up("--expect-no-changes");
    expect(world.alive()).toEqual(ids);
    expect(world.simulator.truth().launches).toHaveLength(2);
  });

  // As test/provider/serialized.test.ts says of the texts, and deployment.test.ts of a state of this version.
  it("is changed in place, and a machine alone is replaced by another combination", REPEATS, async () => {
    await world.up();
    const preview = { ...list, timeouts: { create: "6m" } };
    await world.want({ web: H100, list: preview });
    expect(await world.up()).toContain("1 updated");
    expect(world.machines()).toHaveLength(2);
    await world.want({ web: A100, list: preview });
    await world.up();
    expect(world.machines()).toHaveLength(3);
    expect(world.alive()).toHaveLength(2);
  });

  it("is destroyed", async () => {
    makeOlder(world);
    await world.destroy();
    expect(world.alive()).toEqual([]);
  });
});
