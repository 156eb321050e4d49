import { expect, it } from "vitest";
import { LaunchBench } from "./bench.ts";

function fleet(size: number): LaunchBench {
  const bench = new LaunchBench();
  for (let index = 1; index <= size; index++) bench.machine(`m${index}`);
  return bench;
}

it("distrusts a list that lacks half of a fleet at once, and concludes nothing from it", () => {
  const bench = fleet(4);
  const before = bench.rows.account.list;
  for (const id of ["m1", "m2"]) bench.shown.delete(id);
  bench.advance(15_000);
  expect(bench.list()).toBe(false);
  expect(bench.row("m1").missing).toBeNull();
  expect(bench.rows.account.list).toEqual(before);
  expect(bench.events).toContain("distrust");
});

it("believes the second list that agrees, and not the same one again", () => {
  const bench = fleet(4);
  for (const id of ["m1", "m2"]) bench.shown.delete(id);
  bench.advance(15_000);
  bench.list();
  expect(bench.list()).toBe(false);
  bench.advance(1_000);
  expect(bench.list()).toBe(true);
  expect(bench.row("m1").missing).not.toBeNull();
  expect(bench.rows.account.doubt).toBeNull();
});

it("does not believe a second list that lacks others", () => {
  const bench = fleet(4);
  const all = [...bench.shown.values()];
  bench.advance(15_000);
  expect(bench.list(bench.now, all.slice(0, 2))).toBe(false);
  bench.advance(15_000);
  expect(bench.list(bench.now, all.slice(2))).toBe(false);
});

it("control: less than half, or one machine, is missing at once", () => {
  const bench = fleet(5);
  for (const id of ["m1", "m2"]) bench.shown.delete(id);
  bench.advance(15_000);
  expect(bench.list()).toBe(true);
  expect(bench.row("m1").missing).not.toBeNull();
  const one = fleet(1);
  one.shown.clear();
  one.advance(15_000);
  expect(one.list()).toBe(true);
});

it("looks at single deployments together", () => {
  const bench = new LaunchBench();
  bench.machine("m1", { owner: "slot:s1" });
  bench.machine("m2", { owner: "slot:s2" });
  bench.shown.clear();
  bench.advance(15_000);
  expect(bench.list()).toBe(false);
});

it("still sees what a distrusted list does show", () => {
  const bench = fleet(4);
  for (const id of ["m1", "m2"]) bench.shown.delete(id);
  bench.show("m3", { status: "interrupted" });
  bench.advance(15_000);
  expect(bench.list()).toBe(false);
  expect(bench.row("m3").end).toBe("interrupted");
});

it("ends its doubt after a reboot with the clock set back", () => {
  const bench = fleet(2);
  bench.shown.clear();
  bench.advance(15_000);
  bench.list();
  bench.reboot(-3_600_000);
  expect(bench.list()).toBe(true);
});
