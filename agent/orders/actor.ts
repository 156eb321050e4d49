import type { Draft } from "../../ledger/draft.ts";
import type { Instant } from "../../ledger/instant.ts";
import { RIGHTS, type Right, type TokenRow } from "../../ledger/rows.ts";
import { OWN_TOKEN, tokensOf } from "./tokens.ts";

/** Who orders something, and what they may do. */
export interface Actor {
  /** As events name it: `token:NAME`. */
  readonly name: string;
  readonly may: Right;
  /** Patterns of fleets. Undefined: all, and the account. */
  readonly fleets?: readonly string[] | undefined;
  /** The token, which may be revoked before the order is carried out. Undefined: the agent's own token. */
  readonly token?: string;
  /** Wall time in ms: an issuer's token may be over before the order is carried out. Undefined: the ledger says it. */
  readonly until?: number;
}

/** Who has the agent's own token may do all. */
export const AGENT_TOKEN: Actor = { name: `token:${OWN_TOKEN}`, may: "admin" };

export function actorOf({ id, name, may, fleets }: TokenRow): Actor {
  return { name: `token:${name}`, may, fleets, token: id };
}

/** As this account has it: what a token may is written in each account. One that this account has not is over in it. */
export function actorIn(actor: Actor, { account }: Pick<Draft, "account">, now: Instant): Actor {
  const row = tokensOf(account, now).find(({ id }) => id === actor.token);
  return row ? actorOf(row) : actor;
}

/** Whether it still is what it was when the request came in. */
export function isStill(
  { token, until }: Actor,
  { account }: { readonly account: Parameters<typeof tokensOf>[0] },
  now: Instant,
): boolean {
  if (until !== undefined && now.wall >= until) return false;
  return token === undefined || tokensOf(account, now).some(({ id }) => id === token);
}

export function hasRight({ may }: Pick<Actor, "may">, needed: Right): boolean {
  return RIGHTS.indexOf(may) >= RIGHTS.indexOf(needed);
}

/** `fleet` undefined: what is ordered is about the account, or about nobody's machine. */
export function reaches({ fleets }: Pick<Actor, "fleets">, fleet: string | undefined): boolean {
  if (fleets === undefined) return true;
  return fleet !== undefined && fleets.some((pattern) => fits(pattern, fleet));
}

/** A `*` stands for anything. Compared from star to star: no pattern takes long. */
export function fits(pattern: string, name: string): boolean {
  const [head = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return name === pattern;
  const tail = rest.pop() ?? "";
  if (!name.startsWith(head)) return false;
  let at = head.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length >= at + tail.length && name.endsWith(tail);
}
