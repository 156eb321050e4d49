import { describe, expect, it } from "vitest";
import { LaunchBench } from "./bench.ts";

function absent(bench: LaunchBench): string {
  const intent = bench.launch();
  bench.lose(intent);
  bench.untilAbsent();
  expect(bench.intent(intent).state).toBe("absent");
  return intent;
}

it("is claimed on an exclusive account", () => {
  const bench = new LaunchBench();
  const intent = absent(bench);
  bench.show("m1");
  bench.poll(bench.settings.poll);
  expect(bench.row("m1")).toMatchObject({ claim: "certain", intent });
});

it("is claimed on a shared account if it carries our marker, and only that one", () => {
  const bench = new LaunchBench({ tenure: "shared", marker: true, shownBack: ["marker"] });
  const intent = absent(bench);
  bench.show("theirs");
  bench.show("m1", { marker: bench.intent(intent).marker });
  bench.poll(bench.settings.poll);
  expect(bench.row("m1")).toMatchObject({ claim: "certain", intent });
  expect(bench.row("theirs").claim).toBeNull();
});

it("explains one machine, and for 24 hours", () => {
  const bench = new LaunchBench();
  const intent = absent(bench);
  bench.advance(bench.settings.lateArrival);
  bench.show("m1");
  bench.list();
  expect(bench.row("m1").claim).toBeNull();
  expect(bench.intent(intent).state).toBe("absent");

  const other = new LaunchBench();
  absent(other);
  other.show("m1");
  other.poll(other.settings.poll);
  other.advance(other.settings.settle);
  other.show("m2");
  other.poll(other.settings.poll);
  expect(other.row("m1").claim).toBe("certain");
  expect(other.reported).toEqual(["m2"]);
});

it("is judged only while its group has nothing open, and new launches hold until it is", () => {
  const bench = new LaunchBench();
  const late = absent(bench);
  const open = bench.launch({}, 2);
  bench.show("m1");
  bench.advance(1_000);
  bench.list();
  expect(bench.row("m1").claim).toBeNull();
  bench.answer(open, { kind: "rejected", status: 422, code: "no_capacity" });
  expect(bench.why(bench.admit())).toBe("late");
  bench.list();
  expect(bench.row("m1")).toMatchObject({ claim: "certain", intent: late });
  expect(bench.why(bench.admit())).toBe("admitted");
});

it("is not judged while a launch of its group waits for its id to be shown: it may be that one's", () => {
  const bench = new LaunchBench({ unproven: true });
  const late = absent(bench);
  const open = bench.launch();
  bench.accept(open, "m1");
  bench.show("m2");
  bench.poll(bench.settings.poll);
  expect(bench.row("m2").claim).toBeNull();
  bench.show("m1");
  bench.poll(bench.settings.poll);
  expect(bench.row("m1").intent).toBe(open);
  expect(bench.row("m2").intent).toBe(late);
});

it("counts beside the open launch when both could have made what is there", () => {
  const bench = new LaunchBench({ tenure: "shared" });
  const late = absent(bench);
  const open = bench.launch();
  bench.lose(open);
  bench.show("m1");
  bench.show("m2");
  bench.advance(1_000);
  bench.list();
  expect(bench.intent(open)).toMatchObject({ state: "claimed", deployment: "m1" });
  expect(bench.intent(late)).toMatchObject({ state: "claimed", deployment: "m2" });
});

describe("on a shared account", () => {
  it("is reported once, touched by nobody, and holds nothing", () => {
    const bench = new LaunchBench({ tenure: "shared" });
    const intent = absent(bench);
    bench.show("m1");
    bench.poll(4 * bench.settings.poll);
    expect(bench.row("m1").claim).toBeNull();
    expect(bench.reported).toEqual(["m1"]);
    expect(bench.intent(intent)).toMatchObject({ state: "absent", reported: "m1" });
    expect(bench.events.filter((kind) => kind === "unclaimed")).toHaveLength(1);
    expect(bench.why(bench.admit())).toBe("admitted");
  });

  it("is reported beside one lost launch, not beside all of them", () => {
    const bench = new LaunchBench({ tenure: "shared" });
    const first = absent(bench);
    const second = absent(bench);
    bench.show("m1");
    bench.poll(bench.settings.poll);
    expect([bench.intent(first).reported, bench.intent(second).reported]).toEqual(["m1", undefined]);
    expect(bench.why(bench.admit())).toBe("admitted");
  });
});

it("is ours on an exclusive account, also when an exchange left it with fields that fit no launch", () => {
  const bench = new LaunchBench({
    combination: true,
    shownBack: ["offer=h100-8", "provider=north", "location=oslo"],
  });
  const oslo = absent(bench);
  const rome = bench.launch({ provider: "south", location: "rome" });
  bench.lose(rome);
  // The machine of the first launch, late, where the second one's is looked for: its fields were never shown back.
  bench.show("m1", { offer: "h100-8", provider: "north", location: "oslo" });
  bench.poll(bench.settings.poll);
  expect(bench.row("m1").intent).toBe(rome);
  bench.advance(bench.settings.settle);
  bench.show("m2", { offer: "h100-8", provider: "south", location: "rome" });
  bench.poll(bench.settings.poll);
  expect(bench.row("m2")).toMatchObject({ claim: "certain", intent: oslo });
});
