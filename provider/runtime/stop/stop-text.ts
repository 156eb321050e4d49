import { stopCallsText, stopRemedy } from "../../../launch/index.ts";
import type { DeploymentRow } from "../../../ledger/index.ts";

/**
 * How far the stop of a machine is. The first call is no news: its answer is what shows next. `whose`: for whom it was rented,
 * where somebody else's state may ask for the stop: a copy of a stack's state has the first stack's slots.
 */
export function stopText({ id, status, stop }: DeploymentRow, whose?: string): string {
  if (status === "stopping") return `${id} is stopping`;
  const isNews = stop?.error || (stop?.calls?.times ?? 0) > 1;
  return isNews
    ? `${id} is still ${status}: ${stopCallsText({ stop })}`
    : `stopping ${id}${whose === undefined ? "" : ` of ${whose}`}, which is ${status}`;
}

/** What to do when the wait for an end was in vain, if a stop was answered and did nothing that shows. */
export function adviceOf(rows: readonly DeploymentRow[]): string | undefined {
  const row = rows.find(({ status, stop }) => status !== "stopping" && stop?.calls);
  return row && `${row.id} still costs money. ${stopRemedy(row)}`;
}
