import { expect, it } from "vitest";
import { storeAlarms } from "../../agent/tell/notify/alarms.ts";
import { livingOf } from "../../launch/facts/occupancy.ts";
import { billsOf } from "../../launch/money/spend.ts";
import { disown } from "../../launch/people/operator.ts";
import { unshown } from "../../launch/resolve/doubted.ts";
import { FLEET, LaunchBench } from "./bench.ts";

const MINUTE = 60_000;

/** What `launch.mayVanish: 30m` of a profile 2 makes of it. */
const half = () => new LaunchBench({ mayVanish: 30 * MINUTE });

/** An accepted id that nothing shows, beside a machine that is there. */
function accepted(bench = new LaunchBench()): string {
  bench.machine("m1", { owner: "fleet:other" });
  const intent = bench.launch();
  bench.accept(intent, "dep_x");
  return intent;
}

it("is told after ten minutes, once, with what a person can do", () => {
  const bench = new LaunchBench();
  accepted(bench);
  bench.rounds(9 * MINUTE);
  bench.decide(storeAlarms);
  expect(bench.told("unshown")).toEqual([]);
  bench.rounds(MINUTE);
  for (let tick = 0; tick < 3; tick++) bench.decide(storeAlarms);
  expect(bench.told("unshown")).toEqual([
    expect.stringMatching(/accepted a launch as dep_x, and never showed that id.*fleetkeeper disown dep_x/),
  ]);
  expect(bench.decide(unshown).map(({ deployment }) => deployment)).toEqual(["dep_x"]);
});

it("says nothing of the profile to who reads the ledger alone, as status does", () => {
  const bench = new LaunchBench();
  accepted(bench);
  bench.rounds(11 * MINUTE);
  const wire = {
    profileHash: "",
    abilities: { marker: false, combination: false, get: false },
    isTerminal: () => false,
  };
  const [told] = bench.decide((draft, context) => unshown(draft, { ...context, wire }));
  expect(told?.text).toContain(
    "What is not found for an hour, or for the profile's launch.mayVanish, counts as absent, and is launched anew.",
  );
});

it("is asked for by its id at the beginning and at the end of the hour, and is absent then", () => {
  const bench = new LaunchBench();
  const intent = accepted(bench);
  bench.rounds(61 * MINUTE);
  expect(livingOf(bench.draft, FLEET).map(({ id }) => id)).toEqual(["dep_x"]);
  bench.rounds(2 * MINUTE);
  expect(bench.intent(intent)).toMatchObject({ state: "absent", answer: { unshown: "dep_x" } });
  expect(livingOf(bench.draft, FLEET)).toEqual([]);
  expect(billsOf(bench.draft, FLEET, bench.context)).toEqual([]);
  expect(bench.reported).toEqual([]);
});

it("is absent once, though two processes ask for it the last time", () => {
  const bench = new LaunchBench();
  accepted(bench);
  bench.rounds(63 * MINUTE);
  expect(bench.told("absent")).toHaveLength(1);
  bench.look("dep_x");
  expect(bench.row("dep_x")).toMatchObject({ end: "gone", claim: null });
  expect(bench.told("absent")).toHaveLength(1);
});

it("is not absent while its id cannot be asked for, or is found again at the end", () => {
  const bench = new LaunchBench();
  accepted(bench);
  bench.poll(120 * MINUTE);
  expect(bench.row("dep_x").end).toBeNull();
  bench.rounds(59 * MINUTE);
  bench.show("dep_x");
  bench.look("dep_x");
  bench.shown.delete("dep_x");
  bench.rounds(MINUTE);
  expect(bench.row("dep_x")).toMatchObject({ end: null, claim: "certain" });
});

it("is absent by lists alone where the profile maps no GET", () => {
  const bench = new LaunchBench({ get: false });
  const intent = accepted(bench);
  bench.poll(20 * MINUTE);
  expect(bench.decide(unshown)[0]?.text).toContain("lists alone say so");
  bench.poll(43 * MINUTE);
  expect(bench.intent(intent).state).toBe("absent");
});

it.each(["exclusive", "shared"] as const)("is ours if it shows up after all: %s", (tenure) => {
  const bench = new LaunchBench({ tenure });
  const intent = accepted(bench);
  bench.rounds(30 * 60 * MINUTE);
  bench.show("dep_x");
  bench.list();
  expect(bench.row("dep_x")).toMatchObject({ claim: "certain", owner: FLEET, intent, end: null });
  expect(bench.intent(intent).state).toBe("claimed");
  expect(bench.told("distrust")).toEqual([]);
});

it("is nobody's at a person's word", () => {
  const bench = new LaunchBench();
  accepted(bench);
  bench.rounds(15 * MINUTE);
  bench.decide((draft, context) => disown(draft, "dep_x", context));
  expect(livingOf(bench.draft, FLEET)).toEqual([]);
  expect(bench.decide(unshown)).toEqual([]);
});

it("is launched anew once, and a second one that is not shown waits for a person", () => {
  const bench = new LaunchBench();
  const intent = bench.launch();
  bench.accept(intent, "dep_x");
  bench.rounds(65 * MINUTE);
  expect(bench.intent(intent).state).toBe("absent");
  const second = bench.launch();
  bench.accept(second, "dep_y");
  bench.rounds(300 * MINUTE);
  expect(bench.intent(second).state).toBe("claimed");
  expect(bench.told("halted")).toEqual([expect.stringContaining("dep_y")]);
});

it("is absent after the time that the profile says, told after ten minutes all the same, and ours if it is late", () => {
  const bench = half();
  const intent = accepted(bench);
  bench.rounds(11 * MINUTE);
  bench.decide(storeAlarms);
  expect(bench.told("unshown")).toEqual([
    expect.stringContaining("What is not found for 30m counts as absent"),
  ]);
  bench.rounds(20 * MINUTE);
  expect(bench.intent(intent).state).toBe("claimed");
  bench.rounds(2 * MINUTE);
  expect(bench.intent(intent).state).toBe("absent");
  expect(livingOf(bench.draft, FLEET)).toEqual([]);
  expect(bench.told("absent")).toEqual([
    expect.stringContaining("for 30m neither a list nor its id showed it"),
  ]);
  bench.rounds(60 * MINUTE);
  bench.show("dep_x");
  bench.list();
  expect(bench.row("dep_x")).toMatchObject({ claim: "certain", owner: FLEET, intent, end: null });
  expect(bench.intent(intent).state).toBe("claimed");
});

it("is not absent where its id is answered in words that nothing proves: people are told what was answered", () => {
  const bench = half();
  accepted(bench);
  bench.rounds(300 * MINUTE, (id) => bench.lookInVain(id));
  expect(bench.row("dep_x").end).toBeNull();
  expect(bench.decide(unshown)[0]?.text).toMatch(/never showed that id.*Asked for by its id: answered 400/);
});
