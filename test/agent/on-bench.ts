import { declareFleet } from "../../agent/fleet/declare/fleets.ts";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { wishSchema } from "../../agent/fleet/wish/wish.ts";
import { plan } from "../../agent/planning/plan.ts";
import type { FleetPlan, PlanningInputs } from "../../agent/planning/told/fleet-plan.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import type { BenchOptions } from "../launch/bench.ts";
import { LaunchBench, OSLO, ROME } from "../launch/bench.ts";

export { OSLO, ROME };
export const EIGHT = { ...OSLO, gpus: 8, pricePerHour: "16.0000" };
export const EIGHT_IN_ROME = { ...ROME, gpus: 8, pricePerHour: "18.0000" };
export const SINGLE = { ...OSLO, offer: "h100-1", gpus: 1, pricePerHour: "2.5000" };

/** A bench with one fleet, `web`, which is born unless the test says otherwise. */
export function fleetBench(
  wish: WishInput,
  options: BenchOptions = {},
  row: Partial<FleetRow> = {},
): LaunchBench {
  const bench = new LaunchBench({ combination: true, ...options });
  wishFor(bench, wish, { born: true, ...row });
  return bench;
}

export function wishFor(bench: LaunchBench, wish: WishInput, row: Partial<FleetRow> = {}): void {
  bench.decide((draft, context) => {
    declareFleet(draft, { name: "web", source: "file:a", wish: wishSchema.parse(wish) }, context);
    const fleet = draft.fleets.get("web");
    if (fleet) draft.putFleet({ ...fleet, ...row });
  });
}

/** A profile with every part, and offers that were not read. */
export const NO_OFFERS: PlanningInputs = {
  can: { launch: true, stop: true, offers: true },
  offers: undefined,
};

export function planOn(bench: LaunchBench, inputs: Partial<PlanningInputs> = {}): FleetPlan {
  const [planned] = plan(bench.draft, { ...NO_OFFERS, ...inputs }, bench.context);
  if (!planned) throw new Error("no plan");
  return planned;
}

/** The offers that a plan would launch, with their provider. */
export function launchesOf({ launches }: FleetPlan): readonly string[] {
  return launches.map(({ option }) => `${option.offer} ${option.provider}`);
}
