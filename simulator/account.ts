import { z } from "zod";
import { parseUsd, type Usd, ZERO_USD } from "../service/contract/money.ts";
import { usageAt } from "./bill.ts";
import type { Machine } from "./machine.ts";
import type { Prng } from "./prng.ts";

export const accountInputSchema = z.strictObject({
  email: z.string().min(1),
  displayName: z.string().optional(),
  apiKey: z.string().min(1),
  /** USD, at most 4 decimals. */
  balance: z.string().regex(/^-?\d{1,12}(\.\d{1,4})?$/, "expected USD with at most 4 decimals"),
});

export type AccountInput = Readonly<z.output<typeof accountInputSchema>>;

/** An account and its money. `balanceAt` computes the balance from the sums below. */
export interface AccountState {
  readonly id: string;
  readonly email: string;
  readonly displayName: string;
  readonly apiKey: string;
  readonly createdAt: number;
  readonly initial: Usd;
  /** Bought in the dashboard, or set by control. */
  adjustments: Usd;
  /** First hours taken at launch. */
  reservations: Usd;
  /** What was taken beyond the first hours, as far as it is posted. */
  usage: Usd;
  refunds: Usd;
  /** Machines that are beyond their first hour: their cost grows with time. */
  readonly burning: Set<Machine>;
  /** Every answer shows the account without a single machine, though all run and cost. */
  hidden: boolean;
  /** Counts the forecasts of an empty balance. Only the newest one counts. */
  forecast: number;
}

export function createAccount(input: AccountInput, createdAt: number, random: Prng): AccountState {
  const { email, displayName, apiKey, balance } = accountInputSchema.parse(input);
  return {
    id: random.uuid(),
    email,
    displayName: displayName ?? email,
    apiKey,
    createdAt,
    initial: usd(balance),
    adjustments: ZERO_USD,
    reservations: ZERO_USD,
    usage: ZERO_USD,
    refunds: ZERO_USD,
    burning: new Set(),
    hidden: false,
    forecast: 0,
  };
}

/** initial + adjustments + refunds - reservations - usage, at this time. */
export function balanceAt(account: AccountState, at: number): Usd {
  const { initial, adjustments, refunds, reservations } = account;
  return initial.plus(adjustments).plus(refunds).minus(reservations).minus(accountUsageAt(account, at));
}

/** What was taken beyond the first hours, posted or not yet. */
export function accountUsageAt(account: AccountState, at: number): Usd {
  let usage = account.usage;
  for (const { bill } of account.burning) usage = usage.plus(usageAt(bill, at)).minus(bill.usage);
  return usage;
}

export function usd(text: string): Usd {
  const amount = parseUsd(text);
  if (amount === undefined) throw new RangeError(`expected USD such as 12.3400, not ${JSON.stringify(text)}`);
  return amount;
}
