import type { Combination } from "../service/contract/contract.ts";

/** An offer, by what does not change of it. */
export interface SampledOffer extends Combination {
  readonly gpus: number;
  readonly gpuModel: string | null;
}

/** What an offer showed. */
export interface Quote {
  /** An hour of the whole machine, an exact decimal; null: not known. */
  readonly price: string | null;
  /** Machines that could be had; 0: sold out, or not listed any more; null: not known. */
  readonly room: number | null;
}

/**
 * What changed of the market from one reading of the offers to the next. One row a change, not a reading: where no offer
 * says anything new, nothing is written but how long that was seen. See market-history.ts for what it means.
 */
export interface Sample {
  /** When this was read, wall time in ms. */
  readonly at: number;
  /** The newest moment written down at which nothing else was read, wall time in ms. */
  readonly until: number;
  /** All that is offered is said again, and the numbers begin anew. The first sample of a day of UTC is such a one. */
  readonly whole?: true;
  /** Offers that have had no number since. They take the next ones, from 0 on. */
  readonly offers?: readonly (readonly [
    offer: string,
    provider: string,
    location: string,
    gpus: number,
    gpuModel: string | null,
  ])[];
  /** By number, what offers say from now on. */
  readonly said: readonly (readonly [offer: number, price: Quote["price"], room: Quote["room"]])[];
  /** By number, launches that were refused since the sample before, and the seconds that it cools for that; 0: it does not. */
  readonly refused?: readonly (readonly [offer: number, seconds: number])[];
}
