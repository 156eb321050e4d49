import { elapsed, HOUR_MS } from "../../../ledger/instant.ts";
import type { DeploymentRow, ImprovingRow } from "../../../ledger/rows.ts";
import { milliseconds } from "../../../service/text/duration.ts";
import { HORIZON_HOURS } from "../choices/better-machines.ts";
import { gpusOf, gpusOfAll } from "../count/machine-gpus.ts";
import { mayBeStopped, paidLeft, pricePerGpu } from "../machines/scale-down.ts";
import { least } from "./improve.ts";
import type { Situation } from "./move.ts";

/**
 * What a move that is given up leaves all the same: the dearest of its old machines in whose place what came is ready, where that is worth
 * it. As surplus what is nearest to its paid end would go, and what the move was to leave could stay. `ready`: of what came; `others`: GPUs
 * without what came.
 */
export function leftInPart(
  { draft, wish, context }: Situation,
  { begun, fills }: ImprovingRow,
  old: readonly DeploymentRow[],
  ready: readonly DeploymentRow[],
  others: number,
): readonly DeploymentRow[] {
  if (!wish.improve || wish.allOrNothing || fills !== undefined || ready.length === 0) return [];
  // Each counts as the dearest of them. What takes the place of what was lost replaces nothing else.
  const prices = ready.map((row) => pricePerGpu(draft, row));
  // What nobody knows the price of saves nothing that anybody knows.
  if (!prices.every((price) => price !== undefined)) return [];
  const dearest = Math.max(...prices);
  let room = gpusOfAll(draft, ready) - Math.max(0, wish.gpus - others);
  const hours = HORIZON_HOURS - (elapsed(begun, context.now) + milliseconds(wish.improve.restart)) / HOUR_MS;
  const costs = (row: DeploymentRow): number => pricePerGpu(draft, row) ?? 0;
  const pays = (row: DeploymentRow): boolean =>
    costs(row) * (hours - paidLeft(draft, row, context) / HOUR_MS) > dearest * HORIZON_HOURS;
  const goes = [...old]
    .sort((one, other) => costs(other) - costs(one))
    .filter((row) => {
      const fits = gpusOf(draft, row) <= room && mayBeStopped(row, context.now) && pays(row);
      if (fits) room -= gpusOf(draft, row);
      return fits;
    });
  const leaves = goes.reduce((sum, row) => sum + costs(row) * gpusOf(draft, row), 0);
  return leaves - dearest * gpusOfAll(draft, goes) >= least(wish.improve)(leaves) ? goes : [];
}
