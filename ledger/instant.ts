/**
 * A moment as one machine knows it. The wall clock is for people and for moments on different boots; within one boot
 * durations come from the monotonic clock, which all processes of the machine share, so that a clock jump neither
 * shortens nor stretches a wait that money depends on.
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
 * How old a stored moment may be at most. Unlike {@link elapsed} it never errs on the young side: the monotonic clock
 * stands still while a machine sleeps, and nothing is known about the time between two boots.
 */
export function age(of: Instant, now: Instant): number {
  if (of.boot !== now.boot) return Number.POSITIVE_INFINITY;
  return Math.max(0, now.mono - of.mono, now.wall - of.wall);
}

/** True if `one`, taken in this boot, is later than a stored moment: whatever an earlier boot's clock said was before. */
export function isLater(one: Instant, stored: Instant): boolean {
  return one.boot !== stored.boot || one.mono > stored.mono;
}

/**
 * True if one stored moment was before another. What an earlier boot's clock says is before all of this boot: its clock may have
 * been ahead.
 */
export function isBefore(one: Instant, other: Instant, now: Instant): boolean {
  return (one.boot !== now.boot && other.boot === now.boot) || elapsed(one, other) > 0;
}

/** Names one process for as long as it lives: a pid alone is used again. */
export interface ProcessIdentity {
  readonly boot: string;
  readonly pid: number;
  /** The process's start, in whatever unit the system gives. */
  readonly started: string;
}

/** Everything about time and processes that the edge provides; the simulation provides its own. */
export interface Clock {
  now(): Instant;
  /** Resolves after `ms`; rejects with the signal's reason when that aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** This process. */
  readonly self: ProcessIdentity;
  /** False only if that process surely does not run any more. */
  isAlive(identity: ProcessIdentity): boolean;
}
