import type { Context } from "../../../launch/facts/context.ts";
import { note } from "../../../launch/facts/events.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { DAY_MS, HOUR_MS } from "../../../ledger/instant.ts";
import type { AccountRow } from "../../../ledger/rows.ts";
import { amountText } from "../../../service/contract/money.ts";
import { duration } from "../text/format.ts";
import { moneyOf } from "./money.ts";

/** People are told below this, unless a fleet file says otherwise. */
export const DEFAULT_SHORT_RUNWAY_MS = DAY_MS;

/** A lost machine lengthens the runway until it is replaced: a runway that is short again soon is no news. */
const NEWS_AGAIN_MS = HOUR_MS;

const UNTOLD: NonNullable<AccountRow["runway"]> = {
  alertHours: DEFAULT_SHORT_RUNWAY_MS / HOUR_MS,
  short: false,
  told: null,
};

/** Below this many ms the runway is short. */
export function shortRunway({ account: { runway = UNTOLD } }: Draft): number {
  return runway.alertHours * HOUR_MS;
}

/** Stores the limit of the fleet file; it stays until another file changes it. */
export function setShortRunway(draft: Draft, ms: number): void {
  const alertHours = ms / HOUR_MS;
  const { account } = draft;
  const { runway: before = UNTOLD } = account;
  if (before.alertHours !== alertHours) draft.putAccount({ ...account, runway: { ...before, alertHours } });
}

/** Tells once each time that the runway falls below the limit of the alert. */
export function storeRunway(draft: Draft, context: Context): void {
  const { account } = draft;
  const { balance, perHour, unpriced, runway } = moneyOf(draft);
  if (balance === undefined) return;
  const short = runway !== undefined && runway < shortRunway(draft);
  const { runway: before = UNTOLD } = account;
  if (short === before.short) return;
  const now = context.now.wall;
  const isNews = short && (before.told === null || Math.abs(now - before.told) >= NEWS_AGAIN_MS);
  draft.putAccount({ ...account, runway: { ...before, short, told: isNews ? now : before.told } });
  if (!isNews) return;
  const [lasts, costs] = unpriced > 0 ? ["at most ", " or more"] : ["", ""];
  note(
    draft,
    context,
    "runway",
    `the balance of ${amountText(balance, account.currency)} lasts ${lasts}${duration(runway)} more, at ${amountText(perHour, account.currency)} an hour${costs}: ` +
      "credits can be bought in the service's dashboard only",
  );
}
