import { planHolds } from "../../../launch/admit/holds.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow } from "../../../ledger/rows.ts";
import { combinationText } from "../../../service/contract/contract.ts";
import { ZERO_USD } from "../../../service/contract/money.ts";
import { untilLackedFor } from "../../fleet/lacking.ts";
import { toRenew } from "../../fleet/renewal-marks.ts";
import { andMore, gpusText } from "../../fleet/text.ts";
import { limitsOf } from "../../fleet/wish.ts";
import { wouldChurn } from "../churn.ts";
import { gpusOf } from "../count.ts";
import { FLEET_RULES } from "../fleet-holds.ts";
import { nextMove } from "../improving.ts";
import { cheapestMix, type Option } from "../mix.ts";
import { choose } from "../options.ts";
import { type Growth, growthOf } from "../placement.ts";
import { isReady } from "../readiness.ts";
import { surplus } from "../scale-down.ts";
import { leftRows } from "./improve.ts";
import { isPaid } from "./is-paid.ts";
import { atHome } from "./launch.ts";
import type { Move, Planned, Situation } from "./move.ts";

/** One that was given up is not begun anew at once: each may cost the first hour of a large machine. */
const PACE = { most: 1, per: "1h" };

/**
 * Begins to fill a hole that only a machine of another size can fill: that one is launched first, and the small ones go
 * whose GPUs it has as well. Asked once nothing else could be launched.
 */
export const regroup: Move = {
  alone: false,
  plan: (of) => {
    const { draft, fleet, wish, counted, inputs, context } = of;
    const { otherSizes, surge } = wish;
    if (!otherSizes || surge === 0 || untilLackedFor(otherSizes.after, fleet, context) > 0) return undefined;
    if (!inputs.can.launch || !inputs.can.stop || !isQuiet(of)) return undefined;
    if (nextMove(fleet, PACE, context) !== undefined) return undefined;
    const owner = fleetOwner(fleet.name);
    if (planHolds(draft, { owner, limits: limitsOf(wish), rules: FLEET_RULES }, context).length > 0)
      return undefined;
    const growth = growthOf(draft, wish, counted);
    const choice = choose(draft, owner, wish, inputs.offers, context);
    if (choice.hold || growth.hold) return undefined;
    const options = atHome(choice, growth).ready.filter(({ pricePerHour }) => pricePerHour !== undefined);
    for (let freed = 1; freed <= Math.min(surge, counted.there); freed++) {
      const planned = begin(of, options, freed, growth);
      if (planned) return planned;
    }
    return undefined;
  },
};

/** It lacks GPUs, and all that it has works: nothing starts or stops, or is to be replaced for another reason. */
function isQuiet({ draft, fleet, wish, counted }: Situation): boolean {
  const { machines, missing, starting, stopping } = counted;
  if (fleet.improving || fleet.updating || missing <= 0 || starting > 0 || stopping > 0) return false;
  return machines.every((row) => isReady(row, wish)) && toRenew(draft, fleet.name).length === 0;
}

/** What makes so many GPUs more than are missing, in the place of machines that have exactly these. */
function begin(
  of: Situation,
  options: readonly Option[],
  freed: number,
  growth: Growth,
): Planned | undefined {
  const { draft, fleet, counted, context } = of;
  const gpus = counted.missing + freed;
  const rows = freedBy(of, freed);
  const mix = rows && cheapestMix(options, { gpus, slack: 0, spread: growth.spread });
  if (!rows || !mix) return undefined;
  const left = leftRows(draft, rows);
  const costs = mix.reduce((sum, { pricePerHour }) => sum.plus(pricePerHour ?? 0), ZERO_USD);
  if (left.length < rows.length || !isPaid(of, costs, ZERO_USD)) return undefined;
  if (wouldChurn(draft, fleet, rows, context)) return undefined;
  const what = andMore([...new Set(mix.map(combinationText))]);
  const why = `nothing else fills ${gpusText(counted.missing)} that ${counted.missing === 1 ? "is" : "are"} missing: ${what} comes in the place of ${andMore(rows.map(({ id }) => id))} (otherSizes)`;
  const begins = { why, gpus, fills: counted.missing, ahead: freed, most: costs.toFixed(), left };
  return { move: { begins }, launches: mix.map((option) => ({ option, why })) };
}

/** The machines that the fleet needs least of those that have exactly so many GPUs. */
function freedBy(
  { draft, counted: { machines, there }, context }: Situation,
  freed: number,
): readonly DeploymentRow[] | undefined {
  const rows = surplus(draft, machines, there - freed, context);
  return rows.reduce((sum, row) => sum + gpusOf(draft, row), 0) === freed ? rows : undefined;
}
