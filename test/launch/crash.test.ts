import { describe, expect, it } from "vitest";
import { claimedBy } from "../../launch/occupancy.ts";
import { carryOutStops, launch, takeList } from "../../launch/protocol.ts";
import { enterSlot, slotFull } from "../../launch/slot.ts";
import { slotOwner } from "../../ledger/owner.ts";
import type { Crash } from "../support/memory-ledger.ts";
import { LaunchBench } from "./bench.ts";
import type { FakeService } from "./fake-service.ts";
import { keeperOn, SIGNAL } from "./fake-service.ts";

const owner = slotOwner("s1");
/** Long enough for a launch to be called absent. */
const TICKS = 60;

/**
 * A process fills one slot, dies at the given commit, and another one goes on with the same ledger. The answer of the
 * first POST is lost, or not; it made a machine, or none.
 */
async function dieAt(
  commit: number,
  crash: Crash,
  first: "answered" | "lost" | "nothing",
): Promise<{ bench: LaunchBench; service: FakeService }> {
  let pid = 1;
  const { bench, service, keeper } = keeperOn();
  let process = keeper;
  bench.decide((draft, context) => enterSlot(draft, "s1", "web", context));
  const before = bench.ledger.commits;
  bench.ledger.crash = (number) => (number === before + commit ? crash : undefined);
  service.onLaunch = () => {
    service.onLaunch = () => service.make();
    const answer = first === "nothing" ? undefined : service.make();
    return first === "answered" && answer ? answer : { kind: "unknown", reason: "timeout" };
  };
  for (let tick = 0; tick < TICKS; tick++) {
    bench.advance(15_000);
    try {
      await takeList(process, SIGNAL);
      await carryOutStops(process, SIGNAL);
      await launch(process, bench.wish({ owner, full: (draft) => slotFull(draft, "s1", bench.context) }));
    } catch {
      bench.dead.add(pid);
      bench.ledger.restart();
      pid += 1;
      process = keeperOn(bench, service, pid).keeper;
    }
  }
  return { bench, service };
}

const COMMITS = Array.from({ length: 8 }, (_, index) => index + 1);
const CASES = COMMITS.flatMap((commit) =>
  (["before", "after"] as const).flatMap((crash) =>
    (["answered", "lost", "nothing"] as const).map((first) => [crash, commit, first] as const),
  ),
);

describe("a process that dies", () => {
  it.each(CASES)(
    "%s commit %d, with its first POST %s, leaves exactly one machine, and claimed",
    async (crash, commit, first) => {
      const { bench, service } = await dieAt(commit, crash, first);
      const living = [...service.shown.keys()];
      const claims = claimedBy(bench.draft, owner).filter(({ end }) => end === null);
      expect(living).toHaveLength(1);
      expect(claims.map(({ id }) => id)).toEqual(living);
      expect(service.stops).toEqual([]);
    },
  );

  it("control: one whose ledger is lost pays twice", async () => {
    const one = keeperOn();
    await takeList(one.keeper, SIGNAL);
    await launch(one.keeper, one.bench.wish({ owner }));
    const other = keeperOn(new LaunchBench(), one.service, 2);
    await takeList(other.keeper, SIGNAL);
    await launch(other.keeper, other.bench.wish({ owner }));
    expect(one.service.shown.size).toBe(2);
  });
});
