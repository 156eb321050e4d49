import { expect, it } from "vitest";
import type { Rule } from "../../launch/admit/rule.ts";
import { hold } from "../../launch/facts/hold.ts";
import { LaunchBench } from "./bench.ts";

const NO_ROOM: Rule = { from: "admit", to: "admit", ask: () => hold("unresolved", {}) };

it("closes a launch of which nothing left this machine: a repeat is a new one, with all checks", () => {
  const bench = new LaunchBench();
  const intent = bench.launch();
  const outcome = bench.answer(intent, { kind: "notSent", reason: "ECONNREFUSED" });
  expect(outcome).toEqual({ kind: "notSent", reason: "ECONNREFUSED" });
  expect(bench.intent(intent).state).toBe("notSent");
  const second = bench.send();
  expect(second).not.toBe(intent);
  bench.answer(second, { kind: "notSent", reason: "ECONNREFUSED" });
  expect(bench.why(bench.admit({ rules: [NO_ROOM] }))).toBe("unresolved");
});
