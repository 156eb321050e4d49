import { expect, it } from "vitest";
import { LaunchBench } from "./bench.ts";

it("exchanges explanations before it calls a machine one too many", () => {
  // "first" fits both launches, "second" only the open one: taking the first that fits would leave "second" over.
  const shownBack = ["offer=h100-8", "provider=north", "location=oslo"];
  const bench = new LaunchBench({ tenure: "shared", combination: true, shownBack });
  const oslo = bench.launch({}, 1);
  bench.lose(oslo);
  bench.untilAbsent();
  const rome = bench.launch({ provider: "south", location: "rome" }, 1);
  bench.lose(rome);
  bench.show("first", { offer: "h100-8", provider: "north", location: "oslo" });
  bench.show("second", { offer: "h100-8", provider: "south", location: "rome" });
  bench.advance(1_000);
  bench.list();
  expect(bench.row("second")).toMatchObject({ claim: "inferred", intent: rome });
  expect(bench.row("first")).toMatchObject({ claim: "inferred", intent: oslo });
});
