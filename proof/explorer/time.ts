import type { ProtocolSettings } from "../../launch/facts/context.ts";
import { nameOfEpoch } from "../../ledger/epoch.ts";
import type { Instant, ProcessIdentity } from "../../ledger/instant.ts";
import type { Case } from "./case.ts";
import type { State } from "./state.ts";

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

/**
 * Two hosts know the ledger's clock with this error, as large as can be: one takes it to be later by so much, the
 * other one to be earlier.
 */
const ERROR = TICK / 2;
/** A wait between two hosts is longer by so much at most. */
export const LONGER = 4 * ERROR;
const EPOCH = nameOfEpoch({ number: 1, since: 0 });

/** A stamp of this moment may seem as old as the errors of both. */
const OF_TWO_HOSTS: ProtocolSettings = Object.freeze({ ...SETTINGS, stampAge: 2 * ERROR });

export function settingsOf({ hosts }: Case): ProtocolSettings {
  return hosts === 1 ? SETTINGS : OF_TWO_HOSTS;
}

/** The moment as this process reads it. */
export function momentOf(
  { hosts }: Case,
  { now, boot }: Pick<State, "now" | "boot">,
  process: number,
): Instant {
  if (hosts === 1) return { wall: now, mono: now, boot: bootOf(boot) };
  const read = process === 0 ? now + ERROR : now - ERROR;
  return { wall: read, mono: read, boot: EPOCH, error: ERROR };
}

/** The process of this place, which has this pid now. */
export function identityOf({ hosts }: Case, boot: number, process: number, pid: number): ProcessIdentity {
  return { boot: hosts === 1 ? bootOf(boot) : `host${process}`, pid, started: "0" };
}

/** True for a moment of before the computer booted anew. */
export function isOfBefore({ boot }: Pick<Instant, "boot">, state: State): boolean {
  return boot !== EPOCH && boot !== bootOf(state.boot);
}

function bootOf(boot: number): string {
  return `boot${boot}`;
}
