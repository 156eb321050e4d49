import { afterEach, beforeEach, expect, it } from "vitest";
import { describeWithEngine } from "./engine.ts";
import { CANARY, H100, isAlive, until, World } from "./world.ts";

describeWithEngine("a Deployment in trouble", () => {
  let world: World;

  beforeEach(async () => {
    world = await World.create("deployment");
    await world.want({ web: H100 });
  });
  afterEach(() => world.close());

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
  });

  it("finds the machine of a launch whose answer was lost: one is billed", async () => {
    world.simulator.control.faults.next("launch", { kind: "dropAfter" });
    await world.up();
    expect(world.simulator.truth().launches).toHaveLength(1);
    expect(world.machines()).toHaveLength(1);
    expect(Object.values(await world.outputs())).toMatchObject([{ deploymentId: world.alive()[0] }]);
  });

  it("says that the key is refused, once, and launches nothing", async () => {
    await world.project.succeed("config", "set", "--secret", "fleetkeeper:apiKey", `${CANARY}-wrong`);
    const output = await world.failingUp();
    expect(output).toMatch(/401/);
    expect(output).not.toContain(CANARY);
    expect(output).not.toMatch(/\n\s+at /);
    expect(world.simulator.truth().launches).toEqual([]);
    // Nothing was ever launched, so a destroy with the same key has nothing to ask.
    await world.destroy();
  });

  it("says what is not configured, with every place to say it, before anything is made", async () => {
    await world.project.succeed("config", "rm", "fleetkeeper:baseUrl");
    const { code, stdout } = await world.project.pulumi("preview");
    expect(code).not.toBe(0);
    expect(stdout).toContain("fleetkeeper:baseUrl");
    expect(stdout).toContain("FLEETKEEPER_BASE_URL");
  });

  it("survives a killed host in the POST: the next up finds the machine", async () => {
    const update = await startedInPost();
    process.kill(await world.hostOfLaunch(), "SIGKILL");
    await update.ended;
    expect((await world.state()).map(({ type }) => type)).not.toContain(
      "pulumi-nodejs:dynamic/fleetkeeper:Machine",
    );
    expect(world.alive()).toHaveLength(1);

    await world.up();
    expect(world.machines()).toHaveLength(1);
    expect(Object.values(await world.outputs())).toMatchObject([
      { deploymentId: world.alive()[0], status: "running" },
    ]);
  });

  it("survives two Ctrl-C in the POST: destroy stops what the state forgot", async () => {
    const update = await startedInPost();
    update.engine.kill("SIGINT");
    await new Promise((resolve) => setTimeout(resolve, 200));
    update.engine.kill("SIGINT");
    await update.ended;
    expect(world.alive()).toHaveLength(1);

    await world.destroy();
    expect(world.alive()).toEqual([]);
    expect(await world.state()).toEqual([]);
  });

  it("survives a killed engine in the wait: the next up goes on", async () => {
    world.simulator.control.faults.next("deployments", { kind: "slow", seconds: 3 }, { times: 3, skip: 2 });
    const update = world.start();
    await until(() => world.alive().length === 1);
    update.engine.kill("SIGKILL");
    await update.ended;
    const host = await world.hostOfLaunch();
    await world.project.succeed("cancel", "--yes");

    await world.up();
    expect(world.machines()).toHaveLength(1);
    expect(world.alive()).toHaveLength(1);
    // It has nobody to report to, and would wait for ever.
    if (isAlive(host)) process.kill(host, "SIGKILL");
  });

  /** The service has the machine, and its answer is still on its way. */
  async function startedInPost() {
    world.simulator.control.faults.next("launch", { kind: "slow", seconds: 15 });
    const update = world.start();
    await until(() => world.alive().length === 1);
    return update;
  }
});
