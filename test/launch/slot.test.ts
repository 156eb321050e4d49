import { expect, it } from "vitest";
import { holdText } from "../../launch/facts/hold.ts";
import { disown } from "../../launch/people/operator.ts";
import { enterSlot, SLOT_RULES, setDeadline, slotMachine } from "../../launch/people/slot.ts";
import { slotOwner } from "../../ledger/owner.ts";
import { LaunchBench } from "./bench.ts";

const owner = slotOwner("s1");
/** Why nothing more is launched into it. */
const full = (bench: LaunchBench): string | undefined => {
  const launch = { ...bench.wish({ owner, rules: SLOT_RULES }), id: "i1" };
  const [first] = SLOT_RULES.flatMap(({ ask }) => ask(bench.draft, launch, bench.context) ?? []);
  return first && holdText(first);
};
const filling = (bench: LaunchBench): string | undefined => slotMachine(bench.draft, "s1")?.id;

function bench(options = {}): LaunchBench {
  const made = new LaunchBench(options);
  made.decide((draft, context) => enterSlot(draft, "s1", "web", context));
  return made;
}
const close = (on: LaunchBench): void =>
  on.decide((draft, context) => {
    draft.putSlot({ ...enterSlot(draft, "s1", "web", context), closing: true });
  });

it("has room for one: a machine, or a launch whose outcome is not known", () => {
  const on = bench();
  expect(full(on)).toBeUndefined();
  const intent = on.launch({ owner });
  expect(full(on)).toContain("not resolved");
  on.accept(intent, "m1");
  expect(full(on)).toContain("m1");
  expect(filling(on)).toBe("m1");
});

it("is empty again when its machine has ended", () => {
  const on = bench();
  on.machine("m1", { owner });
  on.show("m1", { status: "interrupted" });
  on.poll(15_000);
  expect(filling(on)).toBeUndefined();
  expect(full(on)).toBeUndefined();
});

it("takes nothing more and stops everything when it is closing, late answers included", () => {
  const on = bench();
  on.machine("m1", { owner });
  const late = on.launch({ owner: slotOwner("other") });
  on.decide((draft) => draft.putIntent({ ...on.intent(late), owner }));
  close(on);
  expect(full(on)).toContain("the deletion of slot s1 has begun");
  on.poll(15_000);
  on.accept(late, "m2");
  on.show("m2");
  on.poll(15_000);
  expect([on.row("m1").stop?.why, on.row("m2").stop?.why]).toEqual([
    "its resource is deleted",
    "its resource is deleted",
  ]);
});

it("stops nothing that is only inferred, not even when it is closing", () => {
  const on = bench({ tenure: "shared" });
  on.lose(on.launch({ owner }));
  on.show("m1");
  on.poll(15_000);
  close(on);
  on.poll(15_000);
  expect(on.row("m1")).toMatchObject({ claim: "inferred", stop: null });
});

it("keeps the oldest of several and stops the others", () => {
  const on = bench();
  on.lose(on.launch({ owner }));
  for (const id of ["m1", "m2", "m3"]) on.show(id);
  on.poll(15_000);
  expect(filling(on)).toBe("m1");
  expect(on.rows.deployments.map(({ stop }) => stop !== null)).toEqual([false, true, true]);
});

it("is entered once: of its row only the name is that of whoever comes, who may have been renamed", () => {
  const on = bench();
  close(on);
  expect(on.decide((draft, context) => enterSlot(draft, "s1", "again", context))).toMatchObject({
    name: "again",
    closing: true,
  });
});

it("is emptied at its deadline, and nothing is launched into it any more", () => {
  const on = bench();
  on.accept(on.launch({ owner }), "m1");
  on.decide((draft, context) => setDeadline(draft, "s1", context.now.wall + 60_000, context));
  on.poll(15_000);
  expect(full(on)).toContain("m1");
  expect(on.row("m1")).toMatchObject({ stop: null });
  on.poll(60_000);
  expect(full(on)).toMatch(/the deadline .* has passed/);
  expect(on.row("m1").stop?.why).toMatch(/its deadline, .*, has passed/);
});

it("that is abandoned gives its machine away instead of stopping it", () => {
  const on = bench();
  on.accept(on.launch({ owner }), "m1");
  on.decide((draft, context) => {
    draft.putSlot({ ...enterSlot(draft, "s1", "web", context), closing: true, abandoned: true });
  });
  on.poll(15_000);
  expect(on.row("m1")).toMatchObject({ claim: "foreign", owner: null, stop: null });
});

it("reports what only seems to be its own, and has no place in it: such a machine is never stopped", () => {
  const on = bench({ tenure: "shared" });
  const late = on.launch({ owner });
  on.lose(late);
  on.untilAbsent();
  const again = on.launch({ owner });
  on.lose(again);
  on.show("m1");
  on.show("m2");
  on.poll(15_000);
  expect([on.row("m1").claim, on.row("m2").claim]).toEqual(["inferred", "inferred"]);
  expect(filling(on)).toBe("m1");
  expect(on.reported).toEqual(["m2"]);
  on.decide((draft, context) => setDeadline(draft, "s1", on.now.wall, context));
  on.poll(15_000);
  expect(on.reported).toEqual(["m1", "m2"]);
  expect([on.row("m1").stop, on.row("m2").stop]).toEqual([null, null]);
  on.show("m1", { status: "interrupted" });
  on.decide((draft, context) => disown(draft, "m2", context));
  on.poll(15_000);
  expect(on.reported).toEqual([]);
});
