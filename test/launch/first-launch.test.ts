import { expect, it } from "vitest";
import { haltsOf, resume } from "../../launch/people/operator.ts";
import { LaunchBench } from "./bench.ts";

function first(): { bench: LaunchBench; intent: string } {
  const bench = new LaunchBench({ unproven: true });
  const intent = bench.launch();
  expect(bench.accept(intent, "m1")).toMatchObject({ kind: "open" });
  return { bench, intent };
}

function untilHalted(bench: LaunchBench): void {
  bench.poll(bench.settings.settle + 2 * bench.settings.poll);
  expect(bench.halted).toContain("accepted a launch as m1");
}

it("holds the next one until its id is shown by a list", () => {
  const { bench, intent } = first();
  expect(bench.why(bench.admit())).toBe("group");
  bench.show("m1");
  bench.advance(1_000);
  bench.list();
  expect(bench.intent(intent)).toMatchObject({ state: "claimed", deployment: "m1" });
  expect(bench.row("m1").claim).toBe("certain");
  const second = bench.send();
  expect(bench.accept(second, "m2").kind).toBe("claimed");
});

it("is proven by a GET as well", () => {
  const { bench, intent } = first();
  bench.show("m1");
  bench.advance(1_000);
  bench.look("m1");
  expect(bench.intent(intent).state).toBe("claimed");
  expect(bench.rows.account.profiles["profile-1"]?.proven).toBe(true);
});

it("does not take another machine while it waits for its id", () => {
  const { bench, intent } = first();
  bench.show("other");
  bench.advance(1_000);
  bench.list();
  expect(bench.intent(intent).state).toBe("open");
  expect(bench.row("other").claim).toBeNull();
});

it("halts all launches under the profile if nothing shows the id for a settle time, and is unknown then", () => {
  const { bench, intent } = first();
  bench.show("real");
  untilHalted(bench);
  bench.poll(bench.settings.poll);
  expect(bench.intent(intent)).toMatchObject({ state: "claimed", deployment: "real" });
  expect(bench.why(bench.admit())).toBe("halted");
});

it("knows nothing yet under another profile, and is not halted there", () => {
  const { bench } = first();
  untilHalted(bench);
  bench.untilAbsent();
  bench.wire = { ...bench.wire, profileHash: "profile-2" };
  const intent = bench.launch();
  expect(bench.accept(intent, "m2").kind).toBe("open");
});

it("is told of the profile in use, of all where nobody says which that is, and resumed for all", () => {
  const { bench } = first();
  untilHalted(bench);
  const told = (profile: object): number => haltsOf({ ...bench.rows.account, ...profile }).length;
  expect([told({}), told({ profile: "profile-1" }), told({ profile: "profile-2" })]).toEqual([1, 1, 0]);
  bench.wire = { ...bench.wire, profileHash: "profile-2" };
  expect(bench.decide(resume).halted).toBe(1);
  expect(told({})).toBe(0);
});

it("goes on when an operator resumes, and halts not again for the same id", () => {
  const { bench } = first();
  untilHalted(bench);
  bench.untilAbsent();
  expect(bench.decide(resume).halted).toBe(1);
  bench.untilAbsent();
  expect(bench.why(bench.admit())).toBe("admitted");
  expect(bench.decide(resume).halted).toBe(0);
});

it.each(["while it is looked for", "when it is absent"])(
  "goes on by itself when the id shows %s, and claims it",
  (when) => {
    const { bench, intent } = first();
    untilHalted(bench);
    if (when === "when it is absent") bench.untilAbsent();
    bench.show("m1");
    bench.advance(1_000);
    bench.list();
    expect(bench.halted).toBeUndefined();
    expect(bench.row("m1")).toMatchObject({ claim: "certain", intent });
    expect(bench.why(bench.admit())).toBe("admitted");
  },
);

it("lets the shown id take the place of what was only inferred", () => {
  const bench = new LaunchBench({ unproven: true, tenure: "shared" });
  const intent = bench.launch();
  bench.accept(intent, "m1");
  bench.show("theirs");
  untilHalted(bench);
  bench.poll(bench.settings.poll);
  expect(bench.row("theirs").claim).toBe("inferred");
  bench.show("m1");
  bench.poll(bench.settings.poll);
  expect(bench.row("theirs").claim).toBeNull();
  expect(bench.row("m1")).toMatchObject({ claim: "certain", intent });
});
