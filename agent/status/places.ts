import type { Context } from "../../launch/facts/context.ts";
import type { History } from "../../ledger/chart-history.ts";
import type { Draft } from "../../ledger/draft.ts";
import { DAY_MS, HOUR_MS } from "../../ledger/instant.ts";
import { dayOf, type MarketHistory, marketHistory, type OfferHistory } from "../../ledger/market-history.ts";
import { combinationKey } from "../../service/contract/contract.ts";
import { formatUsd, parsePrice, USD, ZERO_USD } from "../../service/contract/money.ts";
import type { AccountPlaces, PlaceFacts } from "../json/places.ts";
import { lossRateOf, type Stays, staysByCombination } from "../planning/choices/loss-rate.ts";
import { median } from "./median.ts";

/** Of how many days prices are shown. */
const PRICE_DAYS = 30;

/** What is known of each combination: from the machines that were launched there, and from what its offer showed. */
export async function placesOf(
  history: Pick<History, "samples">,
  draft: Draft,
  days: number,
  { now }: Context,
): Promise<AccountPlaces> {
  const { key, email, baseUrl, currency = USD } = draft.account;
  const market = await marketHistory(history, key, now.wall - PRICE_DAYS * DAY_MS, now.wall + 1);
  const records = staysByCombination(draft, days, now);
  const offers = new Map(market.offers.map((offer) => [combinationKey(offer), offer]));
  const since = (dayOf(now.wall) - days + 1) * DAY_MS;
  const [first, last] = [market.looked[0]?.[0], market.looked.at(-1)?.[1]];
  const places = [...new Set([...records.keys(), ...offers.keys()])].map((place) => {
    const offer = offers.get(place) ?? unoffered(draft, place);
    return factsOf(offer, records.get(place), market.looked, since, now.wall);
  });
  return {
    ...{ account: email, baseUrl, currency },
    since: first === undefined ? null : new Date(first).toISOString(),
    read: last === undefined ? null : new Date(last).toISOString(),
    places: places.sort(byUse),
  };
}

/** One that machines were launched in, and that no sample has. */
function unoffered(draft: Draft, place: string): OfferHistory {
  const [offer, provider, location] = JSON.parse(place) as [string, string, string];
  const [launch] = draft.intents.newest("combination", place);
  return { offer, provider, location, gpus: launch?.gpus ?? 0, gpuModel: null, changes: [], refused: [] };
}

function factsOf(
  offer: OfferHistory,
  record: Stays = { launches: 0, failures: 0, losses: 0, ms: 0, toRun: [] },
  looked: MarketHistory["looked"],
  since: number,
  now: number,
): PlaceFacts {
  const last = offer.changes.at(-1);
  const refused = offer.refused.filter(({ at }) => at >= since);
  const mean = (days: number): string | null => meanPrice(offer, looked, now - days * DAY_MS);
  return {
    ...{ offer: offer.offer, provider: offer.provider, location: offer.location },
    ...{ gpus: offer.gpus, gpuModel: offer.gpuModel },
    ...{
      launches: record.launches,
      refused: refused.length,
      failures: record.failures,
      losses: record.losses,
    },
    machineDays: round(record.ms / DAY_MS),
    lossesPerMachineDay: rounded(record),
    secondsToRun: record.toRun.length === 0 ? null : Math.round(median(record.toRun) / 1000),
    hoursCooling: round(coolingMs(refused, now) / HOUR_MS),
    pricePerHour: { now: last?.price ?? null, days7: mean(7), days30: mean(PRICE_DAYS) },
    room: last?.room ?? null,
  };
}

function rounded(record: Stays): PlaceFacts["lossesPerMachineDay"] {
  const rate = lossRateOf(record);
  return rate ? { mean: round(rate.mean), low: round(rate.low), high: round(rate.high) } : null;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Times that overlap count once. */
function coolingMs(refused: OfferHistory["refused"], now: number): number {
  let [sum, until] = [0, 0];
  for (const { at, seconds } of refused) {
    const end = Math.min(now, at + seconds * 1000);
    sum += Math.max(0, end - Math.max(at, until));
    until = Math.max(until, end);
  }
  return sum;
}

/** By the time in which it was seen at a known price, sold out or not; null: never. */
function meanPrice({ changes }: OfferHistory, looked: MarketHistory["looked"], from: number): string | null {
  let [sum, time] = [ZERO_USD, 0];
  for (const [begin, until] of looked)
    for (const [index, { at, price }] of changes.entries()) {
      const amount = price === null ? undefined : parsePrice(price);
      const end = changes[index + 1]?.at ?? Number.POSITIVE_INFINITY;
      const ms = Math.min(until, end) - Math.max(begin, at, from);
      if (!amount || ms < 0) continue;
      // What was seen at one moment alone counts, too.
      sum = sum.plus(amount.times(ms + 1));
      time += ms + 1;
    }
  return time === 0 ? null : formatUsd(sum.div(time));
}

/** Where most machines were first; then what costs least for a GPU, an unknown price last. */
function byUse(one: PlaceFacts, other: PlaceFacts): number {
  return (
    other.machineDays - one.machineDays ||
    other.launches + other.refused - one.launches - one.refused ||
    perGpu(one) - perGpu(other) ||
    combinationKey(one).localeCompare(combinationKey(other))
  );
}

function perGpu({ pricePerHour: { now }, gpus }: PlaceFacts): number {
  return now === null || gpus === 0 ? Number.MAX_VALUE : Number(now) / gpus;
}
