import { rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { REPEATS } from "../support/repeats.ts";
import { describeWithEngine } from "./engine.ts";
import { A100, H100, World } from "./world.ts";

describeWithEngine("many Deployments", () => {
  let world: World;
  beforeAll(async () => {
    world = await World.create("deployment");
    for (const each of [H100, A100]) world.simulator.control.setCapacity(each, 100);
  });
  afterAll(() => world.close());

  const eachHasOne = async (wish: Parameters<World["want"]>[0], count: number): Promise<void> => {
    await world.want(wish);
    await world.up("--parallel", "64");
    const ids = Object.values(await world.outputs()).map(
      (each: { deploymentId: string }) => each.deploymentId,
    );
    expect(ids.sort()).toEqual([...world.alive()].sort());
    expect(new Set(ids).size).toBe(count);
    expect(world.simulator.truth().launches).toHaveLength(count);
  };
  it("8 of one combination at once each have a machine of their own", () => eachHasOne(named(8, H100), 8));
  it("so have 50", REPEATS, () => eachHasOne({ ...named(8, H100), ...named(50, A100, 8) }, 50));

  it("are destroyed all at once", async () => {
    await world.want({});
    await world.up("--parallel", "64");
    expect(world.alive()).toEqual([]);
  });

  // test/provider/state-surgery.test.ts has whose slot it is, by the URN.
  it("two of one name under different parents are two, made one after the other, too", REPEATS, async () => {
    await world.want({});
    for (const twins of [{ left: A100 }, { left: A100, right: A100 }]) {
      await world.project.succeed("config", "set", "twins", JSON.stringify(twins));
      await world.up();
    }
    const { twinIds } = await world.allOutputs();
    expect([...(twinIds as string[])].sort()).toEqual([...world.alive()].sort());
    expect(world.alive()).toHaveLength(2);
  });
});

/** As test/provider says of the methods alone: delete.test.ts and lost-ledger.test.ts. */
describeWithEngine("Deployments with another ledger", REPEATS, () => {
  let world: World;
  beforeAll(async () => {
    world = await World.create("deployment");
    await world.want({ one: A100, two: A100 });
    await world.up();
  });
  afterAll(() => world.close());

  it("go on with another ledger: what is certainly theirs is taken over, and stopped by destroy", async () => {
    await world.project.succeed("config", "set", "fleetkeeper:ledger", "second.db");
    expect(await world.up()).toContain("2 updated");
    expect(world.simulator.truth().launches).toHaveLength(2);
    await world.destroy();
    expect(world.alive()).toEqual([]);
  });

  it("whose ledger's file was deleted are found by the state, and replaced by one machine each", async () => {
    await world.want({ web: H100 });
    await world.up();
    for (const end of ["", "-wal", "-shm"])
      rmSync(path.join(world.project.folder, `second.db${end}`), { force: true });
    const [first] = world.alive();
    await world.up();
    expect(world.alive()).toEqual([first]);
    await world.want({ web: A100 });
    await world.up();
    expect(world.alive()).toHaveLength(1);
    expect(world.alive()).not.toEqual([first]);
    await world.destroy();
    expect(world.alive()).toEqual([]);
  });
});

function named(count: number, what: object, from = 0): Record<string, object> {
  const names = Array.from({ length: count - from }, (_each, index) => `m${from + index}`);
  return Object.fromEntries(names.map((name) => [name, what]));
}
