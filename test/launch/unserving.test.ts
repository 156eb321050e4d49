import { expect, it } from "vitest";
import { askUnserving, unservingOf, unservingText } from "../../launch/ends/unserving.ts";
import { knowledgeOf } from "../../launch/facts/context.ts";
import { holdText } from "../../launch/facts/hold.ts";
import { resume } from "../../launch/people/operator.ts";
import { enterSlot, slotMachine } from "../../launch/people/slot.ts";
import { slotOwner } from "../../ledger/owner.ts";
import { LaunchBench } from "./bench.ts";

const owner = slotOwner("s1");
const MINUTE = 60_000;

/** A slot with a machine that runs, where the profile says that `off` is billed and serves nothing. */
function bench(options = {}): LaunchBench {
  const on = new LaunchBench({ replace: ["off"], ...options });
  for (const slot of ["s1", "s2"]) on.decide((draft, context) => enterSlot(draft, slot, slot, context));
  on.machine("m1", { owner });
  on.list();
  return on;
}

function turnsOff(on: LaunchBench, id = "m1"): void {
  on.show(id, { status: "off" });
  on.poll(on.settings.settle + 2 * on.settings.poll);
}

/** The stop is sent, and the service shows the end. */
function ends(on: LaunchBench, id = "m1"): void {
  on.show(id, { status: "interrupted" });
  on.poll(on.settings.poll);
}

const halted = (on: LaunchBench): string => {
  const admission = on.admit({ owner: slotOwner("s3") });
  return "refused" in admission ? holdText(admission.refused) : "";
};

it("the machine of a slot is stopped, and its place is filled until it is gone", () => {
  const on = bench();
  turnsOff(on);
  expect(on.row("m1").stop?.why).toBe("it is off: billed, and it does not serve");
  expect(on.told("notServing").join()).toContain(
    "It is stopped, and the next pulumi up launches another one",
  );
  expect(slotMachine(on.draft, "s1")).toBeUndefined();
  expect(on.row("m1").end).toBeNull();
  on.poll(30 * MINUTE);
  expect(on.row("m1").end).toBeNull();
  ends(on);
  expect(on.row("m1").end).toBe("interrupted");
});

it("a state that is not named is what it was: it counts, and nobody stops it", () => {
  const on = bench({ replace: [] });
  turnsOff(on);
  expect(on.row("m1")).toMatchObject({ end: null, stop: null, status: "off" });
  expect(unservingOf(on.draft, on.context)).toEqual([]);
});

it("is no end, whatever was learned before and whatever was stopped", () => {
  const on = bench({ replace: [] });
  on.decide((draft) =>
    draft.putDeployment({ ...on.row("m1"), end: "stopped", ended: on.now, status: "off" }),
  );
  on.show("m1", { status: "off" });
  on.poll(on.settings.poll);
  expect(on.row("m1").end).toBe("stopped");
  on.wire = { ...on.wire, isUnserving: (status) => status === "off" };
  on.poll(on.settings.settle + on.settings.poll);
  expect(on.row("m1").end).toBeNull();
  expect(on.told("distrust").join()).toContain("m1 was stopped (off), and is off again");
});

it("an inferred machine is told, and not stopped", () => {
  const on = new LaunchBench({ replace: ["off"], tenure: "shared" });
  on.lose(on.launch());
  on.show("m1");
  on.poll(on.settings.poll);
  turnsOff(on);
  expect(on.row("m1")).toMatchObject({ claim: "inferred", stop: null });
  const [row] = unservingOf(on.draft, on.context);
  expect(row && unservingText(on.draft, row, on.context)).toBe(
    "m1 is off: it costs 16.00 USD an hour, and does not serve. It is not stopped: it may be somebody else's: fleetkeeper adopt or disown m1",
  );
});

it("the next waits for an hour, and then halts launches as the second in a row", () => {
  const on = bench();
  on.machine("m2", { owner: slotOwner("s2") });
  turnsOff(on);
  turnsOff(on, "m2");
  expect([on.row("m1").stop, on.row("m2").stop].map(Boolean)).toEqual([true, false]);
  expect(halted(on)).toBe("");
  on.poll(50 * MINUTE);
  expect(on.row("m2").stop).toBeNull();
  on.poll(15 * MINUTE);
  expect(on.row("m2").stop).not.toBeNull();
  const said =
    'm1 and m2 were stopped one after the other, because the profile says that a machine in the state "off" is billed and does not serve';
  expect(halted(on)).toContain(said);
  expect(on.told("halted").join()).toContain(said);
  expect(on.decide((draft, context) => resume(draft, context)).halted).toBe(1);
  expect(halted(on)).not.toContain(said);
});

it("what came in the place of the last one, and is off too, is the second in a row at once", () => {
  const on = bench();
  turnsOff(on);
  ends(on);
  on.machine("m2", { owner });
  turnsOff(on, "m2");
  expect(on.row("m2").stop).not.toBeNull();
  expect(halted(on)).toContain("m1 and m2 were stopped one after the other");
});

it("once another one has served in its place for ten minutes, the stop counts no more", () => {
  const on = bench();
  const known = () => knowledgeOf(on.draft, on.wire.profileHash).unserving;
  turnsOff(on);
  ends(on);
  on.machine("m2", { owner });
  on.poll(9 * MINUTE);
  expect(known()).toHaveLength(1);
  on.poll(2 * MINUTE);
  expect(known()).toEqual([]);
  turnsOff(on, "m2");
  expect(on.row("m2").stop).not.toBeNull();
  expect(halted(on)).toBe("");
});

it("a stop that somebody asked for is none of them", () => {
  const on = bench();
  on.decide((draft, context) => {
    draft.putSlot({ ...enterSlot(draft, "s1", "s1", context), closing: true });
  });
  on.list();
  turnsOff(on);
  on.decide((draft, context) => askUnserving(draft, on.row("m1"), context, "for good"));
  expect(on.row("m1").stop?.why).toBe("its resource is deleted");
  expect(knowledgeOf(on.draft, on.wire.profileHash).unserving).toBeUndefined();
});
