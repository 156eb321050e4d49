/** Actors that are remembered. */
const MOST_ACTORS = 200;

interface Bucket {
  readonly left: number;
  /** Monotonic, in milliseconds. */
  readonly at: number;
}

/** What each actor may still do now. A program that runs wild must not fill the ledger's turns. */
export class Rate {
  readonly #atOnce: number;
  readonly #aMinute: number;
  readonly #buckets = new Map<string, Bucket>();

  /** So many at once, and so many a minute after that, of one actor. */
  constructor(atOnce = 20, aMinute = 60) {
    this.#atOnce = atOnce;
    this.#aMinute = aMinute;
  }

  /** Takes one. Gives 0, or the seconds after which there is one again. */
  take(actor: string, mono: number): number {
    const { left, at } = this.#buckets.get(actor) ?? { left: this.#atOnce, at: mono };
    const now = Math.min(this.#atOnce, left + ((mono - at) / 60_000) * this.#aMinute);
    const waits = now >= 1 ? 0 : Math.ceil(((1 - now) * 60) / this.#aMinute);
    // The newest stand last.
    this.#buckets.delete(actor);
    this.#buckets.set(actor, { left: waits > 0 ? now : now - 1, at: mono });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > MOST_ACTORS && oldest !== undefined) this.#buckets.delete(oldest);
    return waits;
  }
}
