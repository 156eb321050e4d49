import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { STANDARD } from "../../proof/explorer/cases.ts";
import { PLANTS } from "../../proof/explorer/plants.ts";

const ROOT = join(import.meta.dirname, "../..");
const TIMEOUT = 300_000;

/** In a process of its own: a planted bug must not stay, and the sources are to run as they stand. */
function explore(world: string, plant?: string): { readonly status: number | null; readonly said: string } {
  const hook = plant === undefined ? [] : ["--import", "./proof/explorer/plant-hook.ts"];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...hook, "proof/explorer/index.ts", "--case", world],
    {
      cwd: ROOT,
      encoding: "utf8",
      env: { ...process.env, ...(plant === undefined ? {} : { FLEETKEEPER_PLANT: plant }) },
    },
  );
  return { status, said: `${stdout}${stderr}` };
}

describe("all states of a small case, and no bad one", () => {
  for (const { name } of STANDARD) {
    it(name, { timeout: TIMEOUT }, () => {
      const { status, said } = explore(name);
      process.stdout.write(said);
      expect(said).not.toContain("BAD");
      expect(status, said).toBe(0);
    });
  }
});

describe("a planted bug leads to a bad state, by a shortest way in words", () => {
  for (const { name, world } of PLANTS) {
    it(name, { timeout: TIMEOUT }, () => {
      const { status, said } = explore(world, name);
      expect(status, said).toBe(1);
      expect(said).toMatch(/ BAD: .+\n +1 \S/);
    });
  }
});
