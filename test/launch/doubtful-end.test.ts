import { expect, it } from "vitest";
import { askStop } from "../../launch/ends/stop.ts";
import { knowledgeOf } from "../../launch/facts/context.ts";
import { LaunchBench } from "./bench.ts";

const halted = (bench: LaunchBench): string | undefined =>
  bench.decide((draft, context) => knowledgeOf(draft, context.wire.profileHash).halted?.reason);

function bothEnd(
  more: { readonly stopReason?: string } = {},
  before: (bench: LaunchBench) => void = () => {},
): LaunchBench {
  const bench = new LaunchBench({ terminal: ["active"] });
  for (const id of ["m1", "m2"]) bench.machine(id);
  before(bench);
  for (const id of ["m1", "m2"]) bench.show(id, { status: "active", ...more });
  bench.poll(bench.settings.poll);
  expect(bench.row("m2").end).toBe("stopped");
  return bench;
}

it("halts launches when machines end one after the other in a state that only the profile calls terminal", () => {
  expect(halted(bothEnd())).toContain("check deployments.states.terminal");
});

it("does not halt for one", () => {
  const bench = new LaunchBench({ terminal: ["active"] });
  bench.machine("m1");
  bench.show("m1", { status: "active" });
  bench.poll(bench.settings.poll);
  expect(bench.row("m1").end).toBe("stopped");
  expect(halted(bench)).toBeUndefined();
});

it("does not halt where the service gives a reason", () => {
  expect(halted(bothEnd({ stopReason: "user_requested" }))).toBeUndefined();
});

it("does not halt where we stopped them", () => {
  const stop = (bench: LaunchBench): void => {
    for (const id of ["m1", "m2"]) bench.decide((draft, context) => askStop(draft, id, "surplus", context));
  };
  expect(halted(bothEnd({}, stop))).toBeUndefined();
});
