import { describe, expect, it } from "vitest";
import { declareFleet } from "../../agent/fleet/declare/fleets.ts";
import { resumeFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import { parseWish } from "../../agent/fleet/wish/wish.ts";
import { askStop } from "../../launch/ends/stop.ts";
import { learn } from "../../launch/facts/context.ts";
import { disown, resume } from "../../launch/people/operator.ts";
import { enterSlot, SLOT_RULES } from "../../launch/people/slot.ts";
import { toLookUp } from "../../launch/resolve/missing.ts";
import { DAY_MS } from "../../ledger/instant.ts";
import { slotOwner } from "../../ledger/owner.ts";
import type { Owner } from "../../ledger/rows.ts";
import { FLEET, LaunchBench, OSLO } from "./bench.ts";

const STATES = ["interrupted", "failed", "off"];

/** A machine that ended and came back so often; where nothing else is said, as soon as that is believed. */
function returned(times: number, state = "off", owner: Owner = FLEET): LaunchBench {
  const bench = new LaunchBench({ terminal: ["off"] });
  bench.machine("m1", { owner });
  for (let time = 0; time < times; time++) {
    ends(bench, state);
    expect(bench.row("m1").end).not.toBeNull();
    bench.show("m1", { status: "running" });
    bench.poll(bench.settings.settle + bench.settings.poll);
    expect(bench.row("m1").end).toBeNull();
  }
  return bench;
}

/** Shown so for a settle time, by lists and by its id. */
function ends(bench: LaunchBench, state: string): void {
  bench.show("m1", { status: state });
  bench.poll(bench.settings.poll);
  if (bench.row("m1").end !== null) return;
  bench.poll(bench.settings.settle);
  bench.look("m1");
}

describe.each(STATES)("a machine that comes back from %s", (state) => {
  it("is believed to end at once the first time", () => {
    const bench = returned(0);
    bench.show("m1", { status: state });
    bench.poll(bench.settings.poll);
    expect(bench.row("m1").end).not.toBeNull();
  });

  it("counts again, and that is told", () => {
    const bench = returned(1, state);
    expect(bench.row("m1")).toMatchObject({ end: null, returned: { times: 1 } });
    expect(bench.told("distrust")).toEqual([
      expect.stringContaining("and is running again: it counts again"),
    ]);
    expect(bench.why(bench.admit())).toBe("admitted");
  });

  it("ends then only in lists that are a settle time apart, once a look at it agrees", () => {
    const bench = returned(1, state);
    bench.show("m1", { status: state });
    bench.poll(bench.settings.settle);
    expect(bench.row("m1").end).toBeNull();
    expect(toLookUp(bench.draft)).toEqual([]);
    bench.poll(bench.settings.poll);
    expect(bench.row("m1").end).toBeNull();
    expect(toLookUp(bench.draft)).toEqual(["m1"]);
    bench.look("m1");
    expect(bench.row("m1").end).not.toBeNull();
    expect(toLookUp(bench.draft)).toEqual([]);
  });

  it("does not end while every second list shows it running", () => {
    const bench = returned(1, state);
    for (let list = 0; list < 48; list++) {
      bench.show("m1", { status: list % 2 === 0 ? state : "running" });
      bench.poll(bench.settings.poll);
      bench.look("m1");
      expect(bench.row("m1").end).toBeNull();
    }
    expect(bench.told("running")).toHaveLength(1);
  });

  it("does not end where only lists say so", () => {
    const bench = returned(1, state);
    for (let list = 0; list < 24; list++) {
      bench.show("m1", { status: state });
      bench.poll(bench.settings.poll);
      bench.show("m1", { status: "running" });
      if (toLookUp(bench.draft).length > 0) bench.look("m1");
      expect(bench.row("m1").end).toBeNull();
    }
  });

  it("holds its owner the second time, until a person resumes, and again the next time", () => {
    const bench = returned(1, state);
    bench.decide((draft, context) =>
      declareFleet(draft, { name: "web", source: "file:a", wish: wish() }, context),
    );
    ends(bench, state);
    bench.show("m1", { status: "running" });
    bench.poll(bench.settings.poll);
    expect(bench.admit()).toMatchObject({
      refused: { kind: "returned", text: expect.stringContaining("fleetkeeper resume web") },
    });
    expect(bench.why(bench.admit({ owner: "fleet:other" }))).toBe("admitted");
    expect(bench.told("returned")).toEqual([
      expect.stringMatching(/^m1 was .* is running again, and not for the first time:/),
    ]);
    ends(bench, state);
    expect(bench.row("m1").end).not.toBeNull();
    expect(bench.why(bench.admit())).toBe("returned");
    bench.decide((draft, context) => resumeFleet(draft, "web", context));
    expect(bench.why(bench.admit())).not.toBe("returned");
    bench.show("m1", { status: "running" });
    bench.poll(bench.settings.poll);
    expect(bench.told("returned")).toHaveLength(2);
    expect(bench.why(bench.admit())).toBe("returned");
  });
});

it("what explained an end that was none explains no later state", () => {
  const bench = returned(0);
  bench.show("m1", { status: "interrupted", stopReason: "provider_interrupted", failureCode: "UNKNOWN" });
  bench.poll(bench.settings.poll);
  bench.shown.set("m1", { id: "m1", status: "running" });
  bench.poll(bench.settings.settle + bench.settings.poll);
  expect(bench.row("m1")).toMatchObject({ end: null, stopReason: null, failureCode: null });
  bench.show("m1", { status: "queued" });
  bench.poll(bench.settings.poll);
  bench.poll(bench.settings.settle + bench.settings.poll);
  bench.look("m1");
  expect(bench.row("m1")).toMatchObject({ status: "queued", end: null });
});

describe("another machine of the same owner", () => {
  function comesBack(bench: LaunchBench, ...ids: readonly string[]): void {
    for (const id of ids) bench.show(id, { status: "off" });
    bench.poll(bench.settings.poll);
    for (const id of ids) bench.show(id, { status: "running" });
    bench.poll(bench.settings.settle + bench.settings.poll);
  }

  it("that comes back at the same time is the same return", () => {
    const bench = new LaunchBench({ terminal: ["off"] });
    for (const id of ["m1", "m2", "m3"]) bench.machine(id);
    for (const id of ["m1", "m2"]) bench.show(id, { status: "off", stopReason: "provider_outage" });
    comesBack(bench, "m1", "m2");
    expect([bench.row("m1").returned?.times, bench.row("m2").returned?.times]).toEqual([1, 1]);
    expect(bench.why(bench.admit())).toBe("admitted");
  });

  it("that comes back later is a second one, for a day", () => {
    const bench = new LaunchBench({ terminal: ["off"] });
    for (const id of ["m1", "m2", "m3"]) bench.machine(id, id === "m3" ? { owner: "fleet:other" } : {});
    comesBack(bench, "m1");
    bench.poll(bench.settings.settle);
    comesBack(bench, "m3");
    expect(bench.told("returned")).toEqual([]);
    comesBack(bench, "m2");
    expect(bench.why(bench.admit())).toBe("returned");
    expect(bench.why(bench.admit({ owner: "fleet:other" }))).toBe("admitted");
  });

  it("that comes back two days later is not", () => {
    const bench = new LaunchBench({ terminal: ["off"] });
    for (const id of ["m1", "m2"]) bench.machine(id);
    comesBack(bench, "m1");
    bench.advance(2 * DAY_MS);
    bench.poll(bench.settings.poll);
    comesBack(bench, "m2");
    expect(bench.why(bench.admit())).toBe("admitted");
  });
});

it("holds nobody where an old list may explain it, and ends slowly all the same", () => {
  const bench = new LaunchBench({ terminal: [] });
  const ends = ["over"];
  bench.machine("m1");
  bench.decide((draft, { wire }) => learn(draft, wire.profileHash, { ends }));
  for (let list = 0; list < 24; list++) {
    bench.show("m1", { status: list % 2 === 0 ? "over" : "running" });
    bench.poll(bench.settings.poll);
    expect(bench.row("m1").end).toBe(list === 0 ? "stopped" : null);
  }
  expect(bench.row("m1").returned).toMatchObject({ times: 1, at: null });
  expect(bench.why(bench.admit())).toBe("admitted");
});

it("is believed gone more slowly after it came back", () => {
  const bench = returned(1);
  bench.shown.delete("m1");
  bench.poll(bench.settings.poll);
  bench.look("m1");
  bench.poll(bench.settings.settle - bench.settings.poll);
  expect(bench.row("m1").end).toBeNull();
  bench.poll(bench.settings.poll);
  expect(bench.row("m1").end).toBe("gone");
});

it("ends by its id's absence, too", () => {
  const bench = returned(1);
  bench.show("m1", { status: "off" });
  bench.poll(bench.settings.settle + bench.settings.poll);
  bench.shown.delete("m1");
  bench.look("m1");
  bench.show("m1", { status: "off" });
  bench.poll(bench.settings.poll);
  expect(bench.row("m1").end).toBe("stopped");
});

it("is waited for anew across a reboot, of which nobody knows how long it took", () => {
  const bench = returned(1);
  bench.show("m1", { status: "off" });
  bench.poll(bench.settings.poll);
  bench.reboot(10 * bench.settings.settle);
  bench.list();
  bench.look("m1");
  expect(bench.row("m1").end).toBeNull();
});

it("counts for nothing where we stop it: nothing is launched in its place", () => {
  const bench = returned(0);
  bench.decide((draft, context) => askStop(draft, "m1", "surplus", context));
  for (let time = 0; time < 4; time++) {
    ends(bench, "off");
    bench.show("m1", { status: "running" });
    bench.poll(bench.settings.poll);
  }
  expect(bench.row("m1").returned).toBeUndefined();
  expect(bench.why(bench.admit())).toBe("admitted");
});

it("holds no more once it was disowned", () => {
  const bench = returned(2);
  expect(bench.why(bench.admit())).toBe("returned");
  bench.decide((draft, context) => disown(draft, "m1", context));
  expect(bench.why(bench.admit())).toBe("admitted");
});

it("holds a Deployment until a resume without a name", () => {
  const owner = slotOwner("s1");
  const bench = returned(2, "off", owner);
  bench.decide((draft, context) => enterSlot(draft, "s1", "notebook", context));
  expect(bench.admit({ owner })).toMatchObject({
    refused: {
      kind: "returned",
      text: expect.stringContaining("Then: fleetkeeper resume (or fleetkeeper disown m1"),
    },
  });
  expect(bench.decide(resume)).toMatchObject({ halted: 0, returned: true });
  expect(bench.why(bench.admit({ owner, rules: SLOT_RULES }))).toBe("filled");
});

it("keeps a launch from leaving that was written before", () => {
  const bench = returned(1);
  ends(bench, "off");
  bench.list();
  const admission = bench.admit();
  bench.show("m1", { status: "running" });
  bench.advance(1);
  bench.list();
  if ("refused" in admission) throw new Error(admission.refused.text);
  expect(bench.intent(admission.intent.id).state).toBe("open");
  const { id } = admission.intent;
  expect(bench.stamp(id)).toBe(false);
  expect(bench.intent(admission.intent.id).detail).toContain("came back after it had ended");
});

function wish() {
  return parseWish({ gpus: 8, candidates: [{ ...OSLO, gpus: 8 }] });
}
