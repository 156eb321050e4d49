import { expect, it } from "vitest";
import { occupancy } from "../../launch/facts/occupancy.ts";
import { FLEET, LaunchBench } from "./bench.ts";

it("counts as a machine, and is never sent again, while nobody knows", () => {
  const bench = new LaunchBench();
  const intent = bench.launch();
  bench.lose(intent);
  expect(bench.decide((draft, context) => occupancy(draft, FLEET, context))).toMatchObject({
    machines: [],
    intents: [{ id: intent }],
  });
  expect(bench.why(bench.admit())).toBe("group");
});

it.each([
  ["exclusive", "certain"],
  ["shared", "inferred"],
] as const)("is found by the next list: on an account that is %s the claim is %s", (tenure, claim) => {
  const bench = new LaunchBench({ tenure });
  const intent = bench.launch();
  bench.lose(intent);
  bench.show("m1");
  bench.advance(1_000);
  bench.list();
  expect(bench.row("m1")).toMatchObject({ claim, owner: FLEET, intent });
  expect(bench.intent(intent)).toMatchObject({ state: "claimed", deployment: "m1" });
});

it("is not explained by what was there before", () => {
  const bench = new LaunchBench();
  bench.show("old");
  const intent = bench.launch();
  bench.lose(intent);
  bench.advance(1_000);
  bench.list();
  expect(bench.intent(intent).state).toBe("open");
  expect(bench.reported).toEqual(["old"]);
});

it("is found also when the machine has failed meanwhile", () => {
  const bench = new LaunchBench();
  const intent = bench.launch();
  bench.lose(intent);
  bench.show("m1", { status: "failed", failureCode: "UNKNOWN" });
  bench.advance(1_000);
  bench.list();
  expect(bench.row("m1")).toMatchObject({ intent, end: "failed" });
});

it("takes what the service does not show from the launch, but never what tells machines apart", () => {
  const bench = new LaunchBench();
  const intent = bench.launch({ gpus: 8, pricePerHour: "16.0000" });
  bench.lose(intent);
  bench.show("m1");
  bench.advance(1_000);
  bench.list();
  expect(bench.row("m1")).toMatchObject({ gpus: 8, pricePerHour: "16.0000", offer: null, marker: null });
});
