import { whyLacking } from "../../../launch/admit/holds.ts";
import { groupNow, lookedForInGroup } from "../../../launch/claim/open-in-group.ts";
import type { Context } from "../../../launch/facts/context.ts";
import { coolingFor } from "../../../launch/facts/cooling.ts";
import { type Hold, hold } from "../../../launch/facts/hold.ts";
import { billOf } from "../../../launch/money/spend.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { elapsed, HOUR_MS, MINUTE_MS } from "../../../ledger/instant.ts";
import type { DeploymentRow, IntentRow, Owner } from "../../../ledger/rows.ts";
import { combinationKey, combinationText } from "../../../service/contract/contract.ts";
import { amountText, parsePrice, parseUsd, USD, usdText } from "../../../service/contract/money.ts";
import type { Money, Offer } from "../../../service/contract/service.ts";
import { createMemory } from "../../../service/same/memory.ts";
import { isModel, modelsOf, type Wish } from "../../fleet/wish/wish.ts";
import { locality, type Option } from "../mix/mix.ts";
import { launchBackoffOf } from "./launch-backoff.ts";
import { offeredModels } from "./offered-models.ts";

interface Held {
  readonly option: Option;
  readonly hold: Hold;
}

/** What may be launched now, what is better left alone, and what must wait. */
export interface Choice {
  readonly ready: readonly Option[];
  /** Could be launched, but their locality just lost machines, or they just gave a sick one. */
  readonly avoided: readonly Option[];
  readonly waiting: readonly Held[];
  /** Fits, and is sold out now. */
  readonly soldOut: readonly Option[];
  /** Why combinations are not tried any more. */
  readonly blocks: readonly Held[];
  /** Why everything waits, whatever is ready. */
  readonly hold: Hold | undefined;
  /** Why nothing fits; empty where something does. */
  readonly unfit: readonly Hold[];
}

/** How long a locality that lost a machine is avoided: interruptions come in clusters of a few minutes. */
const AVOID_MS = 5 * MINUTE_MS;

/**
 * Unless the wish says otherwise: another place is taken that costs the same. What is dearer costs more for as long as the machine lives, and
 * a second loss within minutes costs minutes. No market that was tried was cheaper with more: docs/how/performance.md.
 */
const AVOID = "0%";

/** Unless the wish says otherwise, where what was lost was in its first hour: a place that takes each machine back at once never makes the count. */
const AVOID_YOUNG = "10%";

/** How long a combination is avoided that gave a sick machine: the same host would come back. */
const AVOID_SICK_MS = HOUR_MS;

/** The combinations that this wish allows and that are not sold out, the preferred (or cheapest) first. */
export function allowed(wish: Wish, offers: readonly Offer[] | undefined): readonly Option[] {
  return withinCeiling(wish, offers).filter(({ stock }) => stock !== 0);
}

/** All that fits and keeps to `budget.perGpuHour`. An unknown price is refused later, with the reason. */
export function withinCeiling(wish: Wish, offers: readonly Offer[] | undefined): readonly Option[] {
  const ceiling = priceOf(wish.budget.perGpuHour);
  return fitting(wish, offers).filter(
    ({ pricePerHour, gpus }) =>
      ceiling === undefined || pricePerHour === undefined || pricePerHour.lte(ceiling.times(gpus)),
  );
}

/**
 * All combinations that this wish allows, the preferred (or cheapest) first. Also those that are sold out:
 * the fleet's own machines may have used one up.
 */
export function fitting(wish: Wish, offers: readonly Offer[] | undefined): readonly Option[] {
  if (wish.candidates) return candidatesOf(wish.candidates, offers);
  const { select } = wish;
  return select && offers ? selected.of(select, [offers], () => selectedFrom(offers, select)) : [];
}

/** One plan asks a dozen times. */
const selected = createMemory<Select, readonly Option[]>();

function selectedFrom(offers: readonly Offer[], select: Select): readonly Option[] {
  const mayTake = fitsTo(select);
  return offers
    .filter((offer) => offer.gpus > 0 && mayTake(offer))
    .map((offer) => optionOf(offer, select))
    .map((option) => ({ option, price: pricePerWork(option) }))
    .sort(
      (one, other) =>
        one.price - other.price || combinationKey(one.option).localeCompare(combinationKey(other.option)),
    )
    .map(({ option }) => option);
}

/** Sorts what is allowed by what can be launched at this moment. */
export function choose(
  draft: Draft,
  owner: Owner,
  wish: Wish,
  offers: readonly Offer[] | undefined,
  context: Context,
): Choice {
  const ready: Option[] = [];
  const avoided: Option[] = [];
  const waiting: Held[] = [];
  const soldOut: Option[] = [];
  const blocks: Held[] = [];
  const held: { option: Option; open: IntentRow }[] = [];
  const launchBackoff = launchBackoffOf(draft, owner, wish, context);
  const [lost, sick] = [justLost(draft, context), justSick(draft, context)];
  const anyOpen = draft.intents.of("state", "open").some(() => true);
  for (const option of withinCeiling(wish, offers)) {
    if (option.stock === 0) {
      soldOut.push(option);
      continue;
    }
    const block = whyLacking(option, context.wire.abilities) ?? launchBackoff.blockOf(option);
    if (block) {
      blocks.push({ option, hold: block });
      continue;
    }
    const cooling = coolingFor(draft.cooldown(option), context);
    const backoff = launchBackoff.waitFor(option);
    const ms = Math.max(cooling, backoff?.ms ?? 0);
    if (ms > 0) {
      const until = context.now.wall + ms;
      const where = combinationText(option);
      const why = backoff && backoff.ms > cooling ? backoff.why : "cools";
      const held =
        why === "cools"
          ? hold("cooling", { place: where }, until)
          : hold("leftAlone", { place: where, why }, until);
      waiting.push({ option, hold: held });
      continue;
    }
    const open = anyOpen && lookedForInGroup(draft, groupNow(draft, { ...option, id: "" }, context), context);
    if (open) {
      held.push({ option, open });
      continue;
    }
    const percent =
      sick.size > 0 && sick.has(combinationKey(option))
        ? Number.POSITIVE_INFINITY
        : lost.size > 0 && lost.has(locality(option))
          ? Number.parseFloat(wish.avoid ?? lost.get(locality(option)) ?? AVOID)
          : undefined;
    if (percent === undefined) ready.push(option);
    else avoided.push({ ...option, avoided: percent });
  }
  // A lost answer is looked for over minutes. Meanwhile others that can be told apart are launched.
  if (ready.length + avoided.length === 0) ready.push(...held.map(({ option }) => option));
  else waiting.push(...held.map(untilResolved));
  const none = ready.length + avoided.length + waiting.length + soldOut.length + blocks.length === 0;
  return {
    ready,
    avoided,
    waiting,
    soldOut,
    blocks,
    hold: launchBackoff.waitForAll(),
    unfit: none ? [hold("unfit", { why: nothingFits(wish, offers, draft.account) })] : [],
  };
}

/** It is over at a moment that nobody knows before: the next poll looks again. */
function untilResolved({ option, open }: { readonly option: Option; readonly open: IntentRow }): Held {
  const numbers = { place: combinationText(option), open: combinationText(open), detail: open.detail };
  return { option, hold: hold("beside", numbers) };
}

/**
 * The listed price of a candidate counts, as for a `Deployment`: the written one may be old, or of one GPU.
 */
function candidatesOf(
  candidates: NonNullable<Wish["candidates"]>,
  offers: readonly Offer[] | undefined,
): readonly Option[] {
  return candidates.map(({ offer, provider, location, gpus, pricePerHour }) => {
    const known = offers?.find(
      (each) => combinationKey(each) === combinationKey({ offer, provider, location }),
    );
    return {
      offer,
      provider,
      location,
      gpus,
      pricePerHour: parsePrice(known?.pricePerHour ?? pricePerHour),
      model: known?.gpuModel,
      extra: known?.extra,
      stock: stockOf(known),
    };
  });
}

function optionOf(offer: Offer, select: Wish["select"]): Option {
  const { provider, location, gpus, extra } = offer;
  return {
    offer: offer.offer,
    provider,
    location,
    gpus,
    pricePerHour: offeredPrice(offer),
    worth: worthOf(select, offer),
    model: offer.gpuModel,
    extra,
    stock: stockOf(offer),
  };
}

/** 0 where the offer says that it is sold out; undefined where the number is not known. */
function stockOf(offer: Offer | undefined): number | undefined {
  return offer?.available === false ? 0 : offer?.stock;
}

function priceOf(text: string | undefined): Option["pricePerHour"] {
  return text === undefined ? undefined : parseUsd(text);
}

/** What `select.worth` says of an offer's model; undefined: nothing, so it is 1. */
export function worthOf(select: Wish["select"], { gpuModel }: Offer): string | undefined {
  return Object.entries(select?.worth ?? {}).find(([model]) => isModel(gpuModel, model))?.[1];
}

/** A name with white space that nobody sees is quoted, so that it looks like no other one. */
function seen(name: string): string {
  if (/^\S+( \S+)*$/.test(name)) return name;
  return JSON.stringify(name).replace(/[^\S ]/g, (space) => `\\u00${space.charCodeAt(0).toString(16)}`);
}

/** Whether an offer is within the limits of a selector; it says nothing about what is available. */
export function fits({ select }: Pick<Wish, "select">, offer: Offer): boolean {
  return select !== undefined && fitsTo(select)(offer);
}

function fitsTo({ gpuModel, providers, locations, maxPricePerGpuHour }: Select): (offer: Offer) => boolean {
  const ceiling = priceOf(maxPricePerGpuHour);
  const models = gpuModel === undefined ? undefined : modelsOf(gpuModel);
  return (offer) => {
    if (models && !models.some((each) => isModel(offer.gpuModel, each))) return false;
    if (providers && !providers.includes(offer.provider)) return false;
    if (locations && !locations.includes(offer.location)) return false;
    if (maxPricePerGpuHour === undefined) return true;
    const price = offeredPrice(offer);
    return price !== undefined && ceiling !== undefined && price.lte(ceiling.times(offer.gpus));
  };
}

type Select = NonNullable<Wish["select"]>;

/** Of one machine; undefined: not known. */
function offeredPrice(offer: Offer): Option["pricePerHour"] {
  return prices.of(offer, [], () => parsePrice(offer.pricePerHour));
}

const prices = createMemory<Offer, Option["pricePerHour"]>();

/** Why nothing fits, and what there is instead. */
export function nothingFits(
  wish: Wish,
  offers: readonly Offer[] | undefined,
  { currency }: Pick<Money, "currency">,
): string {
  const { candidates, select = {}, budget } = wish;
  if (fitting(wish, offers).length > 0)
    return `every combination costs more than ${amountText(budget.perGpuHour, currency)} a GPU and hour, which is the budget${dearerThanSaid(wish, offers, currency)}`;
  if (candidates) return "the fleet names no candidates";
  if (!offers) return "the offers have not been read";
  if (offers.length === 0) return "the service lists no offers";
  const firstOf = (names: readonly string[]): string => names.slice(0, 8).map(seen).join(", ") || "none";
  const some = (values: readonly string[]): string => firstOf([...new Set(values)].sort());
  const { gpuModel, providers, locations, maxPricePerGpuHour } = select;
  const asked = [
    gpuModel === undefined
      ? []
      : [`gpuModel ${modelsOf(gpuModel).join(" or ")} (there are ${firstOf(offeredModels(select, offers))})`],
    providers
      ? [
          `providers ${providers.map(seen).join(", ")} (there are ${some(offers.map((offer) => offer.provider))})`,
        ]
      : [],
    locations
      ? [
          `locations ${locations.map(seen).join(", ")} (there are ${some(offers.map((offer) => offer.location))})`,
        ]
      : [],
    maxPricePerGpuHour === undefined
      ? []
      : [`at most ${amountText(maxPricePerGpuHour, currency)} a GPU and hour`],
  ].flat();
  return `none of the service's ${offers.length} offers fits ${asked.join(" and ") || "what is asked for"}`;
}

function dearerThanSaid(wish: Wish, offers: readonly Offer[] | undefined, currency: string = USD): string {
  const said = fitting(wish, undefined);
  const [first] = fitting(wish, offers).flatMap((option, index) => {
    const [price, written] = [option.pricePerHour, said[index]?.pricePerHour];
    return price && written?.lt(price)
      ? [`${combinationText(option)} at ${usdText(price)}, not ${usdText(written)}, ${currency} an hour`]
      : [];
  });
  return wish.candidates && first ? ` (the service lists ${first})` : "";
}

/** What the cheapest machine costs an hour; undefined: no price is known. */
export function lowestPrice(options: readonly Option[]): Option["pricePerHour"] {
  return options.reduce<Option["pricePerHour"]>(
    (lowest, { pricePerHour }) =>
      pricePerHour === undefined || lowest?.lte(pricePerHour) ? lowest : pricePerHour,
    undefined,
  );
}

/** Of one GPU, by the work that it does. */
export function pricePerWork(option: Option): number {
  const { pricePerHour, gpus, worth = "1" } = option;
  if (pricePerHour === undefined) return Number.POSITIVE_INFINITY;
  return byWork.of(option, [], () => Number(pricePerHour) / gpus / Number(worth));
}

const byWork = createMemory<Option, number>();

/** The locality of a machine: as it was launched, else as the service shows it; undefined: not known. */
export function localityOf(draft: Draft, row: DeploymentRow): string | undefined {
  const launched = row.intent === null ? undefined : draft.intents.ever(row.intent);
  const { provider, location } = launched ?? row;
  return provider === null || location === null ? undefined : locality({ provider, location });
}

/** The localities that lost machines in the last minutes, and how much dearer others may be where the wish does not say so. */
function justLost(draft: Draft, context: Context): ReadonlyMap<string, string> {
  const localities = new Map<string, string>();
  for (const row of draft.deployments.values()) {
    if (row.end !== "interrupted" && row.end !== "gone") continue;
    if (row.ended === null || elapsed(row.ended, context.now) >= AVOID_MS) continue;
    const where = localityOf(draft, row);
    if (where === undefined || localities.get(where) === AVOID_YOUNG) continue;
    localities.set(where, billOf(draft, row, context).lasted < HOUR_MS ? AVOID_YOUNG : AVOID);
  }
  return localities;
}

/** The combinations of machines that were stopped in the last hour because they were unhealthy. */
function justSick(draft: Draft, context: Context): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const row of draft.deployments.values()) {
    const isRecent = row.health?.gaveUp && row.stop && elapsed(row.stop.asked, context.now) < AVOID_SICK_MS;
    const { offer, provider, location } = (isRecent && draft.intents.ever(row.intent ?? "")) || row;
    if (isRecent && offer !== null && provider !== null && location !== null)
      keys.add(combinationKey({ offer, provider, location }));
  }
  return keys;
}
