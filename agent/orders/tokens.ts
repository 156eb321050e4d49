import { randomBytes } from "node:crypto";
import type { Context } from "../../launch/facts/context.ts";
import { note } from "../../launch/facts/events.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Instant } from "../../ledger/instant.ts";
import type { AccountRow, TokenRow } from "../../ledger/rows.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { duration } from "../fleet/text/format.ts";
import { digestOf, leftOf } from "./held-secret.ts";

/** Each request is compared with all of them. */
const MOST_TOKENS = 50;
/** It begins alike, so that whoever looks for secrets in texts finds one. Then 32 random bytes as base64url. */
const PREFIX = "fk_";
const SECRET = /^fk_[\w-]{43}$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,39}$/;

export function newTokenSecret(): string {
  return `${PREFIX}${randomBytes(32).toString("base64url")}`;
}

/** False for what cannot be the secret of a token, whichever there are. */
export function isTokenSecret(text: string): boolean {
  return SECRET.test(text);
}

export interface NewToken extends Pick<TokenRow, "id" | "name" | "may" | "fleets" | "lasts"> {
  readonly secret: string;
}

/** Remembers a token by its secret. Throws CONFIG if its name is none or is an open token's, or if there are too many. */
export function makeToken(draft: Draft, { secret, ...asked }: NewToken, context: Context): TokenRow {
  const others = tokensOf(draft.account, context.now);
  const problem = nameProblem(asked.name, others);
  if (problem !== undefined) throw new FleetkeeperError("CONFIG", problem);
  const token = { ...asked, digest: digestOf(secret), made: context.now };
  draft.putAccount({ ...draft.account, tokens: [...others, token] });
  const about = `the token ${token.name} was made: it may ${token.may}${scopeText(token)}, for ${duration(token.lasts)}`;
  note(draft, context, "token", about);
  return token;
}

/** As events name whoever has the agent's own token. */
export const OWN_TOKEN = "FLEETKEEPER_HTTP_TOKEN";

function nameProblem(name: string, others: readonly TokenRow[]): string | undefined {
  if (name === OWN_TOKEN) return `--name ${name}: the agent's own token has this name. Choose another one.`;
  if (!NAME.test(name))
    return `--name ${name}: expected at most 40 letters, digits, dots, hyphens, underscores and @, and a letter or digit first.`;
  if (others.some((each) => each.name === name))
    return `--name ${name}: an open token has this name. Revoke it first (fleetkeeper token revoke ${name}), or choose another one.`;
  return others.length < MOST_TOKENS
    ? undefined
    : `${MOST_TOKENS} tokens are open: revoke some first (fleetkeeper token list, fleetkeeper token revoke NAME).`;
}

/** Ends the token of this name. False: none was open. */
export function revokeToken(draft: Draft, name: string, context: Context): boolean {
  const open = tokensOf(draft.account, context.now);
  if (!open.some((each) => each.name === name)) return false;
  draft.putAccount({ ...draft.account, tokens: open.filter((each) => each.name !== name) });
  note(draft, context, "token", `the token ${name} was revoked`);
  return true;
}

/** The tokens that still open something. */
export function tokensOf({ tokens = [] }: Pick<AccountRow, "tokens">, now: Instant): readonly TokenRow[] {
  return tokens.filter((token) => leftOf(token, now) > 0);
}

export function scopeText({ fleets }: Pick<TokenRow, "fleets">): string {
  return fleets === undefined ? "" : `, for fleets ${fleets.join(", ")}`;
}
