import type { Clock } from "./clock.ts";

/** Lists guard money: deadlines, totals and lost machines wait for them, so no service has itself left alone for longer. */
const LONGEST_MS = 15 * 60_000;

/** The addresses at which the service asked not to be asked again for a while (`Retry-After`), whoever asks. */
export interface Quiet {
  /** Seconds that are left of it; 0: it may be asked. */
  left(url: string): number;
  begin(url: string, seconds: number): void;
}

/** An address counts without its query: each page of a list is the list. */
export function createQuiet(clock: Clock): Quiet {
  const until = new Map<string, { readonly begun: number; readonly ms: number }>();
  return {
    left(url) {
      const quiet = until.get(addressOf(url));
      if (!quiet) return 0;
      const passed = clock.now() - quiet.begun;
      // A clock that was set back would have it last for ever.
      if (passed >= 0 && passed < quiet.ms) return (quiet.ms - passed) / 1000;
      until.delete(addressOf(url));
      return 0;
    },
    begin(url, seconds) {
      until.set(addressOf(url), { begun: clock.now(), ms: Math.min(seconds * 1000, LONGEST_MS) });
    },
  };
}

function addressOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
