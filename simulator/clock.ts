import { setTimeout as delay } from "node:timers/promises";

/** The simulated service's time. */
export interface SimulatorClock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Seconds of the service in one second of its clients; 1 if absent. `Retry-After` is in the clients'
   * seconds: in a demo at 60 times the speed, a real client must not wait a real minute.
   */
  readonly speed?: number;
}

/** The computer's own time, or faster: at `speed` 60, an hour of the service passes in a minute. */
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
