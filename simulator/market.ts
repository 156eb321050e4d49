import { type Combination, combinationKey } from "../service/contract/contract.ts";
import type { CatalogueOffer } from "./catalogue.ts";
import type { Failure } from "./failures.ts";

/** The offers and what is left of them. A cooldown is for all accounts (specification, section 7). */
export interface Market {
  readonly listings: Map<string, Listing>;
  /** From the key of a combination to the end of its cooldown. */
  readonly cooling: Map<string, number>;
  readonly maintenance: Set<string>;
  readonly planned: PlannedFailure[];
}

export interface Listing {
  readonly combination: Combination;
  readonly gpus: number;
  readonly gpuModel: string;
  pricePerHour: string;
  /** Where it is not the one of the profile. */
  readonly currency?: string;
  capacity: number;
  /** Machines of this combination that live now. */
  taken: number;
}

/** Where something is to happen. Every part that is given must be equal. */
export type Place = Partial<Combination>;

export interface PlannedFailure {
  readonly place: Place;
  readonly failure: Failure;
  readonly during: "initializing" | "provisioning" | "connecting";
  remaining: number;
}

export function createMarket(offers: readonly CatalogueOffer[]): Market {
  const listings = new Map<string, Listing>();
  for (const { offer, provider, location, gpus, gpuModel, pricePerHour, capacity } of offers) {
    const combination = { offer, provider, location };
    const key = combinationKey(combination);
    if (listings.has(key)) throw new RangeError(`the catalogue has ${key} twice`);
    listings.set(key, { combination, gpus, gpuModel, pricePerHour, capacity, taken: 0 });
  }
  return { listings, cooling: new Map(), maintenance: new Set(), planned: [] };
}

export function listingOf(market: Market, combination: Combination): Listing {
  const listing = market.listings.get(combinationKey(combination));
  if (listing === undefined) throw new RangeError(`no such offer: ${combinationKey(combination)}`);
  return listing;
}

/** Lets this combination cool down for every account. A shorter cooldown never ends a longer one. */
export function cool(market: Market, combination: Combination, until: number): void {
  const key = combinationKey(combination);
  market.cooling.set(key, Math.max(until, market.cooling.get(key) ?? 0));
}

/** The milliseconds of its cooldown that are left; 0 if it does not cool down. */
export function coolingMs(market: Market, combination: Combination, at: number): number {
  return Math.max(0, (market.cooling.get(combinationKey(combination)) ?? 0) - at);
}

/** Takes the first planned failure that is meant for this combination. */
export function takePlannedFailure(market: Market, combination: Combination): PlannedFailure | undefined {
  const index = market.planned.findIndex(({ place }) => within(combination, place));
  const planned = market.planned[index];
  if (planned === undefined) return undefined;
  planned.remaining -= 1;
  if (planned.remaining <= 0) market.planned.splice(index, 1);
  return planned;
}

export function within(combination: Combination, place: Place): boolean {
  return (
    (place.offer ?? combination.offer) === combination.offer &&
    (place.provider ?? combination.provider) === combination.provider &&
    (place.location ?? combination.location) === combination.location
  );
}
