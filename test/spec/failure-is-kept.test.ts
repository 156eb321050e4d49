import { expect, test } from "vitest";
import { LaunchBench } from "../launch/bench.ts";

test("why a launch failed is kept, although a later answer shows it no more", () => {
  const bench = new LaunchBench();
  bench.machine("m1");
  const why = { failureCode: "X", failureReason: "no GPU came up", suggestedAction: "choose another offer" };
  bench.show("m1", { status: "failed", ...why });
  bench.poll(bench.settings.poll);
  bench.shown.set("m1", { id: "m1", status: "failed" });
  bench.poll(5 * 60_000);
  expect(bench.row("m1")).toMatchObject({ end: "failed", ...why });
});
