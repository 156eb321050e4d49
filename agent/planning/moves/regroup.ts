import type { DeploymentRow } from "../../../ledger/rows.ts";
import { combinationText } from "../../../service/contract/contract.ts";
import { ZERO_USD } from "../../../service/contract/money.ts";
import { untilLackedFor } from "../../fleet/phase/lacking.ts";
import { andMore, gpusText } from "../../fleet/text/text.ts";
import { wouldChurn } from "../count/churn.ts";
import { nextMove } from "../count/improving.ts";
import { gpusOfAll } from "../count/machine-gpus.ts";
import { surplus } from "../machines/scale-down.ts";
import { cheapestMix, type Option, type Spread } from "../mix/mix.ts";
import { isSettled, launchable } from "./before-replacing.ts";
import { leftRows } from "./improve.ts";
import { costOf, isPaid } from "./is-paid.ts";
import { fleetHolds } from "./launch.ts";
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
    const { fleet, wish, counted, inputs, context } = of;
    const { otherSizes, surge } = wish;
    if (!otherSizes || surge === 0 || untilLackedFor(otherSizes.after, fleet, context) > 0) return undefined;
    if (!inputs.can.launch || !inputs.can.stop || counted.missing <= 0 || !isSettled(of)) return undefined;
    if (nextMove(fleet, PACE, context) !== undefined) return undefined;
    const choice = fleetHolds(of).length > 0 ? undefined : launchable(of);
    if (!choice) return undefined;
    const options = choice.ready.filter(({ pricePerHour }) => pricePerHour !== undefined);
    for (let freed = 1; freed <= Math.min(surge, counted.there); freed++) {
      const planned = begin(of, options, freed, choice.spread);
      if (planned) return planned;
    }
    return undefined;
  },
};

/** What makes so many GPUs more than are missing, in the place of machines that have exactly these. */
function begin(
  of: Situation,
  options: readonly Option[],
  freed: number,
  spread: Spread,
): Planned | undefined {
  const { draft, fleet, counted, context } = of;
  const gpus = counted.missing + freed;
  const rows = freedBy(of, freed);
  const mix = rows && cheapestMix(options, { gpus, slack: 0, spread });
  if (!rows || !mix) return undefined;
  const left = leftRows(draft, rows);
  const costs = costOf(mix);
  if (!costs || left.length < rows.length || !isPaid(of, costs, ZERO_USD)) return undefined;
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
  return gpusOfAll(draft, rows) === freed ? rows : undefined;
}
