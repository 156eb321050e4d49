import { expect, it } from "vitest";
import { LaunchBench } from "./bench.ts";

it.each([
  { status: 400, code: "bad_offer" },
  { status: 401 },
  { status: 402, code: "no_credit", message: "balance is empty" },
  { status: 403 },
  { status: 404 },
  { status: 405 },
  { status: 413 },
  { status: 415 },
  { status: 422, code: "no_capacity" },
  { status: 409, code: "named_by_profile" },
])("closes the launch that the service refused with $status, and makes room", (answer) => {
  const bench = new LaunchBench();
  const intent = bench.launch();
  const outcome = bench.answer(intent, { kind: "rejected", ...answer });
  expect(outcome).toMatchObject({
    kind: "rejected",
    reason: expect.stringContaining(`HTTP ${answer.status}`),
  });
  expect(bench.intent(intent).state).toBe("rejected");
  expect(bench.why(bench.admit())).toBe("admitted");
});

it("of a cooldown is no candidate's explanation: what appears later is nobody's here", () => {
  const bench = new LaunchBench();
  bench.answer(bench.launch(), { kind: "rejected", status: 503, code: "offer_cooling_down", retryAfter: 1 });
  bench.show("m1");
  bench.advance(1_000);
  bench.list();
  expect(bench.reported).toEqual(["m1"]);
});

it("overrules what was inferred meanwhile: that machine was somebody else's", () => {
  const bench = new LaunchBench({ tenure: "shared" });
  const intent = bench.launch({}, 1);
  bench.dead.add(1);
  bench.show("m1");
  bench.advance(1_000);
  bench.list();
  expect(bench.row("m1").claim).toBe("inferred");
  bench.answer(intent, { kind: "rejected", status: 422, code: "no_capacity" });
  expect(bench.row("m1")).toMatchObject({ claim: null, owner: null, intent: null });
  expect(bench.reported).toEqual(["m1"]);
});

it.each([
  [400, true],
  [422, true],
  [402, false],
  [403, false],
])("names where the request is written if it was wrong: %i, %s", (status, named) => {
  const bench = new LaunchBench();
  const outcome = bench.answer(bench.launch(), { kind: "rejected", status, code: "c" });
  expect((outcome as { reason: string }).reason.includes("launch.body of the profile")).toBe(named);
});
