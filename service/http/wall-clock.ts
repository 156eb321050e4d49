/** The clock of service/. Injected, so that tests and the simulation run in virtual time. */
export interface WallClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Rejects with the signal's reason once it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
