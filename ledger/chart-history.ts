import type { Sample } from "./sample.ts";

/**
 * A stretch of time in which nothing changed that charts show. One row a change, not a tick: a running fleet
 * makes a few hundred rows a month. If one stretch's `until` and the next one's `at` are more than some ticks
 * apart, no agent looked between them.
 */
export interface Stretch {
  /** Wall time in ms. */
  readonly at: number;
  /** Wall time in ms of the newest moment at which it was still so. */
  readonly until: number;
  /** USD, as the service wrote it; null: never read. */
  readonly balance: string | null;
  /** USD an hour of all that lives in the account, an exact decimal; null: a price is not known. */
  readonly perHour: string | null;
  /** By name of the fleet: GPUs asked for, running, starting. */
  readonly fleets: Readonly<Record<string, readonly [asked: number, running: number, starting: number]>>;
}

/**
 * What charts are drawn from, and what offers have shown. It is not part of `Ledger`, as nothing that money depends on reads it.
 */
export interface History {
  /** When the ledger was made, wall time in ms. A chart shows no gap before it. */
  readonly created: number;
  /** Replaces the stretch that began at the same moment, and forgets those that ended before `keepSince`. */
  putStretch(account: string, row: Stretch, keepSince: number): Promise<void>;
  /** The stretches that reach beyond `since`, the oldest first. */
  stretches(account: string, since: number): Promise<readonly Stretch[]>;
  /** These take the place of all samples of the account's market that began from `from` on and before `to`. */
  putSamples(account: string, rows: readonly Sample[], from: number, to: number): Promise<void>;
  /** The samples that began from `from` on and before `to`, the oldest first. */
  samples(account: string, from: number, to: number): Promise<readonly Sample[]>;
}
