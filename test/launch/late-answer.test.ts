import { describe, expect, it } from "vitest";
import { disown } from "../../launch/people/operator.ts";
import { enterSlot, SLOT_RULES } from "../../launch/people/slot.ts";
import { slotOwner } from "../../ledger/owner.ts";
import { FLEET, LaunchBench } from "./bench.ts";

it("claims the machine of a launch that was called absent", () => {
  const bench = new LaunchBench({ tenure: "shared" });
  const intent = bench.launch();
  bench.untilAbsent();
  expect(bench.intent(intent).state).toBe("absent");
  expect(bench.accept(intent, "m1").kind).toBe("claimed");
  expect(bench.row("m1")).toMatchObject({ claim: "certain", owner: FLEET, intent });
  expect(bench.intent(intent).state).toBe("claimed");
});

it("makes the machine surplus, to be stopped, if its slot was filled meanwhile", () => {
  const bench = new LaunchBench({ tenure: "shared" });
  bench.decide((draft, context) => enterSlot(draft, "s1", "web", context));
  const wish = {
    owner: slotOwner("s1"),
    rules: SLOT_RULES,
  };
  const late = bench.launch(wish);
  bench.untilAbsent();
  bench.machine("m2", wish);
  bench.accept(late, "m1");
  bench.show("m1");
  bench.advance(1_000);
  bench.list();
  expect(bench.row("m1").stop).toMatchObject({ why: expect.stringContaining("one too many") });
  expect(bench.row("m2").stop).toBeNull();
});

describe("of a launch that was judged by looking", () => {
  function inferred(bench = new LaunchBench({ tenure: "shared" })): { bench: LaunchBench; intent: string } {
    const intent = bench.launch();
    bench.advance(bench.settings.postTimeout);
    bench.show("m1");
    bench.list();
    expect(bench.row("m1").claim).toBe("inferred");
    return { bench, intent };
  }

  it("makes certain what was inferred", () => {
    const { bench, intent } = inferred();
    bench.accept(intent, "m1");
    expect(bench.row("m1")).toMatchObject({ claim: "certain", intent });
  });

  it("gives back what was inferred wrongly", () => {
    const { bench, intent } = inferred();
    bench.accept(intent, "m2");
    expect(bench.row("m1")).toMatchObject({ claim: null, owner: null });
    expect(bench.row("m2")).toMatchObject({ claim: "certain", intent });
    expect(bench.reported).toEqual(["m1"]);
  });

  it("closes a dispute", () => {
    const { bench, intent } = inferred();
    bench.show("m2");
    bench.poll(bench.settings.poll);
    expect(bench.intent(intent).state).toBe("disputed");
    bench.accept(intent, "m2");
    expect(bench.intent(intent)).toMatchObject({ state: "claimed", deployment: "m2" });
    expect(bench.row("m2").claim).toBe("certain");
    expect(bench.row("m1").claim).toBeNull();
  });

  it("takes nothing back that an operator disowned", () => {
    const { bench, intent } = inferred();
    bench.decide((draft, context) => disown(draft, "m1", context));
    bench.accept(intent, "m1");
    expect(bench.row("m1")).toMatchObject({ claim: "foreign", owner: null });
    expect(bench.halted).toBeUndefined();
  });
});

it("names a machine that another launch took by looking: no halt, and nobody loses a machine", () => {
  const bench = new LaunchBench({ tenure: "shared" });
  const first = bench.launch({}, 1);
  bench.untilAbsent();
  const second = bench.launch({}, 2);
  bench.lose(second);
  bench.show("m1");
  bench.advance(1_000);
  bench.list();
  expect(bench.row("m1")).toMatchObject({ claim: "inferred", intent: second });
  bench.accept(first, "m1");
  expect(bench.halted).toBeUndefined();
  expect(bench.row("m1")).toMatchObject({ claim: "certain", intent: second });
  // What the second one made is now explained by the first.
  expect(bench.intent(first).state).toBe("absent");
});
