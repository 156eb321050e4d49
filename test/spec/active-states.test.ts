import { expect, test } from "vitest";
import { occupancy } from "../../launch/facts/occupancy.ts";
import { FLEET, LaunchBench } from "../launch/bench.ts";

// As the specification writes them, not as the code does: the constant may be wrong.
test.each(["initializing", "provisioning", "connecting", "running", "stopping"])(
  "%s is active: it counts, and is no end even beside a stop_reason",
  (status) => {
    const bench = new LaunchBench();
    bench.machine("m1");
    bench.show("m1", { status, stopReason: "user" });
    bench.poll(10 * 60_000);
    expect(bench.row("m1").end).toBeNull();
    const { machines } = bench.decide((draft, context) => occupancy(draft, FLEET, context));
    expect(machines.map(({ id }) => id)).toEqual(["m1"]);
  },
);
