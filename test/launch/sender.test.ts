import { expect, it } from "vitest";
import { halt } from "../../launch/claim/claim.ts";
import { enterSlot, SLOT_RULES } from "../../launch/people/slot.ts";
import { LaunchBench } from "./bench.ts";

function admitted(bench: LaunchBench, more = {}): string {
  bench.list();
  const admission = bench.admit(more);
  if ("refused" in admission) throw new Error(admission.refused.text);
  return admission.intent.id;
}
const stamp = (bench: LaunchBench, id: string, more = {}): boolean => bench.stamp(id, more);

it("sends what it wrote just now, with the newest baseline", () => {
  const bench = new LaunchBench();
  const intent = admitted(bench);
  bench.show("theirs");
  bench.advance(5_000);
  bench.look("theirs");
  expect(stamp(bench, intent)).toBe(true);
  expect(bench.intent(intent)).toMatchObject({ state: "open", baseline: 1, stamped: bench.now });
});

it.each([
  ["paused for longer than 5 s", (bench: LaunchBench) => bench.advance(5_001)],
  [
    "asleep with the machine, whose monotonic clock stands still",
    (bench: LaunchBench) => bench.advance(0, 3_600_000),
  ],
  ["on the other side of a reboot", (bench: LaunchBench) => bench.reboot(1_000)],
])("gives up when it was %s", (_how, pause) => {
  const bench = new LaunchBench();
  const intent = admitted(bench);
  pause(bench);
  expect(stamp(bench, intent)).toBe(false);
  expect(bench.intent(intent)).toMatchObject({
    state: "notSent",
    detail: expect.stringContaining("too late"),
  });
});

it("gives up when launches were halted, or its deployment is being deleted, since it was written", () => {
  const bench = new LaunchBench();
  const halted = admitted(bench);
  bench.decide((draft, context) => halt(draft, bench.intent(halted), null, "wrong pointer", context));
  expect(stamp(bench, halted)).toBe(false);

  const other = new LaunchBench();
  const slot = other.decide((draft, context) => enterSlot(draft, "s1", "web", context));
  const deleted = admitted(other, { owner: "slot:s1" });
  other.decide((draft) => draft.putSlot({ ...slot, closing: true }));
  expect(stamp(other, deleted, { owner: "slot:s1", rules: SLOT_RULES })).toBe(false);
});

it("never sends what somebody resolved meanwhile", () => {
  const bench = new LaunchBench();
  const intent = bench.launch();
  bench.lose(intent);
  expect(stamp(bench, intent)).toBe(false);
  expect(bench.intent(intent).state).toBe("open");
  bench.untilAbsent();
  expect(stamp(bench, intent)).toBe(false);
  expect(bench.intent(intent).state).toBe("absent");
});

it("is believed while it lives and has no answer: nothing is inferred", () => {
  const bench = new LaunchBench();
  const intent = bench.launch();
  bench.show("m1");
  bench.poll(bench.settings.postTimeout - bench.settings.poll);
  expect(bench.row("m1").claim).toBeNull();
  expect(bench.intent(intent).state).toBe("open");
});

it("control: a dead one is believed no more", () => {
  const bench = new LaunchBench();
  const intent = bench.launch({}, 7);
  bench.dead.add(7);
  bench.show("m1");
  bench.poll(bench.settings.poll);
  expect(bench.row("m1")).toMatchObject({ claim: "certain", intent });
});

it("is not waited for beyond the POST's timeout", () => {
  const bench = new LaunchBench();
  const intent = bench.launch();
  bench.show("m1");
  bench.poll(bench.settings.postTimeout);
  expect(bench.row("m1").intent).toBe(intent);
});

it("needs a list that is not older than one poll interval", () => {
  const bench = new LaunchBench();
  expect(bench.why(bench.admit())).toBe("unlisted");
  bench.list();
  bench.advance(15_000);
  expect(bench.why(bench.admit())).toBe("admitted");
  const late = new LaunchBench();
  late.list();
  late.advance(15_001);
  expect(late.why(late.admit())).toBe("stale");
  late.list();
  late.advance(0, 3_600_000);
  expect(late.why(late.admit())).toBe("stale");
});

it("leaves alone what another launch that is under way may be answered with", () => {
  // Two places, told apart by fields that this machine does not show yet.
  const shownBack = ["offer=h100-8", "provider=north", "location=oslo", "provider=south", "location=rome"];
  const bench = new LaunchBench({ combination: true, shownBack });
  const lost = bench.launch({}, 1);
  const underWay = bench.send({ provider: "south", location: "rome" }, 2);
  bench.lose(lost);
  bench.show("m1");
  bench.advance(1_000);
  bench.list();
  expect(bench.row("m1").claim).toBeNull();
  expect(bench.accept(underWay, "m1").kind).toBe("claimed");
  expect(bench.halted).toBeUndefined();
});
