import { coolingFor } from "../launch/admit.ts";
import type { Context } from "../launch/context.ts";
import type { Draft } from "../ledger/draft.ts";
import { elapsed } from "../ledger/instant.ts";
import type { Combination } from "../service/contract.ts";
import { combinationKey, place } from "../service/contract.ts";
import { parseUsd } from "../service/money.ts";
import type { Offer } from "../service/service.ts";
import type { Option } from "./mix.ts";
import type { Wish } from "./wish.ts";

/** What may be launched now, what is better left alone, and what must wait. */
export interface Choice {
  readonly ready: readonly Option[];
  /** Could be launched, but just lost machines. */
  readonly avoided: readonly Option[];
  readonly waiting: readonly { readonly option: Option; readonly ms: number; readonly why: string }[];
  /** Why offers of the catalogue do not count. */
  readonly reasons: readonly string[];
}

/** How long a place that lost a machine is avoided: interruptions come in clusters of a few minutes. */
const AVOID_MS = 5 * 60_000;
/** The first wait after a launch that failed; doubles with each failure in a row. */
const BACKOFF_MS = 30_000;
const LONGEST_BACKOFF_MS = 15 * 60_000;
/** How far back failures count. */
const FAILURE_MEMORY_MS = 3_600_000;

/** The combinations that this wish allows, the preferred (or cheapest) first, whether or not they can be had now. */
export function allowed(wish: Wish, offers: readonly Offer[] | undefined): readonly Option[] {
  if (wish.candidates) {
    return wish.candidates.map(({ offer, provider, location, gpus, pricePerHour }) => {
      const known = offers?.find(
        (each) => combinationKey(each) === combinationKey({ offer, provider, location }),
      );
      const price = known?.pricePerHour ?? pricePerHour;
      return {
        offer,
        provider,
        location,
        gpus,
        pricePerHour: price === undefined ? undefined : parseUsd(price),
      };
    });
  }
  return (offers ?? [])
    .filter((offer) => offer.available !== false && fits(wish, offer))
    .map(({ offer, provider, location, gpus, pricePerHour }) => ({
      offer,
      provider,
      location,
      gpus,
      pricePerHour: pricePerHour === undefined ? undefined : parseUsd(pricePerHour),
    }))
    .sort(
      (one, other) => perGpu(one) - perGpu(other) || combinationKey(one).localeCompare(combinationKey(other)),
    );
}

/** Sorts what is allowed by what can be launched at this moment. */
export function choose(
  draft: Draft,
  wish: Wish,
  offers: readonly Offer[] | undefined,
  context: Context,
): Choice {
  const ready: Option[] = [];
  const avoided: Option[] = [];
  const waiting: { option: Option; ms: number; why: string }[] = [];
  for (const option of allowed(wish, offers)) {
    const cooling = coolingFor(draft.cooldown(option), context);
    const backoff = backoffFor(draft, option, context);
    const ms = Math.max(cooling, backoff);
    if (ms > 0) {
      const why = cooling >= backoff ? "cools" : "failed lately, tried again";
      waiting.push({ option, ms, why: `${place(option)} ${why} for ${Math.ceil(ms / 1000)} s more` });
    } else if (justLost(draft, option, context)) {
      avoided.push(option);
    } else {
      ready.push(option);
    }
  }
  const none = ready.length + avoided.length + waiting.length === 0;
  return { ready, avoided, waiting, reasons: none ? [nothingFits(wish, offers)] : [] };
}

function fits({ select }: Wish, offer: Offer): boolean {
  if (!select) return false;
  const { gpuModel, providers, locations, maxPricePerGpuHour } = select;
  if (gpuModel !== undefined && offer.gpuModel !== gpuModel) return false;
  if (providers && !providers.includes(offer.provider)) return false;
  if (locations && !locations.includes(offer.location)) return false;
  if (maxPricePerGpuHour === undefined) return true;
  const price = offer.pricePerHour === undefined ? undefined : parseUsd(offer.pricePerHour);
  const ceiling = parseUsd(maxPricePerGpuHour);
  return price !== undefined && ceiling !== undefined && price.lte(ceiling.times(offer.gpus));
}

function nothingFits({ candidates, select = {} }: Wish, offers: readonly Offer[] | undefined): string {
  if (candidates) return "the fleet names no candidates";
  if (!offers) return "the offers have not been read";
  const some = (values: readonly (string | undefined)[]): string =>
    [...new Set(values.filter((value) => value !== undefined))].sort().slice(0, 8).join(", ") || "none";
  const { gpuModel, providers, locations, maxPricePerGpuHour } = select;
  const asked = [
    gpuModel === undefined
      ? []
      : [`gpuModel ${gpuModel} (there are ${some(offers.map((offer) => offer.gpuModel))})`],
    providers
      ? [`providers ${providers.join(", ")} (there are ${some(offers.map((offer) => offer.provider))})`]
      : [],
    locations
      ? [`locations ${locations.join(", ")} (there are ${some(offers.map((offer) => offer.location))})`]
      : [],
    maxPricePerGpuHour === undefined ? [] : [`at most ${maxPricePerGpuHour} USD a GPU and hour`],
  ].flat();
  return `none of the service's ${offers.length} offers fits ${asked.join(" and ") || "and is available"}`;
}

function perGpu(option: Option): number {
  return option.pricePerHour === undefined
    ? Number.POSITIVE_INFINITY
    : Number(option.pricePerHour) / option.gpus;
}

/** Failures in a row of one combination double the wait before it is tried again. */
function backoffFor(draft: Draft, combination: Combination, context: Context): number {
  const launches = [...draft.intents.values()]
    .filter((intent) => combinationKey(intent) === combinationKey(combination) && intent.resolved !== null)
    .filter((intent) => elapsed(intent.resolved ?? context.now, context.now) < FAILURE_MEMORY_MS)
    .reverse();
  let failures = 0;
  let last: number | undefined;
  for (const intent of launches) {
    const row = intent.deployment === null ? undefined : draft.deployments.get(intent.deployment);
    const cooled = intent.state === "rejected" && intent.detail.includes("offer_cooling_down");
    if (cooled || intent.state === "notSent" || intent.state === "absent") continue;
    if (intent.state !== "rejected" && row?.end !== "failed") break;
    failures += 1;
    last ??= elapsed(row?.ended ?? intent.resolved ?? context.now, context.now);
  }
  if (last === undefined) return 0;
  return Math.max(0, Math.min(BACKOFF_MS * 2 ** (failures - 1), LONGEST_BACKOFF_MS) - last);
}

function justLost(draft: Draft, combination: Combination, context: Context): boolean {
  return [...draft.deployments.values()].some(
    (row) =>
      (row.end === "interrupted" || row.end === "gone") &&
      row.ended !== null &&
      elapsed(row.ended, context.now) < AVOID_MS &&
      sameSpot(draft, row.intent, row, combination),
  );
}

function sameSpot(
  draft: Draft,
  intentId: string | null,
  row: { readonly provider: string | null; readonly location: string | null },
  combination: Combination,
): boolean {
  const intent = intentId === null ? undefined : draft.intents.get(intentId);
  return (
    (row.provider ?? intent?.provider) === combination.provider &&
    (row.location ?? intent?.location) === combination.location
  );
}
