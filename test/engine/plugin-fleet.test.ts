import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSimulator } from "../../simulator/index.ts";
import { describeWithEngine } from "./engine.ts";
import { pluginWorld } from "./plugin-world.ts";
import { A100, CANARY, H100, type World } from "./world.ts";

describeWithEngine("a Fleet of the plugin without an agent", () => {
  let world: World;
  const args = { gpus: 2, candidates: [{ ...H100, gpus: 1 }], reconcile: "inline" };

  beforeAll(async () => {
    world = await pluginWorld();
  });
  afterAll(() => world.close());

  it("says how to start one, if nobody is to do its work", async () => {
    await world.want({ training: { kind: "Fleet", args: { ...args, reconcile: "agent" } } });
    expect(await world.failingUp()).toContain("fleetkeeper agent");
    expect(world.machines()).toEqual([]);
  });

  it("is brought about by `pulumi up` itself, and left alone while it is met", async () => {
    await world.want({ training: { kind: "Fleet", args } });
    await world.up();
    expect(world.alive()).toHaveLength(2);
    expect(await world.outputs()).toMatchObject({
      training: { runningGpus: 2, reasons: [], pricePerHour: "4.9800" },
    });
    expect(await world.up()).toContain("4 unchanged");
  });

  it("is healed and grown by the next up, and drained by destroy", async () => {
    world.simulator.control.interrupt(world.alive()[0] ?? "", { now: true });
    await world.want({ training: { kind: "Fleet", args: { ...args, gpus: 3 } } });
    await world.up();
    expect(world.alive()).toHaveLength(3);
    await world.destroy();
    expect(world.alive()).toEqual([]);
  });
});

describeWithEngine("a program with two providers of the plugin", () => {
  it("rents at two services, each with its own key and ledger", async () => {
    const world = await pluginWorld();
    const second = createSimulator({ apiKey: `second-${CANARY}`, dialect: "plain" });
    try {
      const { url } = await second.listen();
      const provider = {
        baseUrl: url,
        apiKey: `second-${CANARY}`,
        profile: "service.profile.yaml",
        ledger: path.join(world.project.folder, "second.db"),
        account: "exclusive",
      };
      await world.want({
        one: { args: H100 },
        two: { args: { ...A100, awaitRunning: false }, provider },
      });
      await world.up();
      expect(world.machines().map(({ combination }) => combination)).toEqual([H100]);
      expect(second.truth().machines.map(({ combination }) => combination)).toEqual([A100]);
      // The key of the explicit provider was no secret in the program; in the state it is.
      const kept = (await world.state()).filter(({ type }) => type === "pulumi:providers:fleetkeeper");
      expect(kept).toHaveLength(2);
      expect(JSON.stringify(kept)).not.toContain(CANARY);
    } finally {
      await second.close();
      await world.close();
    }
  });
});
