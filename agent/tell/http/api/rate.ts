/** So many orders at once, and so many a minute after that, of one actor. */
const MOST_AT_ONCE = 20;
const A_MINUTE = 60;
/** Actors that are remembered. */
const MOST_ACTORS = 200;

interface Bucket {
  readonly left: number;
  /** Monotonic, in milliseconds. */
  readonly at: number;
}

/** Orders that each actor may still give now. A program that runs wild must not fill the ledger's turns. */
export class Rate {
  readonly #buckets = new Map<string, Bucket>();

  /** Takes one. Gives 0, or the seconds after which there is one again. */
  take(actor: string, mono: number): number {
    const { left, at } = this.#buckets.get(actor) ?? { left: MOST_AT_ONCE, at: mono };
    const now = Math.min(MOST_AT_ONCE, left + ((mono - at) / 60_000) * A_MINUTE);
    const waits = now >= 1 ? 0 : Math.ceil(((1 - now) * 60) / A_MINUTE);
    // The newest stand last.
    this.#buckets.delete(actor);
    this.#buckets.set(actor, { left: waits > 0 ? now : now - 1, at: mono });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MOST_ACTORS && oldest !== undefined) this.#buckets.delete(oldest);
    return waits;
  }
}
