import { expect, test } from "vitest";
import type { FleetPlan } from "../../agent/planning/told/fleet-plan.ts";
import type { LogEntry } from "../../agent/tell/log/entry.ts";
import { waitTeller } from "../../agent/tell/log/news.ts";

const MINUTE = 60_000;

/** What is said when these reasons stand at this moment. */
function scene() {
  let at = 0;
  const said: LogEntry[] = [];
  const tell = waitTeller(
    (entry) => said.push(entry),
    () => at,
  );
  return (now: number, ...reasons: readonly string[]): readonly string[] => {
    at = now;
    tell([{ fleet: "web", reasons } as unknown as FleetPlan]);
    return said.splice(0).map(({ text }) => text);
  };
}

test("a wait is said when it begins, and not again because another one came or went", () => {
  const at = scene();
  expect(at(0, "a", "b")).toEqual(["a", "b"]);
  expect(at(5_000, "a")).toEqual([]);
  expect(at(5 * MINUTE, "a", "c")).toEqual(["c"]);
});

test("a countdown is no news", () => {
  const at = scene();
  expect(at(0, "k8 cools for 40 s more")).toHaveLength(1);
  expect(at(5 * MINUTE, "k8 cools for 10 s more")).toEqual([]);
});

test("what comes and goes is said once a minute, and what came back to stay is said in the end", () => {
  const at = scene();
  expect(at(0, "a")).toEqual(["a"]);
  expect(at(10_000, "b")).toEqual(["b"]);
  expect(at(20_000, "a")).toEqual([]);
  expect(at(MINUTE, "a")).toEqual(["a"]);
  expect(at(3 * MINUTE, "a")).toEqual([]);
});
