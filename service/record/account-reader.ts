import { createHash, createHmac } from "node:crypto";
import Big from "big.js";
import type { Account, Balance } from "../contract/contract.ts";
import { formatUsd, parseUsd, USD } from "../contract/money.ts";
import type { Json } from "../contract/service.ts";
import type { WireProfile } from "../profile/profile.ts";
import { readDecimal, readName, readText } from "../text/json.ts";
import { valueAt } from "../text/pointer.ts";

/*
 * Account and balance where they are not the specification's records (profile 2). What cannot be read is a text that
 * says why, for the end of a sentence.
 */

type AccountPart = Exclude<NonNullable<WireProfile["account"]>, { none: true }>;
type BalancePart = Exclude<NonNullable<WireProfile["balance"]>, { none: true }>;

/** How an account's id begins that is made of the credential. */
export const OF_A_KEY = "key:";

/**
 * The account of a service that shows none: what the base URL and the credential open. Its id is no way back to the
 * credential, and another credential has another one (changed-key.md says what follows).
 */
export function accountOfKey(baseUrl: string, secret: string | undefined): Account {
  const digest = createHmac("sha256", `fleetkeeper account at ${baseUrl}`)
    .update(secret ?? "")
    .digest("hex");
  const name = `the credential's account at ${new URL(baseUrl).host}`;
  return { id: `${OF_A_KEY}${digest.slice(0, 32)}`, email: name, display_name: name, created_at: "" };
}

/**
 * The account as the part of it that settings choose, such as a project: other settings show other machines. So its id is
 * none that the service knows, and another `reach` opens it no more than another credential does.
 */
export function accountInReach(account: Account, reach: string | undefined): Account {
  if (reach === undefined) return account;
  const digest = createHash("sha256")
    .update(JSON.stringify([account.id, reach]))
    .digest("hex");
  return { ...account, id: `${OF_A_KEY}${digest.slice(0, 32)}` };
}

export function readAccount(json: Json, part: AccountPart): Account | string {
  const id = readName(valueAt(json, part.id));
  if (id === undefined) return `there is no account id at ${part.id} (account.id)`;
  const name = part.name === undefined ? id : readName(valueAt(json, part.name));
  if (name === undefined) return `there is no text at ${part.name} (account.name)`;
  return { id, email: name, display_name: name, created_at: "" };
}

/** Credit that a payment leaves is above 0. Fractions of the last decimal are not there to be spent. */
export function readBalance(
  json: Json,
  { amount, unit, sign, currency }: BalancePart,
  counted: string = USD,
): Balance | string {
  const shown = readDecimal(valueAt(json, amount));
  if (shown === undefined) return `there is no amount at ${amount} (balance.amount)`;
  if (currency !== undefined) {
    const words = readText(valueAt(json, currency));
    if (words?.toUpperCase() !== counted)
      return `the currency at ${currency} is ${words === undefined ? "not there" : JSON.stringify(words)}, and only ${counted} is counted under this profile (currency): prices in another one would be counted wrong, so nothing is launched. Where all amounts are in it, the profile says so, as in currency: EUR`;
  }
  const left = new Big(shown).times(unit === "cents" ? "0.01" : 1).times(sign === "debt" ? -1 : 1);
  const balance = formatUsd(left.round(4, Big.roundDown));
  // Budgets would read it as nothing.
  if (!parseUsd(balance)) return `the amount at ${amount} is too large for a balance (balance.amount)`;
  return { balance, currency: counted };
}
