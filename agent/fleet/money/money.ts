import { priceOf } from "../../../launch/money/price.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { HOUR_MS } from "../../../ledger/instant.ts";
import type { DeploymentRow } from "../../../ledger/rows.ts";
import { parseUsd, type Usd, ZERO_USD } from "../../../service/contract/money.ts";

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
