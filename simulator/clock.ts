import { setTimeout as delay } from "node:timers/promises";

/** Time as the simulated service lives it. */
export interface SimulatorClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Seconds of the service in one second of its clients; 1 if absent. `Retry-After` is told in the clients'
   * seconds: a demo at 60 times the speed must not make a real client wait a real minute.
   */
  readonly speed?: number;
}

/** The machine's own time, or faster: at `speed` 60 the service lives an hour in a minute. */
export function realClock(speed = 1): SimulatorClock {
  if (!(speed > 0)) throw new RangeError(`speed must be above 0, not ${speed}`);
  const startedAt = Date.now();
  const origin = performance.now();
  return {
    speed,
    now: () => startedAt + Math.floor((performance.now() - origin) * speed),
    sleep: (ms, signal) =>
      delay(ms / speed, undefined, signal === undefined ? {} : { signal }).catch((error: unknown) => {
        throw signal?.aborted ? signal.reason : error;
      }),
  };
}
