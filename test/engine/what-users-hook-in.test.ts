import { chmodSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { REPEATS } from "../support/repeats.ts";
import { describeWithEngine } from "./engine.ts";
import { pluginWorld } from "./plugin-world.ts";
import { python } from "./python.ts";
import { A100, H100, type StateResource, type World } from "./world.ts";

const WEB = { kind: "Deployment", args: { ...H100, budget: { perHour: "3.00" } } };
/** Of the stack: each resource has it. */
const LABELS = { team: "vision" };
const TRAINING = {
  kind: "Fleet",
  args: { gpus: 1, candidates: [{ ...A100, gpus: 1 }], reconcile: "inline" },
};

/** What a hook or a transform saw: see the fixture. */
interface Seen {
  readonly hook?: string;
  readonly name?: string;
  /** As the service shows the machine at this moment. */
  readonly status?: string;
  readonly type?: string;
  readonly props?: unknown;
}

const DESTROY = ["destroy", "--yes", "--skip-preview", "--run-program"] as const;

function set(world: World, key: string, value: string): Promise<string> {
  return world.project.succeed("config", "set", key, value);
}

describeWithEngine("hooks, transforms and inputs of a Deployment and a Fleet", () => {
  let world: World;
  beforeAll(async () => {
    world = await pluginWorld("moving");
    await set(world, "plugin", "false");
    await set(world, "watch", "{}");
    await world.project.succeed("config", "set", "--path", "fleetkeeper:labels.team", "vision");
    await world.want({ web: { ...WEB, secret: true }, training: TRAINING });
  });
  afterAll(() => world.close());

  /** Since the last call. */
  const seen = (): readonly Seen[] => {
    const file = path.join(world.project.folder, "seen.jsonl");
    const lines = readFileSync(file, "utf8").trim().split("\n");
    rmSync(file);
    return lines.map((line) => JSON.parse(line));
  };
  const hooksSeen = (): readonly string[] =>
    seen()
      .filter(({ hook }) => hook)
      .map(({ hook, name, status = "" }) => `${hook} ${name} ${status}`.trim())
      .sort();
  const component = async (kind: string): Promise<StateResource | undefined> =>
    (await world.state()).find(({ type }) => type === `fleetkeeper:index:${kind}`);
  /** What is registered of the component is what the program gave: with a hash of triggers, secrets as secrets. */
  const registersItsInputs = async (): Promise<void> => {
    expect(await component("Deployment")).toMatchObject({
      inputs: { ...WEB.args, labels: LABELS, triggers: expect.anything() },
    });
    expect(await component("Fleet")).toMatchObject({ inputs: { ...TRAINING.args, labels: LABELS } });
    expect(JSON.stringify(await world.state())).not.toContain("canary-71");
  };
  const refusedToDestroy = async (): Promise<void> => {
    await set(world, "watch", JSON.stringify({ veto: "beforeDelete" }));
    const { code, stdout } = await world.project.pulumi(...DESTROY);
    expect(code).not.toBe(0);
    expect(stdout).toContain("not without a checkpoint");
    expect(hooksSeen()).toEqual(["beforeDelete training running", "beforeDelete web running"]);
    expect(world.alive()).toHaveLength(2);
  };

  it("transforms see the classes' arguments once, and hooks of create are called for what is launched", async () => {
    await world.up();
    const all = seen();
    const ofFleet = all.filter(({ type }) => type === "fleetkeeper:index:Fleet");
    expect(ofFleet.map(({ props }) => props)).toEqual([{ ...TRAINING.args, labels: LABELS }]);
    expect(all.flatMap(({ hook, name }) => (hook ? [`${hook} ${name}`] : [])).sort()).toEqual(
      ["afterCreate", "beforeCreate"].flatMap((hook) => [`${hook} training`, `${hook} web`]),
    );
    await registersItsInputs();
  });

  it(
    "beforeDelete of the classes is called while the machines run, and they run on if it fails",
    REPEATS,
    async () => {
      await world.up();
      seen();
      await refusedToDestroy();
    },
  );

  it("the plugin registers the same, so a move has no change", async () => {
    await set(world, "watch", "{}");
    await set(world, "plugin", "true");
    await world.up("--expect-no-changes");
    // The engine asks transforms of what the program registers, and of what the plugin registers for it.
    const ofFleet = seen().filter(({ type }) => type === "fleetkeeper:index:Fleet");
    expect(ofFleet.map(({ props }) => props)).toEqual([TRAINING.args, { ...TRAINING.args, labels: LABELS }]);
    await registersItsInputs();
  });

  it(
    "beforeDelete of the plugin is called while the machines run, and they run on if it fails",
    refusedToDestroy,
  );

  it("beforeUpdate that fails leaves the half that acts as it was", async () => {
    await set(world, "watch", JSON.stringify({ veto: "beforeUpdate" }));
    const changed = { ...TRAINING, args: { ...TRAINING.args, gpus: 2 } };
    await world.want({ web: { ...WEB, secret: true }, training: changed });
    expect(await world.failingUp()).toContain("not without a checkpoint");
    expect(hooksSeen()).toEqual(["beforeUpdate training running"]);
    expect(world.machines()).toHaveLength(2);
  });

  it("a destroy without the program is refused, and one with it calls afterDelete when the machines have ended", async () => {
    await set(world, "watch", "{}");
    await expect(world.destroy()).rejects.toThrow("--run-program");
    expect(world.alive()).toHaveLength(2);
    await world.project.succeed(...DESTROY);
    expect(hooksSeen()).toEqual([
      ...["afterDelete training", "afterDelete web"],
      ...["beforeDelete training running", "beforeDelete web running"],
    ]);
    expect(world.alive()).toEqual([]);
    expect(await world.state()).toEqual([]);
  });

  const policies =
    "a policy pack in TypeScript and one in Python refuse of %s what has no deadline or costs too much, and nothing else";
  const judges = async (host: "the classes" | "the plugin"): Promise<void> => {
    const until = "2999-01-01T00:00:00Z";
    const good = { until, budget: { perHour: "2.50" } };
    await world.want({
      web: { ...WEB, args: { ...WEB.args, ...good } },
      training: { ...TRAINING, args: { ...TRAINING.args, ...good } },
      endless: { ...WEB, args: { ...WEB.args, ...good, until: undefined } },
      dear: { ...TRAINING, args: { ...TRAINING.args, ...good, budget: { perHour: "3.50" } } },
    });
    const fixtures = path.join(import.meta.dirname, "fixtures");
    const packs = {
      node: `exec '${process.execPath}' index.ts`,
      python: `exec '${python}/bin/python' rules.py`,
    };
    const languages = python ? (["node", "python"] as const) : (["node"] as const);
    const { folder, env } = world.project;
    mkdirSync(path.join(folder, "packs"), { recursive: true });
    env.PATH = `${path.join(folder, "packs")}:${env.PATH}`;
    for (const language of languages)
      chmodSync(
        world.write(
          `packs/pulumi-analyzer-policy-fleetkeeper-${language}`,
          `#!/bin/sh\n${packs[language]}\n`,
        ),
        0o755,
      );
    const asked = languages.flatMap((each) => ["--policy-pack", path.join(fixtures, `policies-${each}`)]);
    await set(world, "watch", "{}");
    await set(world, "plugin", String(host === "the plugin"));
    const { stdout, stderr } = await world.project.pulumi("preview", ...asked);
    const found = [...(stdout + stderr).matchAll(/(?:node|python): \w+ lacks [\w ]+/g)].map(([text]) => text);
    expect([...new Set(found)].sort(), stdout + stderr).toEqual(
      languages.flatMap((each) => [`${each}: dear lacks a low price`, `${each}: endless lacks until`]),
    );
  };
  // policy-pack.test.ts has fleetkeeper's own pack read what the plugin registers.
  it.each(["the plugin", "the classes"] as const)(policies, REPEATS, judges);
});
