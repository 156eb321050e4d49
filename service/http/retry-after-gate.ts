import type { WallClock } from "./wall-clock.ts";

/** The longest wait that is kept: deadlines, totals and lost machines depend on lists. */
const LONGEST_MS = 15 * 60_000;

/** Addresses whose `Retry-After` is not over, whoever asked there. */
export interface RetryAfterGate {
  /** Seconds left and the status of the answer that asked to wait. Undefined: it may be asked. */
  at(url: string): { readonly left: number; readonly status: number } | undefined;
  begin(url: string, seconds: number, status: number): void;
}

/** An address counts without its query: all pages of a list are one address. */
export function createRetryAfterGate(clock: WallClock): RetryAfterGate {
  const there = new Map<string, { readonly begun: number; readonly ms: number; readonly status: number }>();
  return {
    at(url) {
      const gate = there.get(addressOf(url));
      if (!gate) return undefined;
      const passed = clock.now() - gate.begun;
      // After a clock was set back the gate is dropped, or it would stay closed.
      if (passed >= 0 && passed < gate.ms) return { left: (gate.ms - passed) / 1000, status: gate.status };
      there.delete(addressOf(url));
      return undefined;
    },
    begin(url, seconds, status) {
      there.set(addressOf(url), { begun: clock.now(), ms: Math.min(seconds * 1000, LONGEST_MS), status });
    },
  };
}

/** Without its query. */
export function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
