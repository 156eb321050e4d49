import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { REPEATS } from "../support/repeats.ts";
import { describeWithEngine } from "./engine.ts";
import { A100, H100, World } from "./world.ts";

const KILLER = path.join(import.meta.dirname, "../proof/kill-at.ts");

/** Some of the moments of test/proof/killed-host.test.ts, with the engine itself: one in npm test, where a second machine would be paid for. */
describeWithEngine("a host that is killed", () => {
  let world: World;
  beforeAll(async () => {
    world = await World.create("deployment");
    world.project.env.NODE_OPTIONS = `--import=${pathToFileURL(KILLER)}`;
  });
  afterAll(() => world.close());

  /** Runs a command in which the host of dynamic providers, alone of all its processes, comes to that moment. */
  const killedAt = async (moment: string, command: "up" | "destroy"): Promise<void> => {
    world.project.env.KILL_AT = moment;
    const { code, stdout, stderr } = await world.project.pulumi(command, "--yes", "--skip-preview");
    delete world.project.env.KILL_AT;
    expect(code).not.toBe(0);
    expect(stdout + stderr).toContain("error reading from server");
  };
  const launched = (): number => world.machines().length;
  /** Makes what a test begins with. An earlier one may have left it: then an `up` would change nothing. */
  const begin = async (wish: typeof H100): Promise<void> => {
    await world.want({ one: wish });
    const last = world.machines().at(-1);
    if (last?.endedAt !== null || last.combination.offer !== wish.offer) await world.up();
  };

  const inReplacement = "%s of a replacement: the next up ends with one machine, and has launched no other";
  const replaced = async (moment: string, wish: typeof H100): Promise<void> => {
    await begin(wish === A100 ? H100 : A100);
    const before = launched();
    await world.want({ one: wish });
    await killedAt(moment, "up");
    await world.up();
    expect(launched()).toBe(before + 1);
    expect(world.alive()).toEqual([world.machines().at(-1)?.id]);
    expect(await world.outputs()).toMatchObject({ one: { deploymentId: world.alive()[0] } });
  };
  it.each([["after request 1", H100]] as const)(inReplacement, replaced);
  it.each([
    ["after commit 4", A100],
    ["at answer 2", H100],
  ] as const)(inReplacement, REPEATS, replaced);

  const inDestroy = "%s of a destroy: the next destroy leaves nothing";
  const destroyed = async (moment: string): Promise<void> => {
    await begin(A100);
    const before = launched();
    await killedAt(moment, "destroy");
    await world.destroy();
    expect(launched()).toBe(before);
    expect(world.alive()).toEqual([]);
    expect(await world.state()).toEqual([]);
  };
  it.each(["before request 1", "after commit 2", "at answer 1"])(inDestroy, REPEATS, destroyed);
});
