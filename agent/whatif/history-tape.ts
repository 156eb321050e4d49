import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../ledger/instant.ts";
import { dayOf, type MarketHistory, type OfferHistory } from "../../ledger/market-history.ts";
import { combinationKey } from "../../service/contract/contract.ts";
import { parsePrice } from "../../service/contract/money.ts";
import type { Stays } from "../planning/choices/loss-rate.ts";
import type { MarketEvent, Tape } from "./tape.ts";

/* The market as a ledger saw it, as a tape. What a ledger cannot know is assumed here, and said (doubts.ts). */

/** Where offers do not show how many can be had: machines that live there at one time. */
export const ASSUMED_ROOM = 4;
/** So long nothing more begins where a launch was refused. */
export const REFUSED_MS = 10 * MINUTE_MS;

/** What stood between the samples of a market. */
export interface Seen {
  readonly tape: Tape;
  /** Offers that never showed a price: they are left out. */
  readonly unpriced: number;
  /** Offers that never said how many can be had. */
  readonly uncounted: number;
  /** How often nobody looked, and for how many hours together. */
  readonly gaps: { readonly count: number; readonly hours: number };
}

/** By the key of a combination, the day since 1970 and how long machines of this ledger were there. */
type Held = readonly (readonly [string, number, Pick<Stays, "ms">])[];

/** Wall times in ms. What this ledger had itself was there to be had, beside what others were offered. */
export function seenMarket(history: MarketHistory, held: Held, from: number, to: number, name: string): Seen {
  const priced = history.offers.filter((offer) => firstPrice(offer) !== undefined);
  const own = new Map<string, number>();
  for (const [key, day, { ms }] of held) {
    const at = `${key} ${day}`;
    own.set(at, (own.get(at) ?? 0) + ms / DAY_MS);
  }
  const ownAt = (offer: OfferHistory, at: number): number =>
    Math.round(own.get(`${combinationKey(offer)} ${dayOf(at)}`) ?? 0);
  const events = priced.flatMap((offer, index) => eventsOf(offer, index, from, to, (at) => ownAt(offer, at)));
  const gaps = [[from, from] as const, ...history.looked, [to, to] as const].flatMap(
    ([begin], index, all) => {
      const ms = begin - (all[index - 1]?.[1] ?? begin);
      return ms > HOUR_MS ? [ms] : [];
    },
  );
  return {
    tape: {
      ...{ name, days: (to - from) / DAY_MS, floats: false },
      offers: priced.map(({ offer, provider, location, gpus, gpuModel }) => {
        return { offer, provider, location, gpus, gpuModel: gpuModel ?? "?" };
      }),
      start: priced.map((offer) => [firstPrice(offer) ?? 1, 0]),
      events: events.sort(([one], [other]) => one - other),
    },
    unpriced: history.offers.length - priced.length,
    uncounted: priced.filter(({ changes }) =>
      changes.every(({ price, room }) => room === null || price === null),
    ).length,
    gaps: { count: gaps.length, hours: gaps.reduce((sum, ms) => sum + ms, 0) / HOUR_MS },
  };
}

function firstPrice({ changes, gpus }: OfferHistory): number | undefined {
  if (gpus < 1) return undefined;
  return changes.map(({ price }) => usable(price)).find((price) => price !== undefined);
}

/** The simulator's prices have four decimals, and nothing is given away. */
function usable(price: string | null): number | undefined {
  const amount = price === null ? undefined : Number(parsePrice(price)?.toFixed(4));
  return amount !== undefined && amount > 0 ? amount : undefined;
}

function eventsOf(
  offer: OfferHistory,
  index: number,
  from: number,
  to: number,
  own: (at: number) => number,
): readonly MarketEvent[] {
  const events: MarketEvent[] = [];
  const prices = offer.changes.flatMap(({ at, price }) => {
    const usd = usable(price);
    return usd === undefined ? [] : [[at - from, "p", index, usd] satisfies MarketEvent];
  });
  events.push(...prices);
  const roomAt = (at: number): number => {
    const shown = offer.changes.findLast((change) => change.at <= at);
    if (!shown || usable(shown.price) === undefined || shown.room === 0) return 0;
    const isRefused = offer.refused.some((each) => each.at <= at && at < each.at + refusedMs(each));
    return (isRefused ? 0 : (shown.room ?? ASSUMED_ROOM)) + own(at);
  };
  const days = Array.from({ length: dayOf(to) - dayOf(from) }, (_, day) => (dayOf(from) + day + 1) * DAY_MS);
  const moments = [
    from,
    ...offer.changes.map(({ at }) => at),
    ...offer.refused.flatMap((each) => [each.at, each.at + refusedMs(each)]),
    ...days,
  ];
  let last = 0;
  for (const at of moments.sort((one, other) => one - other)) {
    const room = roomAt(at);
    if (at < from || at >= to || room === last) continue;
    events.push([at - from, "c", index, room]);
    last = room;
  }
  return events;
}

function refusedMs({ seconds }: OfferHistory["refused"][number]): number {
  return Math.max(REFUSED_MS, seconds * 1000);
}
