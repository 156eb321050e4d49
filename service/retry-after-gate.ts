import type { WallClock } from "./wall-clock.ts";

/** Lists guard money: deadlines, totals and lost machines wait for them, so no service has itself left alone for longer. */
const LONGEST_MS = 15 * 60_000;

/** The addresses at which the service asked not to be asked again for a while (`Retry-After`), whoever asks. */
export interface RetryAfterGate {
  /** Seconds that are left of it, and the status that asked for it; undefined: it may be asked. */
  at(url: string): { readonly left: number; readonly status: number } | undefined;
  begin(url: string, seconds: number, status: number): void;
}

/** An address counts without its query: each page of a list is the list. */
export function createRetryAfterGate(clock: WallClock): RetryAfterGate {
  const there = new Map<string, { readonly begun: number; readonly ms: number; readonly status: number }>();
  return {
    at(url) {
      const gate = there.get(addressOf(url));
      if (!gate) return undefined;
      const passed = clock.now() - gate.begun;
      // A clock that was set back would have it last for ever.
      if (passed >= 0 && passed < gate.ms) return { left: (gate.ms - passed) / 1000, status: gate.status };
      there.delete(addressOf(url));
      return undefined;
    },
    begin(url, seconds, status) {
      there.set(addressOf(url), { begun: clock.now(), ms: Math.min(seconds * 1000, LONGEST_MS), status });
    },
  };
}

function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
