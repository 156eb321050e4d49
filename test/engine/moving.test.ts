import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { REPEATS } from "../support/repeats.ts";
import { describeWithEngine } from "./engine.ts";
import { pluginWorld } from "./plugin-world.ts";
import { A100, H100, isAlive, L40S, until, type World } from "./world.ts";

const WEB = { kind: "Deployment", args: { ...H100, budget: { perHour: "3.00" }, triggers: ["one"] } };
const TRAINING = {
  kind: "Fleet",
  args: { gpus: 2, candidates: [{ ...A100, gpus: 1 }], reconcile: "inline" },
};

async function moveTo(world: World, host: "classes" | "plugin"): Promise<void> {
  await world.project.succeed("config", "set", "plugin", String(host === "plugin"));
}

/** Types of the halves in the state, by the host that made them or took them over. */
async function hostsOf(world: World): Promise<readonly string[]> {
  const types = (await world.state()).map(({ type }) => type);
  return [
    ...new Set(types.flatMap((type) => /^(?:pulumi-nodejs:dynamic|fleetkeeper:half)/.exec(type) ?? [])),
  ];
}

const CLASSES = ["pulumi-nodejs:dynamic"];
const PLUGIN = ["fleetkeeper:half"];

describeWithEngine("a stack that moves from the classes to the plugin, and back", () => {
  let world: World;
  beforeAll(async () => {
    world = await pluginWorld("moving");
    await world.want({ web: WEB, below: { ...WEB, below: "room" }, training: TRAINING });
    await world.up();
  });
  afterAll(() => world.close());

  it("keeps its machines: neither preview nor up finds a change, and the dynamic provider leaves the state", async () => {
    const before = world.alive();
    expect(before).toHaveLength(4);
    await moveTo(world, "plugin");
    for (const run of [
      () => world.project.succeed("preview", "--expect-no-changes"),
      () => world.up("--expect-no-changes"),
    ]) {
      await run();
      expect(world.alive()).toEqual(before);
      expect(world.machines()).toHaveLength(4);
    }
    expect(await hostsOf(world)).toEqual(PLUGIN);
    expect((await world.state()).map(({ type }) => type)).not.toContain("pulumi:providers:pulumi-nodejs");
  });

  it("has what was interrupted replaced by the plugin, in the same slot's place", async () => {
    const [id = ""] = world.alive();
    world.simulator.control.interrupt(id, { now: true });
    await world.up();
    expect(world.alive()).toHaveLength(4);
    expect(world.machines()).toHaveLength(5);
    await world.up("--expect-no-changes");
  });

  it("keeps them on the way back, too, and takes the dynamic provider's text for what the plugin has made", async () => {
    const before = world.alive();
    await moveTo(world, "classes");
    expect(await world.up()).toContain("1 updated");
    expect(world.alive()).toEqual(before);
    expect(world.machines()).toHaveLength(5);
    expect(await hostsOf(world)).toEqual(CLASSES);
    await world.up("--expect-no-changes");
  });

  it("is renamed, changed and moved at once", async () => {
    await moveTo(world, "plugin");
    await world.want({
      site: { ...WEB, opts: { aliases: [{ name: "web" }] } },
      below: { ...WEB, below: "room", args: { ...WEB.args, until: "2999-01-01T00:00:00Z" } },
      training: { ...TRAINING, args: { ...TRAINING.args, gpus: 3 } },
    });
    await world.up();
    expect(world.machines()).toHaveLength(6);
    expect(world.alive()).toHaveLength(5);
    expect(await hostsOf(world)).toEqual(PLUGIN);
  });

  it("is stopped by destroy", async () => {
    await world.destroy();
    expect(world.alive()).toEqual([]);
    expect(await world.state()).toEqual([]);
  });
});

/**
 * Judged by what the simulator has: one machine for one wish, and none after destroy. Of an up that does not move, plugin-interrupted.test.ts
 * and language-contract.ts say what an end makes, and deployment.test.ts what another offer does.
 */
describeWithEngine("an up that moves a stack to the plugin", REPEATS, () => {
  let world: World;
  beforeEach(async () => {
    world = await pluginWorld("moving");
    await world.want({ web: WEB });
    await world.up();
    await moveTo(world, "plugin");
  });
  afterEach(() => world.close());

  it("replaces the machine for another offer: one is launched, and the old one is stopped", async () => {
    await world.want({ web: { ...WEB, args: L40S } });
    await world.up();
    const alive = world.machines().filter(({ endedAt }) => endedAt === null);
    expect(alive.map(({ combination }) => combination)).toEqual([L40S]);
    expect(world.machines()).toHaveLength(2);
    expect(await hostsOf(world)).toEqual(PLUGIN);
  });

  const ended = "and is ended by %s while a machine is replaced: the next one goes on with the slot's launch";
  const goesOn = async (signal: "SIGINT" | "SIGKILL"): Promise<void> => {
    world.simulator.control.interrupt(world.alive()[0] ?? "", { now: true });
    world.clock.stop();
    const update = world.start();
    await until(() => world.machines().length === 2);
    await until(async () => (await world.rows()).deployments.length === 2);
    const plugin = await world.hostOfLaunch();
    update.engine.kill(signal);
    await update.ended;
    update.engine.stdout?.destroy();
    update.engine.stderr?.destroy();
    await until(() => !isAlive(plugin));
    if (signal === "SIGKILL") await world.project.succeed("cancel", "--yes");
    world.clock.goOn();
    await world.up();
    expect(world.machines()).toHaveLength(2);
    expect(world.alive()).toHaveLength(1);
    expect(await world.outputs()).toMatchObject({
      web: { deploymentId: world.alive()[0], status: "running" },
    });
    expect(await hostsOf(world)).toEqual(PLUGIN);
    await world.destroy();
    expect(world.alive()).toEqual([]);
  };
  it.each(["SIGKILL", "SIGINT"] as const)(ended, goesOn);
});
