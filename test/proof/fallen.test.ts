import { expect, test } from "vitest";
import type { Trouble } from "../../proof/exhaustive/combinations.ts";
import { scenarioOf, setsOf, waysOn } from "../../proof/exhaustive/combinations.ts";
import { coverPoints, effectsOf, PATHS } from "../../proof/exhaustive/crash-points.ts";
import { playPlanned } from "../../proof/exhaustive/fallen.ts";

test("a set of faults is played as it is called, and the same fault falls twice", async () => {
  const [way] = await waysOn("nothing");
  if (!way) throw new Error("there is no way");
  const sets = [...setsOf(way, 2)];
  const names = sets.map((set) => set.map(({ name }) => name).join(" + "));
  expect(new Set(names).size).toBe(names.length);
  for (const wanted of [
    "launch 1 dropAfter + launch 2 dropAfter",
    "launch 1 refuse + launch 2 slow",
    "launch 1 slow + launch 2 refuse",
  ]) {
    const set = sets[names.indexOf(wanted)];
    if (!set) throw new Error(`${wanted} is not among the sets`);
    const { verdict, unreached, missed } = await playPlanned(scenarioOf(way, "nothing", set), set);
    expect({ wanted, broken: verdict.violations, unreached, missed }).toEqual({
      wanted,
      broken: [],
      unreached: [],
      missed: [],
    });
  }
  expect(sets.every((set) => new Set(set.map(({ place }) => place)).size === set.length)).toBe(true);
});

test("a place that is never come to is said, and so is one where nothing fell", async () => {
  const [way] = await waysOn("nothing");
  const [first] = way?.troubles ?? [];
  if (!way || first?.event.kind !== "fault") throw new Error("there is no fault");
  const never: Trouble = { ...first, name: "never", place: "never", event: { ...first.event, nth: 99 } };
  const set = [first, never];
  const far = await playPlanned(scenarioOf(way, "nothing", set), set);
  expect([far.unreached, far.missed]).toEqual([[never], []]);
  // Called so, and not played: the queue of faults did this to the second of two.
  const called = await playPlanned(scenarioOf(way, "nothing", []), [first]);
  expect([called.unreached, called.missed]).toEqual([[], [first]]);
});

test("a crash point counts only where the process was seen to die", async () => {
  const path = PATHS.find(({ name }) => name === "birth and first launch under a profile");
  if (!path) throw new Error("there is no such path");
  const effects = await effectsOf(path);
  const real = [0, 1, effects.length - 1].map((effect) => ({ effect, when: "before" }) as const);
  expect(await coverPoints(path, effects, real)).toMatchObject({ points: 3, died: 3, broken: [] });
  const madeUp = { effect: 1_000_000, when: "after" } as const;
  expect(await coverPoints(path, effects, [...real, madeUp])).toMatchObject({ points: 4, died: 3 });
});
