import type { Context } from "../launch/context.ts";
import { mayStop } from "../launch/stop.ts";
import type { Draft } from "../ledger/draft.ts";
import { elapsed } from "../ledger/instant.ts";
import type { DeploymentRow } from "../ledger/rows.ts";
import { gpusOf } from "./count.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/**
 * Which of these machines to stop so that at least `desired` GPUs remain. Only what certainly is ours is stopped, and only
 * what is known to be there is surplus: a launch whose outcome is not known does not count.
 */
export function surplus(
  draft: Draft,
  machines: readonly DeploymentRow[],
  desired: number,
  context: Context,
): readonly DeploymentRow[] {
  let live = machines.reduce((total, row) => total + gpusOf(draft, row), 0);
  const stops: DeploymentRow[] = [];
  for (const row of inStopOrder(draft, machines.filter(stoppable), context)) {
    const gpus = gpusOf(draft, row);
    if (live - gpus < desired) continue;
    live -= gpus;
    stops.push(row);
  }
  return stops;
}

export function stoppable(row: DeploymentRow): boolean {
  return mayStop(row) && row.stop === null && row.status !== "stopping";
}

/**
 * First those that do not run yet (their first hour is refunded), then those nearest to the end of an hour that is paid for
 * anyway, then the dearest for what it has, then the newest. Adopted ones last: a person wanted them.
 */
export function inStopOrder(
  draft: Draft,
  machines: readonly DeploymentRow[],
  context: Context,
): readonly DeploymentRow[] {
  const price = (row: DeploymentRow): number =>
    Number(row.pricePerHour ?? 0) / Math.max(gpusOf(draft, row), 1);
  return [...machines].sort(
    (one, other) =>
      Number(isAdopted(one)) - Number(isAdopted(other)) ||
      minutesLeft(one, context) - minutesLeft(other, context) ||
      price(other) - price(one) ||
      other.sequence - one.sequence,
  );
}

function isAdopted(row: DeploymentRow): boolean {
  return row.intent === null;
}

/** Of the hour that has begun, in whole minutes: machines that were started together are equal here. None yet: 0. */
function minutesLeft(row: DeploymentRow, context: Context): number {
  if (row.status !== "running") return 0;
  return Math.ceil((HOUR_MS - (elapsed(row.statusSince, context.now) % HOUR_MS)) / MINUTE_MS);
}
