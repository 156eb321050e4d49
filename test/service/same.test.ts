import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import type { Json } from "../../service/contract/service.ts";
import { areSameItems, keepingSame } from "../../service/same/keeping-same.ts";
import { createMemory } from "../../service/same/memory.ts";
import { oneOf, seeded } from "./seeded.ts";

/* The law: the same object says the same. What is equal becomes the object of before, and a finding lasts as long as its grounds. */

type Random = () => number;

function value(random: Random, depth: number): Json {
  const kind = oneOf(random, depth === 0 ? ["plain"] : ["plain", "list", "fields", "fields"]);
  const some = (): Json[] => Array.from({ length: Math.floor(random() * 4) }, () => value(random, depth - 1));
  if (kind === "list") return some();
  if (kind === "fields") return Object.fromEntries(some().map((inner) => [oneOf(random, NAMES), inner]));
  return oneOf<Json>(random, [0, 1, "", "a", true, null]);
}

const NAMES = ["a", "b", "c", "__proto__x"];

/** Mostly the same, in other objects. */
function changed(random: Random, before: Json): Json {
  if (random() < 0.1) return value(random, 2);
  if (typeof before !== "object" || before === null) return before;
  if (Array.isArray(before)) return before.map((inner) => changed(random, inner));
  const fields = Object.entries(before).map(([name, inner]) => [name, changed(random, inner)] as const);
  return Object.fromEntries(random() < 0.1 ? fields.slice(1) : fields);
}

test("what equals what was there before becomes its object, part by part, and nothing else changes", () => {
  const random = seeded(30);
  let same = 0;
  const hold = (before: Json | undefined, kept: Json): void => {
    if (before === undefined || typeof kept !== "object" || kept === null) return;
    expect(kept === before).toBe(isDeepStrictEqual(kept, before));
    same += Number(kept === before);
    for (const [name, inner] of Object.entries(kept))
      hold((before as Record<string, Json> | null)?.[name], inner);
  };
  for (let round = 0; round < 2_000; round++) {
    const before = value(random, 3);
    const now = changed(random, before);
    const copy = structuredClone(now);
    const kept = keepingSame(before, now);
    expect(kept).toStrictEqual(copy);
    expect(now).toStrictEqual(copy);
    if (Array.isArray(before) === Array.isArray(kept) && typeof before === typeof kept) hold(before, kept);
  }
  expect(same).toBeGreaterThan(1_000);
});

test("items are the same if each is the very same, in its place", () => {
  const one = {};
  expect(areSameItems([one, 1], [one, 1])).toBe(true);
  expect(areSameItems([one, 1], [{}, 1])).toBe(false);
  expect(areSameItems([one, 1], [1, one])).toBe(false);
  expect(areSameItems([one], [one, one])).toBe(false);
});

test("what was found out of an object is known as long as all that it rests on is the very same", () => {
  const memory = createMemory<object, number | undefined>();
  const [key, ground] = [{}, {}];
  let found = 0;
  const find = (...grounds: readonly unknown[]): number | undefined =>
    memory.of(key, grounds, () => {
      found += 1;
      return found;
    });
  expect([find(ground, 1), find(ground, 1)]).toEqual([1, 1]);
  expect(memory.known(key, [ground, 1])).toBe(1);
  expect(memory.known({}, [ground, 1])).toBeUndefined();
  // An equal ground is another one: it is found out again, and the older finding is over.
  expect([find({}, 1), find(ground, 1), find(ground, 2), find(ground)]).toEqual([2, 3, 4, 5]);
  expect(memory.known(key, [ground, 2])).toBeUndefined();
  memory.keep(key, [ground], 7);
  expect(find(ground)).toBe(7);
  memory.forget(key);
  expect(memory.known(key, [ground])).toBeUndefined();
});

test("that nothing was found is a finding, too", () => {
  const memory = createMemory<object, undefined>();
  const key = {};
  let asked = 0;
  const find = (): undefined => {
    asked += 1;
  };
  memory.of(key, [], find);
  memory.of(key, [], find);
  expect(asked).toBe(1);
});
