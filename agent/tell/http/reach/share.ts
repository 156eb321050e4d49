import { randomBytes } from "node:crypto";
import type { Context } from "../../../../launch/facts/context.ts";
import { note } from "../../../../launch/facts/events.ts";
import type { Draft } from "../../../../ledger/draft.ts";
import { DAY_MS, type Instant } from "../../../../ledger/instant.ts";
import type { AccountRow, ShareRow } from "../../../../ledger/rows.ts";
import { FleetkeeperError } from "../../../../service/contract/errors.ts";
import { duration } from "../../../fleet/text/format.ts";
import { digestOf, leftOf } from "../../../orders/held-secret.ts";

/* A share link lets others read the pages of one account for some time, and is over within a second when its row is taken away. */

export const LONGEST_SHARE_MS = 30 * DAY_MS;
/** Each request of a guest is compared with all of them. */
const MOST_SHARES = 50;
/** 32 random bytes as base64url. */
const SECRET = /^[\w-]{43}$/;

export function newShareSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** False for what cannot be the secret of a link, whichever links there are. */
export function isShareSecret(text: string): boolean {
  return SECRET.test(text);
}

/** Remembers a link by this secret. Throws CONFIG if there are too many. */
export function makeShare(
  draft: Draft,
  { id, secret, lasts }: { readonly id: string; readonly secret: string; readonly lasts: number },
  context: Context,
): ShareRow {
  const others = sharesOf(draft.account, context.now);
  if (others.length >= MOST_SHARES)
    throw new FleetkeeperError(
      "CONFIG",
      `${MOST_SHARES} share links are open: end some first (fleetkeeper share --list, fleetkeeper share --end ID).`,
    );
  const share = { id, digest: digestOf(secret), made: context.now, lasts };
  draft.putAccount({ ...draft.account, shares: [...others, share] });
  note(draft, context, "shared", `a share link to the status page was made: ${id}, for ${duration(lasts)}`);
  return share;
}

/** Ends this link, or all of them. Gives the ids of those that it ended. */
export function endShares(draft: Draft, id: string | undefined, context: Context): readonly string[] {
  const open = sharesOf(draft.account, context.now);
  const ending = open.filter((each) => id === undefined || each.id === id).map((each) => each.id);
  if (ending.length === 0) return [];
  draft.putAccount({ ...draft.account, shares: open.filter((each) => !ending.includes(each.id)) });
  note(draft, context, "shared", `share links to the status page were ended: ${ending.join(", ")}`);
  return ending;
}

/** The links that still lead somewhere. */
export function sharesOf({ shares = [] }: Pick<AccountRow, "shares">, now: Instant): readonly ShareRow[] {
  return shares.filter((share) => leftOf(share, now) > 0);
}
