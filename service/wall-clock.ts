/** Time as this room knows it. Injected, so that tests and the simulation run in virtual time. */
export interface WallClock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Rejects with the signal's reason as soon as it is aborted. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}
