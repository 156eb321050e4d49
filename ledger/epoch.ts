/*
 * The clock of a ledger that several hosts share is the database's. An epoch is a stretch in which that clock
 * ran on evenly, as far as anybody could see. Moments of one epoch can be subtracted; those of different ones are
 * like those of different boots of one computer, but epochs have an order, which every process sees alike.
 */

export interface Epoch {
  /** Grows with each epoch. It is `since`, or where the clock was set back one more than the number before. */
  readonly number: number;
  /** When it began, in milliseconds on its own clock. It tells apart two of one number: a restore may lose one. */
  readonly since: number;
}

/** Older than any: what is taken in it counts as later than nothing. It never began, so nothing passes in it. */
export const NO_EPOCH: Epoch = { number: 0, since: Number.MAX_SAFE_INTEGER };

/** How an instant names it, in the place of a boot. */
export function nameOfEpoch({ number, since }: Epoch): string {
  return `epoch ${number} since ${since}`;
}

/** Undefined: this is the boot of one computer. */
export function epochOf(boot: string): Epoch | undefined {
  const [, number, since] = /^epoch (\d+) since (\d+)$/.exec(boot) ?? [];
  return number === undefined ? undefined : { number: Number(number), since: Number(since) };
}

/** Two of one number, of which a ledger lost one: neither is older. */
export function isOlder(one: Epoch, other: Epoch): boolean {
  return one.number < other.number;
}

export function isSameEpoch(one: Epoch, other: Epoch): boolean {
  return one.number === other.number && one.since === other.since;
}
