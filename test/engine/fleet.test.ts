import { afterAll, beforeAll, expect, it } from "vitest";
import { describeWithEngine } from "./engine.ts";
import { H100, World } from "./world.ts";

describeWithEngine("a Fleet without an agent", () => {
  let world: World;
  const training = { gpus: 2, candidates: [{ ...H100, gpus: 1 }] };

  beforeAll(async () => {
    world = await World.create("fleet");
  });
  afterAll(() => world.close());

  it("says how to start one, and asks for nothing", async () => {
    await world.want({ training });
    const output = await world.failingUp();
    expect(output).toContain("no agent keeps the fleets of the ledger");
    expect(output).toContain("fleetkeeper agent");
    expect((await world.rows()).fleets).toEqual([]);
  });

  it("is brought about by `pulumi up` itself, if that is wanted", async () => {
    await world.want({ training: { ...training, reconcile: "inline" } });
    await world.up();
    expect(world.alive()).toHaveLength(2);
    expect(await world.outputs()).toMatchObject({
      training: { runningGpus: 2, reasons: [], pricePerHour: "4.9800" },
    });
  });

  it("is left alone while it is met", async () => {
    expect(await world.up()).toContain("4 unchanged");
  });

  it("is healed and grown by the next up", async () => {
    world.simulator.control.interrupt(world.alive()[0] ?? "", { now: true });
    await world.want({ training: { ...training, gpus: 3, reconcile: "inline" } });
    await world.up();
    expect(world.alive()).toHaveLength(3);
    expect(world.machines()).toHaveLength(4);
  });

  it("is drained by destroy", async () => {
    await world.destroy();
    expect(world.alive()).toEqual([]);
    expect((await world.rows()).fleets).toMatchObject([{ name: "training", removed: true }]);
  });
});
