import { HOUR_MS, priceOf } from "../../launch/spend.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Usd } from "../../service/money.ts";
import { parseUsd, ZERO_USD } from "../../service/money.ts";

export interface Money {
  /** Undefined: never read. */
  readonly balance: Usd | undefined;
  /** USD an hour of everything that lives in the account, whoever answers for it: one balance pays for it all. */
  readonly perHour: Usd;
  /** Machines whose price nobody knows: then `perHour` is the least it can be. */
  readonly unpriced: number;
  /** How long the balance lasts at that rate, in ms; undefined where one of the two is not known, or nothing is spent. */
  readonly runway: number | undefined;
}

export function moneyOf(draft: Draft): Money {
  const living = [...draft.deployments.values()].filter((row) => row.end === null);
  const prices = living.map((row) => priceOf(draft, row));
  const perHour = prices.reduce<Usd>((sum, price) => sum.plus(price ?? 0), ZERO_USD);
  const unpriced = prices.filter((price) => price === undefined).length;
  const amount = draft.account.balance?.amount;
  const balance = amount === undefined ? undefined : parseUsd(amount);
  const burns = balance !== undefined && unpriced === 0 && perHour.gt(0);
  const runway = burns ? Math.max(0, Number(balance.div(perHour)) * HOUR_MS) : undefined;
  return { balance, perHour, unpriced, runway };
}
