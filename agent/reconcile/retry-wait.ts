import { MINUTE_MS } from "../../ledger/instant.ts";
import type { FleetkeeperError } from "../../service/contract/errors.ts";

export const LONGEST_RETRY_MS = MINUTE_MS;
/** The longest wait that a service may ask for: deadlines, totals and lost machines wait for lists. */
const LONGEST_ASKED_MS = 15 * MINUTE_MS;

/** Milliseconds to wait after a read that failed. `failures`: how many failed in a row before it. */
export function retryWait(poll: number, failures: number): number {
  return Math.min(poll * 2 ** failures, LONGEST_RETRY_MS);
}

/** Milliseconds for which the service asked not to be asked again. */
export function askedWait({ retryAfter = 0 }: FleetkeeperError): number {
  return Math.min(retryAfter * 1000, LONGEST_ASKED_MS);
}
