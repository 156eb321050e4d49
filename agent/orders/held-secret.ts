import { createHash, timingSafeEqual } from "node:crypto";
import { elapsed, type Instant } from "../../ledger/instant.ts";

/*
 * A secret that somebody else holds, and the ledger only by its digest: a token of the API, or a share link of the page. So
 * none can be forged or read out of a ledger, every agent of the ledger knows it, and it is over once its row is taken away.
 * Nothing is signed: there is no key that could leak.
 */
export interface HeldSecret {
  /** SHA-256 of the secret, in hexadecimal. */
  readonly digest: string;
  readonly made: Instant;
  /** Milliseconds. */
  readonly lasts: number;
}

/**
 * Milliseconds that it still lasts; 0 once it is over. A clock that was set back does not prolong it, as far as the
 * monotonic clock can tell.
 */
export function leftOf({ made, lasts }: Pick<HeldSecret, "made" | "lasts">, now: Instant): number {
  return Math.max(0, lasts - Math.max(elapsed(made, now), now.wall - made.wall));
}

/** What this secret opens. All are compared, each in constant time. */
export function openedBy<T extends HeldSecret>(
  secret: string,
  held: readonly T[],
  now: Instant,
): T | undefined {
  const given = Buffer.from(digestOf(secret), "hex");
  const [found] = held.filter((each) => {
    const known = Buffer.from(each.digest, "hex");
    return known.length === given.length && timingSafeEqual(known, given) && leftOf(each, now) > 0;
  });
  return found;
}

/** In hexadecimal. */
export function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
