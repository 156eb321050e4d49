import type { Draft } from "../../ledger/draft.ts";
import { elapsed } from "../../ledger/instant.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { amountText } from "../../service/contract/money.ts";
import type { Context } from "../facts/context.ts";
import { isStuckStopping } from "../facts/occupancy.ts";
import { priceOf } from "../money/price.ts";
import { sentence } from "./failure-advice.ts";
import { CALLS_IN_VAIN, mayStop } from "./stop.ts";

/*
 * A stop is believed only by what the service shows. A wrong path in the profile may be answered with 404, which
 * the profile takes for an end, or with a 200 that does nothing. The machine then bills on while each repeat is
 * answered as done, and only a person can help. What follows is told; nothing is sent or counted because of it.
 */

/**
 * True if a list shows a machine as not even `stopping` so long after its first stop call that no list can be
 * that old, and no service be that slow: the longest that a machine may be `stopping`. A held stop is not sent.
 */
function isStopInVain(draft: Draft, row: DeploymentRow, { settings }: Context): boolean {
  const { list } = draft.account;
  const { stop, status, missing, flaw } = row;
  if (!stop?.calls || stop.held || !mayStop(row) || status === "stopping") return false;
  if (list === null || missing !== null || flaw?.setAside) return false;
  return stop.calls.times >= CALLS_IN_VAIN && elapsed(stop.calls.since, list) >= settings.stopping;
}

/** What a person is told of a machine that does not stop. `text` quotes the service. */
export interface NotStopping {
  readonly row: DeploymentRow;
  readonly text: string;
}

/** Machines that were told to stop, by us or by somebody else, long ago, and that live and bill. */
export function notStopping(draft: Draft, context: Context): readonly NotStopping[] {
  return [...draft.deployments.values()].flatMap((row) => {
    const text = whyNotStopping(draft, row, context);
    return text === undefined ? [] : [{ row, text }];
  });
}

/** Undefined: it was not told to stop, or may still obey. */
export function whyNotStopping(draft: Draft, row: DeploymentRow, context: Context): string | undefined {
  if (row.end !== null || row.owner === null) return undefined;
  if (isStuckStopping(row, context))
    return `${row.id} has been stopping for too long. If it runs, it ${costText(draft, row)}. ${BY_HAND}`;
  if (!isStopInVain(draft, row, context)) return undefined;
  return (
    `${sentence(`${row.id} was told to stop, is still ${row.status}, and ${costText(draft, row)}: ${stopCallsText(row)}`)} ` +
    stopRemedy(row)
  );
}

export function costText(draft: Draft, row: DeploymentRow): string {
  const price = priceOf(draft, row);
  return price === undefined ? "costs money" : `costs ${amountText(price, draft.account.currency)} an hour`;
}

const BY_HAND = "Stop it in the service's dashboard";

/** What a person can do about a stop without effect. */
export function stopRemedy({ stop }: DeploymentRow): string {
  return stop?.calls?.sent === null ? BY_HAND : `Check stop in the profile (method, path, gone). ${BY_HAND}`;
}

/** The stop calls that a machine outlived so far, and their newest answer. Empty: none was made. */
export function stopCallsText({ stop }: Pick<DeploymentRow, "stop">): string {
  if (!stop?.calls) return "";
  const { sent, times, said } = stop.calls;
  if (sent === null) return said;
  return times === 1
    ? `${sent} was sent once, and ${said}`
    : `${sent} was sent ${times} times; last, ${said}`;
}
