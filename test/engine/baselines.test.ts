import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { REPEATS } from "../support/repeats.ts";
import { record, releases, replay } from "./baselines.ts";
import { describeWithEngine } from "./engine.ts";
import { PYTHON } from "./languages.ts";
import { pluginWorld } from "./plugin-world.ts";
import { A100, H100, type World } from "./world.ts";

/** Run it so once before a release: it writes down what the release's states are. */
const RECORDING = process.env.RECORD_BASELINE === "1";
const VERSION = manifest.version;

/** What a release's program asks for: the least, and much of what can be said. A release keeps its answer, so nothing changes here. */
const WANTED = {
  web: { kind: "Deployment", args: H100 },
  full: {
    kind: "Deployment",
    args: {
      candidates: [{ ...A100, gpus: 1, pricePerHour: "1.50" }, H100],
      gpus: 1,
      pricePerHour: "2.49",
      budget: { floor: "1", perHour: "3.00" },
      labels: { team: "vision" },
      until: "2999-01-01T00:00:00Z",
      onDelete: "stop",
      beforeStop: { command: ["/bin/true"], address: "host", within: "1m" },
      ready: { command: ["/bin/true"], address: "host", within: "1m" },
      triggers: ["one"],
    },
  },
  training: {
    kind: "Fleet",
    args: {
      gpus: 2,
      candidates: [{ ...A100, gpus: 1, pricePerHour: "1.50" }],
      budget: { floor: "1", perGpuHour: "2.00", perHour: "10.00", total: "100", churn: "20" },
      labels: { team: "vision" },
      until: "2999-01-01T00:00:00Z",
      surge: 1,
      maxAge: "30d",
      triggers: ["one"],
      reconcile: "inline",
    },
  },
};

const shared = mkdtempSync(path.join(tmpdir(), "fleetkeeper-baselines-"));
const HOSTS: Readonly<Record<string, () => Promise<World>>> = {
  classes: () => moving(false),
  plugin: () => moving(true),
  python: () => PYTHON.prepare(shared)(),
};

async function moving(plugin: boolean): Promise<World> {
  const world = await pluginWorld("moving");
  await world.project.succeed("config", "set", "plugin", String(plugin));
  return world;
}

/** This version makes what a release made, finds the release's state in the place of its own, and has nothing to do. */
async function replaysAll(host: string): Promise<void> {
  const world = await HOSTS[host]!();
  try {
    await world.want(WANTED);
    await world.up();
    if (RECORDING) await record(world, VERSION, host);
    const before = world.machines().length;
    for (const release of releases) {
      expect(await replay(world, release, host)).toBeGreaterThan(8);
      await world.project.succeed("preview", "--expect-no-changes", "--diff");
    }
    expect(world.machines()).toHaveLength(before);
  } finally {
    await world.close();
  }
}

describe("states of each release", () => {
  it("are recorded for this version: RECORD_BASELINE=1 npm run vitest -- test/engine/baselines.test.ts", () => {
    if (!RECORDING) expect(releases).toContain(VERSION);
  });
});

describeWithEngine("a stack that a release made is previewed without a change", () => {
  afterAll(() => rmSync(shared, { recursive: true, force: true }));

  // older-state.test.ts has states of the classes, too.
  it("of the classes", REPEATS, () => replaysAll("classes"));
  it("of the plugin", () => replaysAll("plugin"));
  it.skipIf(PYTHON.missing !== undefined)("of a program in Python", REPEATS, () => replaysAll("python"));
});
