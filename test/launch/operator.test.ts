import { describe, expect, it } from "vitest";
import { adopt, disown } from "../../launch/people/operator.ts";
import { enterSlot, setDeadline, trimSlots } from "../../launch/people/slot.ts";
import { slotOwner } from "../../ledger/owner.ts";
import type { FleetRow, Owner } from "../../ledger/rows.ts";
import { FLEET, LaunchBench } from "./bench.ts";

const ROW: FleetRow = {
  name: "web",
  source: "file:fleet.yaml",
  wish: {},
  born: true,
  birth: null,
  removed: false,
  paused: false,
  pace: 1,
  reasons: [],
};

function withFleet(bench: LaunchBench, more: Partial<FleetRow> = {}): LaunchBench {
  // It lived before it was removed.
  bench.decide((draft) => draft.putFleet({ ...ROW, ...more, removed: false }));
  if (more.removed) bench.decide((draft) => draft.putFleet({ ...ROW, ...more }));
  return bench;
}
const take = (bench: LaunchBench, id: string, owner: Owner = FLEET): void =>
  bench.decide((draft, context) => adopt(draft, id, owner, context));
const leave = (bench: LaunchBench, id: string): void =>
  bench.decide((draft, context) => disown(draft, id, context));

function disputed(): { bench: LaunchBench; intent: string } {
  const bench = withFleet(new LaunchBench({ tenure: "shared" }));
  const intent = bench.launch();
  bench.lose(intent);
  for (const id of ["m1", "m2"]) bench.show(id);
  bench.advance(1_000);
  bench.list();
  expect(bench.intent(intent).state).toBe("disputed");
  return { bench, intent };
}

describe("adopt", () => {
  it("closes the dispute: that machine is ours, the others are reported until they are disowned", () => {
    const { bench, intent } = disputed();
    take(bench, "m2");
    expect(bench.row("m2")).toMatchObject({ claim: "certain", owner: FLEET });
    expect(bench.intent(intent)).toMatchObject({ state: "claimed", deployment: "m2" });
    expect(bench.reported).toEqual(["m1"]);
    leave(bench, "m1");
    expect(bench.reported).toEqual([]);
  });

  it("makes an inferred claim certain", () => {
    const bench = withFleet(new LaunchBench({ tenure: "shared" }));
    bench.lose(bench.launch());
    bench.show("m1");
    bench.advance(1_000);
    bench.list();
    take(bench, "m1");
    expect(bench.row("m1").claim).toBe("certain");
  });

  it("refuses a machine that nobody saw, and one of another owner", () => {
    const bench = withFleet(new LaunchBench());
    expect(() => take(bench, "nothing")).toThrow(/no list of this account/);
    bench.machine("m1");
    bench.decide((draft, context) => enterSlot(draft, "s1", "web", context));
    expect(() => take(bench, "m1", slotOwner("s1"))).toThrow(/belongs to fleet:web/);
  });

  it("refuses an owner that would lose sight of it, or stop it at once", () => {
    const bench = new LaunchBench();
    bench.show("m1");
    bench.list();
    expect(() => take(bench, "m1", "fleet:typo")).toThrow(/no such fleet/);
    expect(() => take(bench, "m1", slotOwner("typo"))).toThrow(/no such deployment/);
    withFleet(bench, { removed: true });
    expect(() => take(bench, "m1")).toThrow(/was removed/);
    const slot = bench.decide((draft, context) => enterSlot(draft, "s1", "web", context));
    bench.machine("m2", { owner: slotOwner("s1") });
    expect(() => take(bench, "m1", slotOwner("s1"))).toThrow(/has m2 already/);
    expect(() =>
      bench.decide((draft, context) => adopt(draft, "m1", slotOwner("s1"), context, "stop")),
    ).toThrow(/m2 is still in it\. Run this again once/);
    bench.decide((draft) => draft.putSlot({ ...slot, id: "s2", closing: true }));
    expect(() => take(bench, "m1", slotOwner("s2"))).toThrow(/being deleted/);
    expect(bench.row("m1").claim).toBeNull();
  });

  it("refuses a deployment that would stop it at once, since its deadline has passed", () => {
    const bench = new LaunchBench({ tenure: "shared" });
    bench.show("m1");
    bench.list();
    const deadline = (until: number | null): void =>
      bench.decide((draft, context) => {
        enterSlot(draft, "s1", "web", context);
        setDeadline(draft, "s1", until, context);
      });
    deadline(bench.now.wall);
    expect(() => take(bench, "m1", slotOwner("s1"))).toThrow(/its deadline has passed/);
    deadline(null);
    take(bench, "m1", slotOwner("s1"));
    bench.decide(trimSlots);
    expect(bench.row("m1")).toMatchObject({ claim: "certain", stop: null });
  });

  it("confirms for an owner that wants nothing any more what may be its own, so that it can be stopped", () => {
    const bench = withFleet(new LaunchBench({ tenure: "shared" }), { removed: true });
    bench.lose(bench.launch());
    bench.show("m1");
    bench.advance(1_000);
    bench.list();
    expect(bench.row("m1").claim).toBe("inferred");
    take(bench, "m1");
    expect(bench.row("m1").claim).toBe("certain");
  });
});

describe("disown", () => {
  it("is for good: the machine runs on, is not counted, stopped, reported or taken again", () => {
    const { bench, intent } = disputed();
    leave(bench, "m1");
    leave(bench, "m2");
    bench.poll(bench.settings.settle);
    expect(bench.row("m1")).toMatchObject({ claim: "foreign", owner: null, stop: null });
    expect(bench.reported).toEqual([]);
    // What seemed to come from the launch did not: its own machine may still come, and is looked for first.
    expect(bench.intent(intent).state).toBe("open");
    expect(bench.why(bench.admit())).not.toBe("admitted");
    bench.poll(bench.settings.postTimeout + bench.settings.poll);
    expect(bench.intent(intent).state).toBe("absent");
    expect(bench.why(bench.admit())).toBe("admitted");
  });

  it("is to be tried later while another launch is under way that a list could not tell from its own", () => {
    const bench = withFleet(new LaunchBench({ tenure: "shared" }));
    bench.lose(bench.launch());
    bench.show("m1");
    bench.advance(1_000);
    bench.list();
    expect(bench.row("m1").claim).toBe("inferred");
    const other = bench.launch();
    expect(() => leave(bench, "m1")).toThrow(expect.objectContaining({ code: "BUSY" }));
    expect(bench.row("m1").claim).toBe("inferred");
    bench.accept(other, "m2");
    leave(bench, "m1");
    expect(bench.row("m1").claim).toBe("foreign");
  });

  it("calls off a stop that was asked for", () => {
    const bench = new LaunchBench();
    bench.decide((draft, context) => enterSlot(draft, "s1", "web", context));
    bench.lose(bench.launch({ owner: slotOwner("s1") }));
    for (const id of ["m1", "m2"]) bench.show(id);
    bench.advance(1_000);
    bench.list();
    expect(bench.row("m2").stop).not.toBeNull();
    leave(bench, "m2");
    bench.poll(bench.settings.poll);
    expect(bench.row("m2").stop).toBeNull();
  });
});
