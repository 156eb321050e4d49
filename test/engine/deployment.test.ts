import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { REPEATS } from "../support/repeats.ts";
import { describeWithEngine } from "./engine.ts";
import { A100, CANARY, H100, World } from "./world.ts";

describeWithEngine("a Deployment, by plain `pulumi up`", () => {
  let world: World;
  const printed: string[] = [];

  beforeAll(async () => {
    world = await World.create("deployment");
    await world.want({ web: H100 });
  });
  afterAll(() => world.close());

  const up = async (): Promise<string> => {
    printed.push(await world.up());
    return printed.at(-1) ?? "";
  };

  it("launches one machine and waits until it runs", async () => {
    const output = await up();
    const [machine] = world.machines();
    expect(world.machines()).toHaveLength(1);
    expect(machine?.states.at(-1)?.state).toBe("running");
    expect(output).toContain(`web: ${machine?.id} is running`);
    expect(await world.outputs()).toEqual({
      web: {
        deploymentId: machine?.id,
        status: "running",
        pricePerHour: "2.4900",
        provider: "aurora",
        connection: expect.objectContaining({ port: "22" }),
      },
    });
    expect(existsSync(path.join(world.project.folder, "ledger.db"))).toBe(true);
  });

  it("adds at most 4 kB to the state, beyond what the user wrote", async () => {
    const resources = await world.state();
    const pair = resources.filter(({ type }) => type.startsWith("pulumi-nodejs:dynamic/fleetkeeper:"));
    expect(pair.map(({ type }) => type.split(":").at(-1))).toEqual(["Slot", "Machine"]);
    const kept = pair.map(({ inputs, outputs }) => JSON.stringify({ inputs, outputs }).length);
    expect(kept.reduce((sum, size) => sum + size)).toBeLessThan(4_096);
  });

  it("changes nothing while it runs, and takes the key from the environment too", async () => {
    // From now on the engine does not know the key, and so cannot hide it in what is printed.
    expect(await world.project.succeed("config", "get", "fleetkeeper:apiKey")).toContain(CANARY);
    await world.project.succeed("config", "rm", "fleetkeeper:apiKey");
    world.project.env.FLEETKEEPER_API_KEY = CANARY;
    expect(await up()).toContain("4 unchanged");
    expect(world.machines()).toHaveLength(1);
  });

  it("replaces the machine when it was interrupted", async () => {
    const [first] = world.alive();
    world.simulator.control.interrupt(first ?? "", { now: true });
    expect(await up()).toContain(`web: ${first} was interrupted`);
    expect(world.alive()).toHaveLength(1);
    expect(world.machines()).toHaveLength(2);
  });

  const halves = "the machine when only its half is %s, and makes another for another slot";
  const urn = async (type: string) =>
    (await world.state()).find((each) => each.type.endsWith(type))?.urn ?? "";
  const keepsIn = async (again: (urn: string) => Promise<string>): Promise<void> => {
    const [before] = world.alive();
    printed.push(await again(await urn(":Machine")));
    expect(world.alive()).toEqual([before]);
    printed.push(await again(await urn(":Slot")));
    expect(world.alive()).toHaveLength(1);
    expect(world.alive()).not.toEqual([before]);
  };
  it(`keeps ${halves.replace("%s", "replaced")}`, () => keepsIn((half) => world.up("--replace", half)));
  it(`keeps ${halves.replace("%s", "tainted")}`, REPEATS, async () => {
    await up();
    await keepsIn(async (half) => {
      await world.project.succeed("state", "taint", half, "--yes");
      return world.up();
    });
  });

  // `read` of the methods alone: test/provider/diff-and-read.test.ts.
  it("shows in a refresh that a machine was interrupted, and replaces it afterwards", REPEATS, async () => {
    world.simulator.control.interrupt(world.alive()[0] ?? "", { now: true });
    printed.push(await world.project.succeed("refresh", "--yes", "--skip-preview"));
    const machine = (await world.state()).find(({ type }) => type.endsWith(":Machine"));
    expect(machine?.outputs).toMatchObject({ status: "interrupted", stopReason: expect.any(String) });
    await up();
    expect(world.alive()).toHaveLength(1);
  });

  it("makes another machine for another offer, and stops the first", async () => {
    await world.want({ web: A100 });
    const output = await up();
    expect(output).toContain("+-2 replaced");
    const alive = world.machines().filter(({ endedAt }) => endedAt === null);
    expect(alive.map(({ combination }) => combination)).toEqual([A100]);
  });

  it("shows the key nowhere", async () => {
    const { stdout, stderr } = await world.project.pulumi("preview", "--logtostderr", "-v=9");
    expect(stderr.length).toBeGreaterThan(10_000);
    printed.push(
      stdout,
      stderr,
      await world.project.succeed("stack", "export"),
      await world.project.succeed("stack", "output", "--json"),
    );
    expect(printed.join("\n")).not.toContain(CANARY);
    const kept = filesUnder(path.join(world.project.folder, ".state"));
    expect(kept.length).toBeGreaterThan(0);
    for (const file of [...kept, path.join(world.project.folder, "ledger.db")]) {
      expect(readFileSync(file, "latin1"), file).not.toContain(CANARY);
    }
  });

  it("is over after destroy", async () => {
    printed.push(await world.destroy());
    expect(world.alive()).toEqual([]);
    expect(await world.state()).toEqual([]);
    expect(await world.decided()).toEqual(expect.arrayContaining(["stop", "launch"]));
  });
});

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [path.join(entry.parentPath, entry.name)] : [],
  );
}
