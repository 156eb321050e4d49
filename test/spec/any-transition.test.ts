import { expect, test } from "vitest";
import { LaunchBench } from "../launch/bench.ts";

const ACTIVE = ["initializing", "provisioning", "connecting", "running", "stopping"];
const pairs = ACTIVE.flatMap((from) => ACTIVE.map((to) => [from, to] as const));

test.each(pairs)("%s may be followed by %s: no order of the active states is assumed", (from, to) => {
  const bench = new LaunchBench();
  bench.machine("m1");
  for (const status of [from, to]) {
    bench.show("m1", { status });
    bench.poll(bench.settings.poll);
  }
  expect(bench.row("m1")).toMatchObject({ status: to, end: null, claim: "certain" });
});
