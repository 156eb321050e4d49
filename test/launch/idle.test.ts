import { expect, it } from "vitest";
import { askStop, dueStops, storeStop } from "../../launch/ends/stop.ts";
import { enterSlot } from "../../launch/people/slot.ts";
import { slotOwner } from "../../ledger/owner.ts";
import { LaunchBench } from "./bench.ts";

/** Everything that a day may have left behind: running, ended, absent, disputed, foreign, reported, cooling. */
function used(tenure: "exclusive" | "shared"): LaunchBench {
  const bench = new LaunchBench({ tenure });
  bench.decide((draft, context) => enterSlot(draft, "s1", "web", context));
  bench.machine("m1", { owner: slotOwner("s1") });
  bench.machine("m2");
  bench.machine("m3");
  bench.machine("m4");
  bench.show("m2", { status: "failed", failureCode: "UNKNOWN" });
  bench.shown.delete("m3");
  bench.poll(15_000);
  bench.look("m3");
  bench.poll(90_000);
  bench.decide((draft, context) => askStop(draft, "m4", "surplus", context));
  bench.decide((draft, context) =>
    storeStop(draft, "m4", { kind: "accepted", said: "the service answered 200" }, context),
  );
  bench.show("m4", { status: "terminated" });
  bench.poll(60_000);
  bench.lose(bench.launch());
  bench.untilAbsent();
  bench.show("m5");
  bench.poll(bench.settings.settle + 15_000);
  bench.lose(bench.launch());
  bench.show("m6");
  bench.show("m7", { status: "paused" });
  bench.poll(bench.settings.settle + 15_000);
  return bench;
}

it.each(["exclusive", "shared"] as const)(
  "writes nothing in idle but the time of the newest list: %s",
  (tenure) => {
    const bench = used(tenure);
    const before = bench.log.length;
    const lists = 200;
    for (let tick = 0; tick < lists; tick++) {
      bench.advance(bench.settings.poll);
      bench.list();
      for (const id of bench.shown.keys()) bench.look(id);
      bench.decide(dueStops);
    }
    const written = bench.log.slice(before);
    expect(written.filter(({ table }) => table !== "account")).toEqual([]);
    expect(written).toHaveLength(lists);
  },
);

it("control: it does write what changes", () => {
  const bench = used("exclusive");
  const before = bench.log.length;
  bench.show("m1", { status: "stopping" });
  bench.poll(bench.settings.poll);
  expect(bench.log.slice(before).map(({ table }) => table)).toContain("deployment");
});
