import { mkdirSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { REPEATS } from "../support/repeats.ts";
import { describeWithEngine } from "./engine.ts";
import { PYTHON } from "./languages.ts";
import { pluginWorld } from "./plugin-world.ts";
import { A100, H100, type World } from "./world.ts";

const root = path.join(import.meta.dirname, "../..");
const PACK = path.join(root, "policy");

const good = { until: "2999-01-01T00:00:00Z", labels: { team: "vision" } };
const candidates = [{ ...A100, gpus: 1 }];
const fleet = (args: object) => ({
  kind: "Fleet",
  args: { gpus: 1, candidates, reconcile: "inline", ...args },
});
const WANTED = {
  web: { kind: "Deployment", args: { ...H100, ...good, budget: { perHour: "3.00" } } },
  "dear-web": { kind: "Deployment", args: { ...H100, ...good, budget: { perHour: "4.00" } } },
  training: fleet({ ...good, budget: { perGpuHour: "2.50" } }),
  endless: fleet({ labels: good.labels, budget: { perGpuHour: "2.50", floor: "0" } }),
  "no-price": fleet({ ...good, labels: { team: "sales" } }),
};

async function judges(world: World): Promise<void> {
  const asks = { price: { most: "3.00" }, label: { values: ["vision"] } };
  const config = world.write("policy.json", JSON.stringify(asks));
  await world.want(WANTED);
  const asked = ["--policy-pack", PACK, "--policy-pack-config", config];
  const { code, stdout, stderr } = await world.project.pulumi("preview", ...asked);
  const said = stdout + stderr;
  expect(code, said).not.toBe(0);
  const found = [...said.matchAll(/(?:Fleet|Deployment) [\w-]+: [\w.]+: expected .*/g)];
  expect([...new Set(found.map(([text]) => text.trim()))].sort(), said).toEqual([
    "Deployment dear-web: budget.perHour: expected 3.00 at most, got 4.00: lower it (policy price)",
    "Fleet endless: budget.floor: expected more than 0, got 0: a floor of 0 keeps nothing in the balance. Raise it, or take it out (policy floor)",
    "Fleet endless: until: expected an end, and nothing ends it: set until, or budget.total (policy end)",
    "Fleet no-price: budget: expected a price ceiling, and there is none: set select.maxPricePerGpuHour or budget.perGpuHour, to 3.00 at most (policy price)",
    "Fleet no-price: labels.team: expected one of vision, got sales: change it (policy label)",
  ]);
  expect(world.machines()).toEqual([]);
}

describeWithEngine(
  "the policy pack of this repository refuses what has no end, price or label, or a floor of 0",
  () => {
    const worlds: World[] = [];
    afterAll(() => Promise.all(worlds.map((world) => world.close())));
    const opened = (world: World): World => {
      worlds.push(world);
      return world;
    };

    it("of the plugin", async () => {
      const world = opened(await pluginWorld("moving"));
      await world.project.succeed("config", "set", "watch", "{}");
      await world.project.succeed("config", "set", "plugin", "true");
      await judges(world);
    });

    it("of the classes", REPEATS, async () => {
      const world = opened(await pluginWorld("moving"));
      await world.project.succeed("config", "set", "watch", "{}");
      await world.project.succeed("config", "set", "plugin", "false");
      await judges(world);
    });

    it.skipIf(PYTHON.missing !== undefined)("of a program in Python", REPEATS, async () => {
      const shared = path.join(root, ".fleetkeeper/test/policy-pack-python");
      mkdirSync(shared, { recursive: true });
      await judges(opened(await PYTHON.prepare(shared)()));
    });
  },
);
