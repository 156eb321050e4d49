import type { ProtocolSettings } from "../../launch/context.ts";
import type { Instant, ProcessIdentity } from "../../ledger/instant.ts";

/**
 * Abstract time: a few ticks come before and after every wait of the protocol. Waits are as short as they can
 * be and still differ, which keeps the states few.
 */
export const TICK = 1_000;

/** Longer than any path: this age is never reached. */
const NEVER = 1_000_000 * TICK;

export const SETTINGS: ProtocolSettings = Object.freeze({
  postTimeout: TICK,
  settle: 2 * TICK,
  settleLists: 3,
  poll: TICK,
  stampAge: 0,
  lateArrival: NEVER,
  archive: NEVER,
  archiveKept: 0,
  gone: TICK,
  stopping: NEVER,
});

/** In a prompt case a machine is made and listed this long after its POST left. */
export const LISTED_WITHIN = SETTINGS.postTimeout + SETTINGS.settle;

export function instantOf(now: number, boot: number): Instant {
  return { wall: now, mono: now, boot: `boot${boot}` };
}

export function identityOf(pid: number, boot: number): ProcessIdentity {
  return { boot: `boot${boot}`, pid, started: "0" };
}
