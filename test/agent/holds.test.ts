import { expect, onTestFinished, test } from "vitest";
import { wishSchema } from "../../agent/fleet/wish/wish.ts";
import { FLEET_RULES } from "../../agent/planning/holds/fleet-holds.ts";
import { launchWish } from "../../agent/reconcile/launch-fleet.ts";
import { planHolds } from "../../launch/admit/holds.ts";
import type { Rule } from "../../launch/admit/rule.ts";
import { hold } from "../../launch/facts/hold.ts";
import { SLOT_RULES } from "../../launch/people/slot.ts";
import { parseUsd } from "../../service/contract/money.ts";
import { LaunchBench } from "../launch/bench.ts";
import { EIGHT, fleetBench, OSLO, planOn } from "./on-bench.ts";

/** One more rule, for the time of a test: it holds while it is on. */
function addTo(rules: readonly Rule[], at: Pick<Rule, "from" | "to">): { on: boolean } {
  const state = { on: true };
  const ask = () => (state.on ? hold("ending", {}) : undefined);
  const all = rules as Rule[];
  const rule: Rule = { ...at, ask };
  all.push(rule);
  onTestFinished(() => void all.splice(all.indexOf(rule), 1));
  return state;
}

const wish = wishSchema.parse({ gpus: 8, candidates: [EIGHT] });
const OPTION = { ...OSLO, gpus: 8, pricePerHour: parseUsd("16") };
const kinds = (holds: readonly { readonly kind: string }[]) => holds.map(({ kind }) => kind);

test.each([
  ["plan", "send"],
  ["plan", "admit"],
  ["admit", "send"],
  ["admit", "admit"],
] as const)("a rule of fleets from %s to %s is asked by each of them that it names", (from, to) => {
  const on = fleetBench({ gpus: 8, candidates: [EIGHT] });
  const rule = addTo(FLEET_RULES, { from, to });
  const planned = planOn(on);
  expect(kinds(planned.holds)).toEqual(from === "plan" ? ["ending"] : []);
  expect(planned.launches).toHaveLength(from === "plan" ? 0 : 1);
  on.list();
  const launch = launchWish("web", wish, OPTION);
  const refused = on.admit(launch);
  expect("holds" in refused && kinds(refused.holds)).toEqual(["ending"]);
  rule.on = false;
  const admitted = on.admit(launch);
  if (!("intent" in admitted)) throw new Error(admitted.refused.text);
  rule.on = true;
  expect(on.stamp(admitted.intent.id, launch)).toBe(to === "admit");
});

test("a fleet that does not give what a launch sends waits for it, and says its name", () => {
  const on = fleetBench({ gpus: 8, candidates: [EIGHT], parameters: { image: "x" } });
  on.wire = { ...on.wire, abilities: { ...on.wire.abilities, parameters: ["image", "ssh_key_names"] } };
  const planned = planOn(on);
  expect(planned.holds).toMatchObject([{ kind: "parameters", numbers: { names: "ssh_key_names" } }]);
  expect(planned.launches).toEqual([]);
});

test("a rule of slots is asked by all, too, and all holds are told, the one that matters most first", () => {
  const on = new LaunchBench({ tenure: "unstated" });
  const of = { owner: "slot:s1", limits: {}, rules: SLOT_RULES } as const;
  addTo(SLOT_RULES, { from: "plan", to: "send" });
  expect(kinds(planHolds(on.draft, of, on.context))).toEqual(["tenure", "ending"]);
  const refused = on.admit({ ...of, limits: { floor: parseUsd("1") } });
  expect("holds" in refused && kinds(refused.holds)).toEqual(["tenure", "ending", "unlisted", "oldBalance"]);
});
