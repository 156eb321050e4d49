import { afterAll, beforeAll, expect, it } from "vitest";
import { REPEATS } from "../support/repeats.ts";
import { describeWithEngine } from "./engine.ts";
import { CANARY, H100, World } from "./world.ts";

describeWithEngine("a Deployment in trouble", () => {
  let world: World;

  beforeAll(async () => {
    world = await World.create("deployment");
    await world.want({ web: H100 });
  });
  afterAll(() => world.close());

  it("says why a launch failed, is refunded, and is launched again by the next up", async () => {
    world.simulator.control.failNext(H100, {
      code: "UNKNOWN",
      reason: "it broke",
      suggestedAction: "try again",
    });
    const output = await world.failingUp();
    const [failed] = world.machines();
    expect(output).toContain(
      `${failed?.id} failed to launch: UNKNOWN: it broke. Suggested action: try again.`,
    );
    expect(output).toContain("The first hour is refunded in full and automatically.");
    expect(output).toContain(`support with the deployment ID ${failed?.id}`);
    expect(output).not.toMatch(/\n\s+at /);
    const kept = (await world.state()).find(({ type }) => type.endsWith(":Machine"));
    expect(kept).toMatchObject({ id: failed?.id, outputs: { failureCode: "UNKNOWN" } });

    await world.up();
    expect(world.alive()).toHaveLength(1);
    expect(failed?.statement.charged).toBe("0.0000");
    await world.destroy();
  });

  // As in test/provider/trouble.test.ts, and in the proof.
  it("finds the machine of a launch whose answer was lost: one is billed", REPEATS, async () => {
    const { launches } = world.simulator.truth();
    world.simulator.control.faults.next("launch", { kind: "dropAfter" });
    await world.up();
    expect(world.simulator.truth().launches).toHaveLength(launches.length + 1);
    expect(world.alive()).toHaveLength(1);
    expect(Object.values(await world.outputs())).toMatchObject([{ deploymentId: world.alive()[0] }]);
    await world.destroy();
  });

  it("says that the key is refused, once, and launches nothing", async () => {
    await world.project.succeed("config", "set", "--secret", "fleetkeeper:apiKey", `${CANARY}-wrong`);
    const { launches } = world.simulator.truth();
    const output = await world.failingUp();
    expect(output).toMatch(/401/);
    expect(output).not.toContain(CANARY);
    expect(output).not.toMatch(/\n\s+at /);
    expect(world.simulator.truth().launches).toEqual(launches);
    // Nothing was ever launched into it, so a destroy with the same key has nothing to ask.
    await world.destroy();
  });

  it("says what is not configured, with every place to say it, before anything is made", async () => {
    await world.project.succeed("config", "rm", "fleetkeeper:baseUrl");
    const { code, stdout } = await world.project.pulumi("preview");
    expect(code).not.toBe(0);
    expect(stdout).toContain("fleetkeeper:baseUrl");
    expect(stdout).toContain("FLEETKEEPER_BASE_URL");
  });
});
