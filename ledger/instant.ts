/**
 * A moment as one computer knows it. Within one boot durations come from the monotonic clock, which all its
 * processes share: a clock jump then changes no wait that money depends on. The wall clock is for people, and
 * for moments of different boots.
 */
export interface Instant {
  /** Milliseconds since 1970, UTC. */
  readonly wall: number;
  /** Milliseconds since some fixed point of this boot. */
  readonly mono: number;
  /** Identifies the boot that `mono` counts from. */
  readonly boot: string;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Milliseconds from one moment to a later one; never negative. */
export function elapsed(from: Instant, to: Instant): number {
  return Math.max(0, from.boot === to.boot ? to.mono - from.mono : to.wall - from.wall);
}

/**
 * How old a stored moment may be at most. Unlike {@link elapsed} it never errs on the young side: the
 * monotonic clock stands still while a computer sleeps, and the time between two boots is not known.
 */
export function age(of: Instant, now: Instant): number {
  if (of.boot !== now.boot) return Number.POSITIVE_INFINITY;
  return Math.max(0, now.mono - of.mono, now.wall - of.wall);
}

/** True if `one`, taken in this boot, is later than a stored moment. An earlier boot is always before. */
export function isLater(one: Instant, stored: Instant): boolean {
  return one.boot !== stored.boot || one.mono > stored.mono;
}

/**
 * True if one stored moment was before another. An earlier boot is before this one, whatever its clock said.
 */
export function isBefore(one: Instant, other: Instant, now: Instant): boolean {
  return (one.boot !== now.boot && other.boot === now.boot) || elapsed(one, other) > 0;
}

/** Names one process for as long as it lives: a pid alone may be used again. */
export interface ProcessIdentity {
  readonly boot: string;
  readonly pid: number;
  /** The process's start, in whatever unit the system gives. */
  readonly started: string;
}

/** Time and processes, as the edge provides them. The simulation provides its own. */
export interface Clock {
  now(): Instant;
  /** Resolves after `ms`; rejects with the signal's reason when that aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** This computer's own clock, where `now` counts on the ledger's. Absent: it is this one. */
  readonly own?: Clock;
  /** This process. */
  readonly self: ProcessIdentity;
  /** False only if that process surely runs no more. */
  isAlive(identity: ProcessIdentity): boolean;
}
