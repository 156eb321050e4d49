import type { Draft } from "../../ledger/draft.ts";
import type { DeploymentRow, IntentRow, PriceDoubt, ProfileKnowledge } from "../../ledger/rows.ts";
import { combinationKey, combinationText } from "../../service/contract/contract.ts";
import { amountText, parsePrice, parseUsd, type Usd, usdText } from "../../service/contract/money.ts";
import type { Money, Offer } from "../../service/contract/service.ts";
import { type Context, knowledgeOf, learn } from "../facts/context.ts";
import { note } from "../facts/events.ts";
import { type Hold, hold, holdText, inCurrency } from "../facts/hold.ts";

/*
 * A price is proven, not believed. A profile that reads the price of one GPU as the machine's judges every
 * limit by an eighth of what is paid. So what a launch expected is compared with the machine's own record
 * and, on an exclusive account, with what the balance lost (price-balance.ts). A higher cost is written down
 * as a doubt. From then on nothing is launched under this profile for owners with a limit on money, until the
 * profile changes, the offers show the higher price themselves, or a person has looked. The higher price
 * still counts then (rule 4 of docs/how/protocol.md).
 */

/** USD per GPU: both sides may be rounded to a cent, a GPU's price before it is multiplied. */
const ROUNDING_PER_GPU = "0.01";

export function isBeyondRounding(costs: Usd, expected: Usd, gpus: number): boolean {
  return costs.minus(expected).gt((parseUsd(ROUNDING_PER_GPU) as Usd).times(Math.max(1, gpus)));
}

/** Compares the price on a machine's record with what its launch expected. */
export function holdPrice(draft: Draft, row: DeploymentRow, shown: string, context: Context): void {
  const intent = row.intent === null ? undefined : draft.intents.ever(row.intent);
  // The usual case: nothing to compare, or the same.
  if (!intent || intent.pricePerHour === null || intent.pricePerHour === shown) return;
  // Another profile may read something else there.
  if (intent.profile !== context.wire.profileHash || row.claim !== "certain" || !isSurelyOf(row, intent))
    return;
  const [costs, expected] = [parsePrice(shown), parsePrice(intent.pricePerHour)];
  if (!costs || !expected || !isBeyondRounding(costs, expected, intent.gpus)) return;
  doubtPrice(draft, intent, { costs: costs.toFixed(), by: "record", deployment: row.id }, context);
}

/** False for a machine that looking alone gave to this launch: it may be another's, of another size. */
function isSurelyOf(row: DeploymentRow, intent: IntentRow): boolean {
  const places = ["offer", "provider", "location"] as const;
  if (places.some((field) => row[field] !== null && row[field] !== intent[field])) return false;
  const isNamed = intent.answer?.id === row.id || row.marker === intent.marker;
  return isNamed || places.every((field) => row[field] === intent[field]);
}

/** Writes down that this launch costs more than expected. It expects that price from here on. */
export function doubtPrice(
  draft: Draft,
  intent: IntentRow,
  seen: Pick<PriceDoubt, "costs" | "by" | "deployment" | "balance">,
  context: Context,
): void {
  const { offer, provider, location, gpus, profile, pricePerHour } = intent;
  if (seen.by === "balance") recallAlike(draft, intent);
  const about = { owner: intent.owner, deployment: seen.deployment, intent: intent.id };
  draft.putIntent({ ...intent, pricePerHour: seen.costs });
  // Without a mapped offer price, people wrote one for each combination: no pointer is wrong.
  const isSaid = context.wire.abilities.offerPrice !== true;
  const doubt: PriceDoubt = {
    ...{ offer, provider, location, gpus, ...seen },
    expected: pricePerHour ?? "",
    ...(isSaid ? { looked: true } : {}),
  };
  const known = knowledgeOf(draft, profile).prices;
  const others = (known?.doubts ?? []).filter((each) => combinationKey(each) !== combinationKey(doubt));
  learn(draft, profile, { prices: { ...known, doubts: [...others, doubt] } });
  if (isSaid)
    note(draft, context, "dearer", `${doubtText(doubt, draft.account)}: this counts from now on`, about);
  else note(draft, context, "halted", holdText(doubted([doubt], draft.account)), about);
}

/** What the balance shows counts for all machines of this combination, archived ones among them. */
function recallAlike(draft: Draft, launch: IntentRow): void {
  for (const id of [...draft.archive.ids()]) {
    const alike = draft.archive.pair(id)?.intent;
    if (alike?.profile === launch.profile && combinationKey(alike) === combinationKey(launch))
      draft.recall(id);
  }
}

/** Why nothing is launched under this profile for owners with a limit on money; else undefined. */
export function priceHalt(known: ProfileKnowledge | undefined, money: Money): string | undefined {
  const held = doubtedBy(known, money);
  return held && holdText(held);
}

function doubtedBy(known: ProfileKnowledge | undefined, money: Money): Hold | undefined {
  const doubts = (known?.prices?.doubts ?? []).filter(({ looked }) => !looked);
  return doubts.length === 0 ? undefined : doubted(doubts, money);
}

/** The ids of launches do not hold under this profile. */
export function whyHalted(draft: Draft, { wire }: Context): Hold | undefined {
  const { halted } = knowledgeOf(draft, wire.profileHash);
  return halted ? hold("halted", { reason: halted.reason }) : undefined;
}

/** Prices do not hold: nothing is launched for whoever has a limit on money. */
export function whyPricesHold(draft: Draft, { wire }: Context): Hold | undefined {
  return doubtedBy(knowledgeOf(draft, wire.profileHash), draft.account);
}

/**
 * Drops doubts whose price the offers show by now: it rose during the launch, and the profile reads it right.
 * Call it with offers read after the machine was seen, before anything is planned from them.
 */
export function settleDoubts(draft: Draft, offers: readonly Offer[] | undefined, context: Context): void {
  const { profileHash } = context.wire;
  const known = knowledgeOf(draft, profileHash).prices;
  if (!offers || !known || known.doubts.length === 0) return;
  const prices = new Map(offers.map((offer) => [combinationKey(offer), offer.pricePerHour]));
  const risen = known.doubts.filter((doubt) => {
    const now = parsePrice(prices.get(combinationKey(doubt)) ?? null);
    const costs = parsePrice(doubt.costs);
    return now && costs && !isBeyondRounding(costs, now, doubt.gpus);
  });
  if (risen.length === 0) return;
  const doubts = known.doubts.filter((doubt) => !risen.includes(doubt));
  learn(draft, profileHash, { prices: { ...known, doubts } });
  if (risen.every(({ looked }) => looked) || doubts.some(({ looked }) => !looked)) return;
  const [first] = risen;
  note(draft, context, "resumed", `launches go on: the offers show by now what ${first?.deployment} costs`);
}

/** A person has looked: the higher prices still count, and halt nothing any more. */
export function confirmedByPerson(known: ProfileKnowledge): Pick<ProfileKnowledge, "prices"> {
  if (!known.prices) return {};
  const doubts = known.prices.doubts.map((doubt): PriceDoubt => ({ ...doubt, looked: true }));
  return { prices: { ...known.prices, doubts } };
}

const MOST_TOLD = 3;

function doubted(doubts: readonly PriceDoubt[], money: Money): Hold {
  const texts = doubts.slice(0, MOST_TOLD).map((doubt) => doubtText(doubt, money));
  const more = doubts.length > MOST_TOLD ? `; and ${doubts.length - MOST_TOLD} more` : "";
  return inCurrency(hold("prices", { doubts: texts.join("; ") + more }), money);
}

function doubtText(doubt: PriceDoubt, { currency, billing }: Money): string {
  const { deployment, gpus, expected, costs, by, balance } = doubt;
  const what = `${deployment} (${combinationText(doubt)}${gpus === 0 ? "" : `, ${gpus} GPU${gpus === 1 ? "" : "s"}`}) was launched at ${amountText(expected, currency)} an hour, `;
  const but =
    by === "record"
      ? `and its own record says ${usdText(costs)}`
      : `and the balance lost ${usdText(costs)} ${billing ? "an hour" : "for its first hour"} (${usdText(balance?.before)} before, ${usdText(balance?.after)} after)`;
  return what + but + hint(doubt);
}

/** Names the mistake that a wrong pointer most often makes. */
function hint({ gpus, expected, costs }: PriceDoubt): string {
  const [less, more] = [parseUsd(expected), parseUsd(costs)];
  if (!less || !more || less.lte(0)) return "";
  const isTimes = (factor: number): boolean =>
    !isBeyondRounding(more, less.times(factor), gpus) && !isBeyondRounding(less.times(factor), more, gpus);
  if (gpus > 1 && isTimes(gpus)) return `, ${gpus} times as much: as if the price of one GPU were read`;
  return isTimes(100) ? ", 100 times as much: as if one of them were in cents" : "";
}
