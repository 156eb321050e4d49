import type { Context } from "../../launch/context.ts";
import { note } from "../../launch/events.ts";
import type { Keeper } from "../../launch/keeper.ts";
import { takeBalance } from "../../launch/keeper.ts";
import { priceOf } from "../../launch/price.ts";
import type { Draft } from "../../ledger/draft.ts";
import { DAY_MS, elapsed, HOUR_MS, MINUTE_MS } from "../../ledger/instant.ts";
import type { AccountRow, DeploymentRow } from "../../ledger/rows.ts";
import { FleetkeeperError } from "../../service/errors.ts";
import type { Usd } from "../../service/money.ts";
import { parseUsd, usdText, ZERO_USD } from "../../service/money.ts";
import { duration } from "./format.ts";

export interface Money {
  /** Undefined: never read. */
  readonly balance: Usd | undefined;
  /** USD an hour of all that lives in the account, whoever answers for it: one balance pays for it all. */
  readonly perHour: Usd;
  /** Machines of unknown price: then `perHour` is the least that it can be. */
  readonly unpriced: number;
  /**
   * Milliseconds that the balance lasts at that rate, at most where a price is not known. Undefined: the
   * balance is not known, or nothing of a known price is spent.
   */
  readonly runway: number | undefined;
}

export function moneyOf(draft: Draft): Money {
  const living = [...draft.deployments.values()].filter((row) => row.end === null);
  const { perHour, unpriced } = hourly(draft, living);
  const amount = draft.account.balance?.amount;
  const balance = amount === undefined ? undefined : parseUsd(amount);
  const burns = balance !== undefined && perHour.gt(0);
  const runway = burns ? Math.max(0, Number(balance.div(perHour)) * HOUR_MS) : undefined;
  return { balance, perHour, unpriced, runway };
}

/** What these machines cost an hour together, and how many are not in the sum, having no known price. */
export function hourly(draft: Draft, rows: readonly DeploymentRow[]): Pick<Money, "perHour" | "unpriced"> {
  const prices = rows.map((row) => priceOf(draft, row));
  return {
    perHour: prices.reduce<Usd>((sum, price) => sum.plus(price ?? ZERO_USD), ZERO_USD),
    unpriced: prices.filter((price) => price === undefined).length,
  };
}

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

/** How often the balance is read. No fleet's count depends on it, so it is read seldom. */
export const BALANCE_MS = 5 * MINUTE_MS;

/** Reads the balance if it is older than `ms`, where the service gives it. True: it was read. */
export async function readBalance(keeper: Keeper, ms: number, signal: AbortSignal): Promise<boolean> {
  const { ledger, account, clock } = keeper;
  const { balance } = (await ledger.read(account)).account;
  if (balance && elapsed(balance.begun, clock.now()) < ms) return false;
  try {
    await takeBalance(keeper, signal);
    return true;
  } catch (error) {
    if (signal.aborted || error instanceof FleetkeeperError) return false;
    throw error;
  }
}

/** Tells once each time that the runway falls below the limit of the alert. */
export function recordRunway(draft: Draft, context: Context): void {
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
    `the balance of ${usdText(balance)} USD lasts ${lasts}${duration(runway)} more, at ${usdText(perHour)} USD an hour${costs}: ` +
      "credits can be bought in the service's dashboard only",
  );
}
