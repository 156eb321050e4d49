import { expect, it } from "vitest";
import { askStop, storeStop } from "../../launch/ends/stop.ts";
import { adopt, disown, haltsOf, resume } from "../../launch/people/operator.ts";
import { enterSlot } from "../../launch/people/slot.ts";
import { neverWas } from "../../launch/resolve/never-shown.ts";
import { slotOwner } from "../../ledger/owner.ts";
import { LaunchBench } from "./bench.ts";

/** A decision that would write a launch at another price than it was admitted for. */
function refused(on: LaunchBench, id: string): void {
  expect(() =>
    on.decide((draft) => draft.putIntent({ ...on.intent(id), pricePerHour: "1.0000" })),
  ).toThrowError(expect.objectContaining({ code: "UNSOUND" }));
}

it("a refused decision halts launches, also one that is written and not sent; nothing is stopped for it, and resume goes on", () => {
  const on = new LaunchBench();
  on.machine("m1");
  on.list();
  const waiting = on.admit({ offer: "h100-1", location: "rome" });
  if ("refused" in waiting) throw new Error(waiting.refused.text);
  refused(on, on.row("m1").intent ?? "");
  expect(on.stamp(waiting.intent.id)).toBe(false);
  expect(on.intent(waiting.intent.id).state).toBe("notSent");
  expect(on.why(on.admit())).toBe("unsound");
  expect(on.told("halted")).toEqual([expect.stringMatching(/against the rule price .* fleetkeeper resume$/)]);
  on.poll(60_000);
  expect(on.row("m1")).toMatchObject({ end: null, stop: null, claim: "certain" });
  on.show("m1", { status: "interrupted" });
  on.poll(60_000);
  expect(on.row("m1").end).toBe("interrupted");
  expect(on.why(on.admit())).toBe("unsound");
  expect(on.decide(resume)).toMatchObject({ unsound: true, halted: 0 });
  expect(haltsOf(on.rows.account)).toEqual([]);
  expect(on.why(on.admit())).toBe("admitted");
  expect(on.decide(resume)).toMatchObject({ unsound: false });
});

/** Where nothing tells launches apart. */
function bench(tenure: "shared" | "exclusive"): { readonly on: LaunchBench; readonly launch: string } {
  const on = new LaunchBench({ tenure });
  on.decide((draft, context) => enterSlot(draft, "s1", "notebook", context));
  return { on, launch: on.launch({ owner: SLOT }) };
}
const SLOT = slotOwner("s1");

it("a person's word breaks no rule: adopted while its answer is on its way", () => {
  const { on, launch } = bench("exclusive");
  on.show("m1");
  on.list();
  on.decide((draft, context) => adopt(draft, "m1", SLOT, context));
  expect(on.accept(launch, "m1")).toEqual({ kind: "claimed", id: "m1" });
});

it("a person's word breaks no rule: disowned, and adopted again by whom it seemed to be", () => {
  const { on, launch } = bench("shared");
  on.lose(launch);
  on.show("m1");
  on.poll(60_000);
  expect(on.row("m1").claim).toBe("inferred");
  on.decide((draft, context) => disown(draft, "m1", context));
  on.untilAbsent();
  on.decide((draft, context) => adopt(draft, "m1", SLOT, context));
  expect(on.row("m1")).toMatchObject({ claim: "certain", owner: SLOT });
});

it("what a stop call came to is written down, though its machine was never there by then", () => {
  const { on, launch } = bench("shared");
  on.accept(launch, "m1");
  on.decide((draft, context) => askStop(draft, "m1", "a test", context));
  on.decide((draft, context) => neverWas(draft, on.row("m1"), context));
  on.decide((draft, context) => storeStop(draft, "m1", { kind: "failed", reason: "404" }, context));
  expect(on.row("m1")).toMatchObject({ claim: null, end: "gone", stop: { attempts: 1 } });
});
