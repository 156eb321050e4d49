import type { ProtocolSettings } from "../../launch/context.ts";
import type { Instant, ProcessIdentity } from "../../ledger/instant.ts";

/**
 * Abstract time: a few ticks are enough to be before and after every wait of the protocol. All waits are as short as they
 * can be and still differ from each other, which keeps the number of states finite and small.
 */
export const TICK = 1_000;

/** Longer than any path: an age that is never reached. */
const NEVER = 1_000_000 * TICK;

export const SETTINGS: ProtocolSettings = Object.freeze({
  postTimeout: TICK,
  settle: 2 * TICK,
  settleLists: 3,
  poll: TICK,
  stampAge: 0,
  lateArrival: NEVER,
  gone: TICK,
  stopping: NEVER,
});

/** From the POST's leaving on: until then its machine is made and listed, if the case is prompt. */
export const LISTED_WITHIN = SETTINGS.postTimeout + SETTINGS.settle;

export function instantOf(now: number, boot: number): Instant {
  return { wall: now, mono: now, boot: `boot${boot}` };
}

export function identityOf(pid: number, boot: number): ProcessIdentity {
  return { boot: `boot${boot}`, pid, started: "0" };
}
