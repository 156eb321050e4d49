import { expect, it } from "vitest";
import { LaunchBench } from "./bench.ts";

it("claims the id of an accepted launch in the same step, certainly", () => {
  const bench = new LaunchBench();
  const intent = bench.launch();
  expect(bench.accept(intent, "m1")).toEqual({ kind: "claimed", id: "m1" });
  expect(bench.row("m1")).toMatchObject({ claim: "certain", owner: "fleet:web", intent, lastSeen: null });
  expect(bench.intent(intent)).toMatchObject({ state: "claimed", deployment: "m1" });
});

it("makes a list that comes between launch and answer no reason to doubt the answer", () => {
  const bench = new LaunchBench();
  const intent = bench.launch();
  bench.show("m1");
  bench.advance(1_000);
  bench.list();
  expect(bench.row("m1").claim).toBeNull();
  expect(bench.accept(intent, "m1").kind).toBe("claimed");
});

it.each(["in the baseline", "claimed already"])(
  "halts all launches under the profile for an id that is %s",
  (how) => {
    const bench = new LaunchBench();
    if (how === "in the baseline") bench.show("m1");
    else bench.machine("m1");
    const intent = bench.launch();
    expect(bench.accept(intent, "m1").kind).toBe("open");
    expect(bench.halted).toContain("m1, which was there before it");
    expect(bench.intent(intent)).toMatchObject({ state: "open", answer: { id: null } });
    bench.lose(intent);
    bench.untilAbsent();
    expect(bench.why(bench.admit())).toBe("halted");
  },
);

it("leaves the claim of the machine that a wrong pointer named where it was", () => {
  const bench = new LaunchBench();
  const first = bench.machine("m1");
  bench.accept(bench.launch(), "m1");
  expect(bench.row("m1")).toMatchObject({ intent: first, claim: "certain" });
});
