import { describe, expect, it } from "vitest";
import { occupancy } from "../../launch/facts/occupancy.ts";
import { enterSlot } from "../../launch/people/slot.ts";
import { slotOwner } from "../../ledger/owner.ts";
import { FLEET, LaunchBench } from "./bench.ts";

function lost(bench: LaunchBench, more = {}): string {
  const intent = bench.launch(more);
  bench.lose(intent);
  return intent;
}
const count = (bench: LaunchBench): number => {
  const { machines, intents } = bench.decide((draft, context) => occupancy(draft, FLEET, context));
  return machines.length + intents.length;
};

describe("more machines than launches explain", () => {
  it("are all ours on an exclusive account: the surplus of a slot is stopped", () => {
    const bench = new LaunchBench();
    bench.decide((draft, context) => enterSlot(draft, "s1", "web", context));
    lost(bench, { owner: slotOwner("s1") });
    bench.show("m1");
    bench.show("m2");
    bench.advance(1_000);
    bench.list();
    expect(bench.row("m1")).toMatchObject({ claim: "certain", stop: null });
    expect(bench.row("m2")).toMatchObject({ claim: "certain", stop: { attempts: 0 } });
  });

  it("are all ours also when the second one comes within one settle time, and not later", () => {
    for (const [after, claim] of [
      [-15_000, "certain"],
      [0, null],
    ] as const) {
      const bench = new LaunchBench();
      lost(bench);
      bench.show("m1");
      bench.advance(1_000);
      bench.list();
      bench.advance(bench.settings.settle + after);
      bench.show("m2");
      bench.list();
      expect(bench.row("m2").claim).toBe(claim);
    }
  });

  it("are disputed on a shared account: they count as one, and none is touched", () => {
    const bench = new LaunchBench({ tenure: "shared" });
    const intent = lost(bench);
    bench.show("m1");
    bench.show("m2");
    bench.advance(1_000);
    bench.list();
    expect(bench.intent(intent)).toMatchObject({ state: "disputed", deployment: null });
    expect([bench.row("m1").claim, bench.row("m2").claim]).toEqual(["disputed", "disputed"]);
    expect(count(bench)).toBe(1);
    expect(bench.reported).toEqual(["m1", "m2"]);
    expect(bench.rows.deployments.map(({ stop }) => stop)).toEqual([null, null]);
  });

  it("count as nothing once all in dispute have ended", () => {
    const bench = new LaunchBench({ tenure: "shared" });
    lost(bench);
    bench.show("m1");
    bench.show("m2");
    bench.advance(1_000);
    bench.list();
    bench.show("m1", { status: "failed" });
    bench.poll(bench.settings.poll);
    expect(count(bench)).toBe(1);
    bench.show("m2", { status: "failed" });
    bench.poll(bench.settings.poll);
    expect(count(bench)).toBe(0);
  });

  it("are disputed later, too: within one settle time after an inferred claim, and not after that", () => {
    for (const [after, claim] of [
      [-15_000, "disputed"],
      [0, "inferred"],
    ] as const) {
      const bench = new LaunchBench({ tenure: "shared" });
      lost(bench);
      bench.show("m1");
      bench.advance(1_000);
      bench.list();
      expect(bench.row("m1").claim).toBe("inferred");
      bench.advance(bench.settings.settle + after);
      bench.show("m2");
      bench.list();
      expect(bench.row("m1").claim).toBe(claim);
      expect(bench.reported).toContain("m2");
    }
  });

  it("enter the baselines: the next launch is not confused with them", () => {
    const bench = new LaunchBench({ tenure: "shared" });
    lost(bench);
    bench.show("m1");
    bench.show("m2");
    bench.advance(1_000);
    bench.list();
    const next = lost(bench);
    bench.poll(bench.settings.poll);
    expect(bench.intent(next).state).toBe("open");
  });
});

it("does not take the machine of a launch that is under way for another one's surplus", () => {
  for (const tenure of ["exclusive", "shared"] as const) {
    const bench = new LaunchBench({ tenure });
    lost(bench);
    bench.show("m1");
    bench.advance(1_000);
    bench.list();
    const next = bench.launch({}, 2);
    bench.show("m2");
    bench.show("m3");
    bench.advance(1_000);
    bench.list();
    expect([bench.row("m1").claim, bench.row("m2").claim, bench.row("m3").claim]).not.toContain("disputed");
    expect(bench.accept(next, "m3").kind).toBe("claimed");
    expect(bench.halted).toBeUndefined();
  }
});

it("control: what was there before that launch is judged at once", () => {
  const bench = new LaunchBench({ tenure: "shared" });
  lost(bench);
  bench.show("m1");
  bench.advance(1_000);
  bench.list();
  bench.show("m2");
  bench.advance(1_000);
  bench.look("m2");
  bench.send({}, 2);
  bench.list();
  expect(bench.row("m2").claim).toBe("disputed");
});
