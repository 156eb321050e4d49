import { describe, expect, it } from "vitest";
import { askStop, dueStops, hurryStop, mayStop, storeStop } from "../../launch/ends/stop.ts";
import { occupancy } from "../../launch/facts/occupancy.ts";
import { adopt } from "../../launch/people/operator.ts";
import { enterSlot } from "../../launch/people/slot.ts";
import { slotOwner } from "../../ledger/owner.ts";
import type { Claim } from "../../ledger/rows.ts";
import type { StopAnswer } from "../../service/contract/service.ts";
import { deploymentAsFound } from "../support/as-found.ts";
import { FLEET, LaunchBench } from "./bench.ts";

const ask = (bench: LaunchBench, id: string): boolean =>
  bench.decide((draft, context) => askStop(draft, id, "surplus", context));
const due = (bench: LaunchBench): readonly string[] => bench.decide(dueStops).map(({ id }) => id);
const tell = (bench: LaunchBench, id: string, answer: StopAnswer): void =>
  bench.decide((draft, context) => storeStop(draft, id, answer, context));
const FAILED: StopAnswer = { kind: "failed", reason: "HTTP 500" };

it.each<[Claim | null, boolean]>([
  ["certain", true],
  ["inferred", false],
  ["disputed", false],
  ["foreign", false],
  [null, false],
])("may stop a claim that is %s: %s", (claim, may) => {
  const bench = new LaunchBench();
  bench.machine("m1");
  bench.decide((draft) => deploymentAsFound(draft, { ...bench.row("m1"), claim }));
  expect(mayStop(bench.row("m1"))).toBe(may);
  expect(ask(bench, "m1")).toBe(may);
  expect(due(bench)).toEqual(may ? ["m1"] : []);
});

it("stops an inferred one once an operator has adopted it", () => {
  const bench = new LaunchBench({ tenure: "shared" });
  bench.decide((draft, context) => enterSlot(draft, "s1", "web", context));
  bench.lose(bench.launch({ owner: slotOwner("s1") }));
  bench.show("m1");
  bench.advance(1_000);
  bench.list();
  expect(ask(bench, "m1")).toBe(false);
  bench.decide((draft, context) => adopt(draft, "m1", slotOwner("s1"), context));
  expect(ask(bench, "m1")).toBe(true);
});

it("is due at once, then after a poll interval that doubles up to 5 minutes, for ever", () => {
  const bench = new LaunchBench();
  bench.machine("m1");
  ask(bench, "m1");
  const waits: number[] = [];
  for (let attempt = 0; attempt < 8; attempt++) {
    expect(due(bench)).toEqual(["m1"]);
    tell(bench, "m1", FAILED);
    let waited = 0;
    while (due(bench).length === 0) {
      bench.advance(15_000);
      waited += 15;
    }
    waits.push(waited);
  }
  expect(waits).toEqual([15, 30, 60, 120, 240, 300, 300, 300]);
});

it("waits as long as the service asked for, up to 5 minutes, and no longer than that answer's wait", () => {
  const bench = new LaunchBench();
  bench.machine("m1");
  ask(bench, "m1");
  const dueAfter = (answer: StopAnswer): number => {
    tell(bench, "m1", answer);
    let waited = 0;
    for (; due(bench).length === 0; waited += 15) bench.advance(15_000);
    return waited;
  };
  expect([100, 86_400, 0].map((retryAfter) => dueAfter({ ...FAILED, retryAfter }))).toEqual([105, 300, 60]);
  expect(dueAfter(FAILED)).toBe(120);
});

it("is sent again at once after a reboot, whatever the clock says", () => {
  const bench = new LaunchBench();
  bench.machine("m1");
  ask(bench, "m1");
  tell(bench, "m1", FAILED);
  bench.reboot(-3_600_000);
  expect(due(bench)).toEqual(["m1"]);
});

it("is not sent again while the service shows that it is stopping, and is if it runs again", () => {
  const bench = new LaunchBench();
  bench.machine("m1");
  ask(bench, "m1");
  tell(bench, "m1", { kind: "accepted", said: "the service answered 200" });
  bench.show("m1", { status: "stopping" });
  bench.poll(600_000);
  expect(due(bench)).toEqual([]);
  bench.show("m1", { status: "running" });
  bench.poll(15_000);
  expect(due(bench)).toEqual(["m1"]);
});

describe("what is being stopped", () => {
  const counted = (bench: LaunchBench): readonly string[] =>
    bench.decide((draft, context) => occupancy(draft, FLEET, context)).machines.map(({ id }) => id);

  it("leaves the count after 15 minutes in stopping", () => {
    const bench = new LaunchBench();
    bench.machine("m1");
    ask(bench, "m1");
    tell(bench, "m1", { kind: "accepted", said: "the service answered 200" });
    bench.show("m1", { status: "stopping" });
    bench.poll(15_000);
    bench.advance(15 * 60_000);
    expect(counted(bench)).toEqual(["m1"]);
    bench.advance(1);
    expect(counted(bench)).toEqual([]);
  });

  it("stays in the count while it runs, however long its stop fails", () => {
    const bench = new LaunchBench();
    bench.machine("m1");
    ask(bench, "m1");
    tell(bench, "m1", FAILED);
    bench.poll(60 * 60_000);
    expect(counted(bench)).toEqual(["m1"]);
  });
});

it("is due at once where somebody waits for it, and as before after that", () => {
  const bench = new LaunchBench();
  bench.machine("m1");
  ask(bench, "m1");
  for (let attempt = 0; attempt < 6; attempt++) tell(bench, "m1", FAILED);
  bench.advance(60_000);
  expect(due(bench)).toEqual([]);
  bench.decide((draft) => hurryStop(draft, "m1"));
  expect(due(bench)).toEqual(["m1"]);
  tell(bench, "m1", FAILED);
  bench.advance(60_000);
  expect(due(bench)).toEqual([]);
});

it("cannot be hurried where it was not asked for, or is not ours any more", () => {
  const bench = new LaunchBench();
  bench.machine("m1");
  bench.decide((draft) => hurryStop(draft, "m1"));
  expect(bench.row("m1").stop).toBeNull();
  ask(bench, "m1");
  tell(bench, "m1", FAILED);
  bench.decide((draft) => deploymentAsFound(draft, { ...bench.row("m1"), claim: "inferred" }));
  bench.decide((draft) => hurryStop(draft, "m1"));
  expect(bench.row("m1").stop?.attempted).not.toBeNull();
});
