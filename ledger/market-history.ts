import { combinationKey } from "../service/contract/contract.ts";
import type { History } from "./chart-history.ts";
import { DAY_MS, MINUTE_MS } from "./instant.ts";
import type { Quote, Sample, SampledOffer } from "./sample.ts";
import { SampleSeries } from "./sample-series.ts";

/** What the offer showed from this moment on, wall time in ms. */
export interface QuoteChange extends Quote {
  readonly at: number;
}

/** What is known of one offer, the oldest first. */
export interface OfferHistory extends SampledOffer {
  readonly changes: readonly QuoteChange[];
  /** Launches that were refused, and for how many seconds it cooled for each. */
  readonly refused: readonly { readonly at: number; readonly seconds: number }[];
}

export interface MarketHistory {
  /** When somebody looked, from when until when, the oldest first. What was offered in between is not known. */
  readonly looked: readonly (readonly [from: number, until: number])[];
  readonly offers: readonly OfferHistory[];
}

/** An `agent --once` may come each hour. If two readings are further apart, nobody looked in between. */
const GAP_MS = 65 * MINUTE_MS;

/** How the offers of an account changed from one moment to another, wall time in ms. What they showed at its begin is the first change. */
export async function marketHistory(
  history: Pick<History, "samples">,
  account: string,
  from: number,
  to: number,
): Promise<MarketHistory> {
  // A day begins with all that is offered.
  return historyOf(await history.samples(account, dayOf(from) * DAY_MS, to), from);
}

/** The day of UTC, counted from 1970. */
export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS);
}

function historyOf(samples: readonly Sample[], from: number): MarketHistory {
  const series = new SampleSeries();
  const looked: [number, number][] = [];
  const offers = new Map<
    string,
    OfferHistory & { changes: QuoteChange[]; refused: { at: number; seconds: number }[] }
  >();
  const found = ({ offer, provider, location, gpus, gpuModel }: SampledOffer) => {
    const key = combinationKey({ offer, provider, location });
    const before = offers.get(key);
    if (before) return before;
    const fresh = { offer, provider, location, gpus, gpuModel, changes: [], refused: [] };
    offers.set(key, fresh);
    return fresh;
  };
  for (const sample of samples) {
    const last = looked.at(-1);
    if (last && sample.at - last[1] <= GAP_MS) last[1] = Math.max(last[1], sample.until);
    else looked.push([sample.at, sample.until]);
    const at = Math.max(sample.at, from);
    const { said, refused } = series.take(sample);
    for (const { offer, seconds } of refused)
      if (sample.at >= from) found(offer).refused.push({ at, seconds });
    for (const { price, room, ...offer } of said) change(found(offer).changes, { at, price, room });
    if (sample.whole) leave(offers.values(), series, at);
  }
  return {
    looked: looked
      .filter(([, until]) => until >= from)
      .map(([begin, until]) => [Math.max(begin, from), until]),
    offers: [...offers.values()],
  };
}

/** What is not among all that is offered is offered no more. */
function leave(
  offers: Iterable<OfferHistory & { changes: QuoteChange[] }>,
  series: SampleSeries,
  at: number,
): void {
  const listed = new Set(series.quotes.map(combinationKey));
  for (const offer of offers)
    if (!listed.has(combinationKey(offer))) change(offer.changes, { at, price: null, room: 0 });
}

function change(changes: QuoteChange[], next: QuoteChange): void {
  const last = changes.at(-1);
  if (last && last.price === next.price && last.room === next.room) return;
  // Before the begin only the newest counts.
  if (last?.at === next.at) changes[changes.length - 1] = next;
  else changes.push(next);
}
