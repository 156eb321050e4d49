import type { WallClock } from "./wall-clock.ts";

/** Waits for the turn of one request. */
export type RateLimit = (signal: AbortSignal) => Promise<void>;

/** Spaces requests evenly, in the order they came. Without a limit there is no wait. */
export function createRateLimit(requestsPerSecond: number | undefined, clock: WallClock): RateLimit {
  if (requestsPerSecond === undefined) return async () => {};
  const interval = 1000 / requestsPerSecond;
  let free = Number.NEGATIVE_INFINITY;
  let waiting = 0;

  return async (signal) => {
    const now = clock.now();
    // No wait is longer than the queue: else a clock that is set back could stop all requests for an hour.
    const turn = Math.min(Math.max(now, free), now + (waiting + 1) * interval);
    free = turn + interval;
    if (turn <= now) return;
    waiting++;
    try {
      await clock.sleep(turn - now, signal);
    } finally {
      waiting--;
    }
  };
}
