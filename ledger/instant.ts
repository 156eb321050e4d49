import { epochOf, isOlder } from "./epoch.ts";

/**
 * A moment on a ledger's clock. Where all its processes are on one host, that is the host's: within one boot
 * durations come from the monotonic clock, which all its processes share. A clock jump then changes no wait that
 * money depends on, and the wall clock is for people, and for moments of different boots. Where they are on
 * several hosts, it is the database's, as far as a process knows it: see ledger-time.ts.
 */
export interface Instant {
  /** Milliseconds since 1970, UTC. */
  readonly wall: number;
  /** Milliseconds since some fixed point of this boot. */
  readonly mono: number;
  /** Identifies the boot that `mono` counts from, or the epoch of a ledger's clock (epoch.ts). */
  readonly boot: string;
  /** The moment is at most so many milliseconds before or after `mono`. Absent: `mono` is exact. */
  readonly error?: number;
}

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** By how much a database's clock may be set at most, as after a mistake about time zones. */
const LARGEST_JUMP_MS = 14 * HOUR_MS;

/** Milliseconds from one moment to a later one, at least; never negative. */
export function elapsed(from: Instant, to: Instant): number {
  if (from.boot === to.boot) return Math.max(0, to.mono - from.mono - errors(from, to));
  const epoch = epochOf(to.boot);
  if (!epoch) return Math.max(0, to.wall - from.wall);
  const before = epochOf(from.boot);
  if (before && !isOlder(before, epoch)) return 0;
  // How far the clock jumped when the epoch began, nobody knows. Since then so much time has passed at least.
  const since = to.mono - (to.error ?? 0) - epoch.since;
  return Math.max(0, since, to.wall - from.wall - LARGEST_JUMP_MS);
}

/** A moment of an earlier boot that is yet to come: the clock was set back across the reboot. */
export function isAhead(of: Instant, now: Instant): boolean {
  return of.boot !== now.boot && of.wall > now.wall;
}

/** {@link elapsed}, where nothing may wait for a clock that was set back: what is yet to come was long ago. */
export function ago(of: Instant, now: Instant): number {
  return isAhead(of, now) ? Number.POSITIVE_INFINITY : elapsed(of, now);
}

/**
 * How old a stored moment may be at most. Unlike {@link elapsed} it never errs on the young side: the
 * monotonic clock stands still while a computer sleeps, and the time between two boots is not known.
 */
export function age(of: Instant, now: Instant): number {
  if (of.boot !== now.boot) return Number.POSITIVE_INFINITY;
  const error = errors(of, now);
  // Yet to come: the database's clock was set back while nobody looked.
  if (error > 0 && of.mono - error > now.mono) return Number.POSITIVE_INFINITY;
  return Math.max(0, now.mono - of.mono + error, now.wall - of.wall);
}

/**
 * True if `one`, taken by this process, is surely later than a stored moment. An earlier boot is always before,
 * and so is an older epoch, in which this process may have taken `one` before it heard of the newer one.
 */
export function isLater(one: Instant, stored: Instant): boolean {
  if (one.boot === stored.boot) return one.mono > stored.mono + errors(one, stored);
  const [epoch, other] = [epochOf(one.boot), epochOf(stored.boot)];
  return !epoch || !other || isOlder(other, epoch);
}

/**
 * True if one stored moment was before another. An earlier boot is before this one, whatever its clock said.
 */
export function isBefore(one: Instant, other: Instant, now: Instant): boolean {
  const [epoch, later] = one.boot === other.boot ? [] : [epochOf(one.boot), epochOf(other.boot)];
  if (epoch && later) return isOlder(epoch, later);
  return (one.boot !== now.boot && other.boot === now.boot) || elapsed(one, other) > 0;
}

function errors(one: Instant, other: Instant): number {
  return (one.error ?? 0) + (other.error ?? 0);
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

/**
 * This moment by the computer's own clock. What a process measures alone, it measures by that: how long ago it
 * looked, before it sends.
 */
export function here(clock: Pick<Clock, "now" | "own">): Instant {
  return (clock.own ?? clock).now();
}
