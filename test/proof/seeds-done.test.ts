import { expect, test } from "vitest";
import { type Batch, nextFrom, standing } from "../../proof/seeds/seeds-done.ts";

const batch = (
  commit: string,
  kind: Batch["kind"],
  from: number,
  seeds: number,
  ...broken: string[]
): Batch => ({
  ...{ commit, kind, from, seeds },
  failed: broken.map((seed) => ({ seed, rule: "4.10 count" })),
});

test("no seed of a kind is played twice, by no version", () => {
  expect(nextFrom([], "worlds", 5000)).toBe(5000);
  const done = [
    batch("a", "worlds", 5000, 200),
    batch("a", "several", 9000, 10),
    batch("b", "worlds", 5200, 200),
  ];
  expect(nextFrom(done, "worlds", 1)).toBe(5400);
  expect(nextFrom(done, "several", 1)).toBe(9010);
});

test("what is said of a commit is what was played of it, and the seeds since the last broken one are those of all", () => {
  const held = [batch("a", "worlds", 0, 1200), batch("b", "several", 0, 60)];
  expect(standing(held, "a")).toBe(
    "a: 1,200 worlds and 0 with several services, none broke. Of all versions here: 1,260 in all, and none ever broke.",
  );
  const broken = [...held, batch("b", "worlds", 1200, 200, "1201", "1300"), batch("c", "worlds", 1400, 100)];
  expect(standing(broken, "b")).toBe(
    "b: 200 worlds and 60 with several services, 2 broke: 1201 (4.10 count), 1300 (4.10 count). Of all versions here: 100 since the last one that broke.",
  );
});
