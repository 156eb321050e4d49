import { afterAll, beforeAll, expect, it } from "vitest";
import { REPEATS } from "../support/repeats.ts";
import { describeWithEngine } from "./engine.ts";
import { pluginWorld } from "./plugin-world.ts";
import { A100, CANARY, H100, type World } from "./world.ts";

/** What the error of `pulumi import TYPE NAME ID` has in its file. */
async function fileFor(world: World, id: string): Promise<string> {
  const args = ["import", "fleetkeeper:index:Deployment", "web", id, "--yes"];
  const { code, stdout, stderr } = await world.project.pulumi(...args);
  expect(code).not.toBe(0);
  const [, json = ""] = /where FILE has (\{.*?\}\]\})/s.exec(stdout + stderr) ?? [];
  return json;
}

const byFile = (world: World, json: string) =>
  world.project.pulumi(
    ...["import", "--generate-code=false", "--yes", "--file", world.write("import.json", json)],
  );

/** What an engine lists, with the stack's settings in the environment. */
async function listed(world: World): Promise<unknown> {
  Object.assign(world.project.env, {
    FLEETKEEPER_BASE_URL: (await world.project.succeed("config", "get", "fleetkeeper:baseUrl")).trim(),
    FLEETKEEPER_PROFILE: "service.profile.yaml",
    FLEETKEEPER_LEDGER: "ledger.db",
    FLEETKEEPER_ACCOUNT: "exclusive",
    FLEETKEEPER_API_KEY: CANARY,
  });
  const plugin = ["--package", "./plugin/pulumi-resource-fleetkeeper"];
  return JSON.parse(await world.project.succeed("do", ...plugin, "fleetkeeper:index:Deployment", "list"));
}

describeWithEngine("pulumi import of a machine that runs already", () => {
  let world: World;
  beforeAll(async () => {
    world = await pluginWorld("plugin");
  });
  afterAll(() => world.close());

  it("takes it by a file, claims nothing, and the next up takes it over: nothing is rented", async () => {
    const id = world.simulator.control.launchByHand(H100);
    expect(await listed(world)).toEqual([{ id, name: "" }]);
    const { code, stdout, stderr } = await byFile(world, await fileFor(world, id));
    expect(code, stdout + stderr).toBe(0);
    expect((await world.rows()).deployments).toMatchObject([{ id, claim: null }]);
    await world.want({ web: { args: H100 } });
    await world.up();
    expect((await world.rows()).deployments).toMatchObject([{ id, claim: "certain" }]);
    expect(await world.outputs()).toMatchObject({ web: { deploymentId: id, status: "running" } });
    await world.up("--expect-no-changes");
    expect(world.machines()).toHaveLength(1);
  });

  it("has it stopped by destroy", async () => {
    await world.destroy();
    expect(world.alive()).toEqual([]);
    expect(world.machines()).toHaveLength(1);
  });
});

describeWithEngine("pulumi import for a program of the classes", REPEATS, () => {
  let world: World;
  beforeAll(async () => {
    world = await pluginWorld("moving");
    await world.want({ web: { kind: "Deployment", args: A100 } });
  });
  afterAll(() => world.close());

  const imported = async (): Promise<string> => {
    const id = world.simulator.control.launchByHand(A100);
    const { code, stdout, stderr } = await byFile(world, await fileFor(world, id));
    expect(code, stdout + stderr).toBe(0);
    return id;
  };

  it("is taken over by the next up, and stopped by destroy", async () => {
    const id = await imported();
    await world.up();
    expect(await world.outputs()).toMatchObject({ web: { deploymentId: id } });
    await world.up("--expect-no-changes");
    await world.destroy();
    expect(world.machines()).toHaveLength(1);
    expect(world.alive()).toEqual([]);
  });

  it("is stopped by a destroy that comes before any up", async () => {
    const id = await imported();
    const { code } = await world.project.pulumi("destroy", "--yes", "--skip-preview");
    expect(code).not.toBe(0);
    expect(world.alive()).toEqual([id]);
    await world.project.succeed("state", "unprotect", "--all", "--yes");
    await world.destroy();
    expect(world.alive()).toEqual([]);
  });
});
