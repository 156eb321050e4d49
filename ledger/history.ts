/**
 * A stretch of time in which nothing changed that people look at in charts. One row a change, not one a tick: a month of a
 * fleet that runs is a few hundred rows. Between one stretch's `until` and the next one's `at` no agent looked, if they are
 * more than some ticks apart.
 */
export interface Stretch {
  /** Wall time in ms. */
  readonly at: number;
  /** The newest moment at which it still was so. */
  readonly until: number;
  /** USD, as the service wrote it; null: never read. */
  readonly balance: string | null;
  /** USD an hour of all that lives in the account, an exact decimal; null where a price is not known. */
  readonly perHour: string | null;
  /** By name: GPUs asked for, running, starting. */
  readonly fleets: Readonly<Record<string, readonly [asked: number, running: number, starting: number]>>;
}

/**
 * What charts are drawn from. Beside the `Ledger`, not in it: nothing that money depends on reads it, and whoever keeps a
 * ledger elsewhere may go without.
 */
export interface History {
  /** When the ledger was made, wall time in ms: what a chart would show from before is no gap. */
  readonly created: number;
  /** Puts a stretch in the place of the one that began at the same moment, and forgets those that ended before `keepSince`. */
  putStretch(account: string, row: Stretch, keepSince: number): Promise<void>;
  /** Those that reach beyond `since`, the oldest first. */
  stretches(account: string, since: number): Promise<readonly Stretch[]>;
}
