import { gpusText } from "../../../agent/index.ts";
import { type Context, holdText, overBudget, type SpendLimits } from "../../../launch/index.ts";
import type { Draft, Owner } from "../../../ledger/index.ts";
import { atOnceText, takenAtOnce } from "../../../service/contract/billing.ts";
import { type Combination, combinationKey, combinationText } from "../../../service/contract/contract.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import { amountText, parsePrice, type Usd } from "../../../service/contract/money.ts";
import type { Money, Offer } from "../../../service/contract/service.ts";
import { readable, unreadText } from "../../../service/contract/unread.ts";
import type { Candidate } from "../inputs/candidates.ts";
import type { CheckFailure, Properties } from "../inputs/resource-kind.ts";
import type { Session } from "../session/environment.ts";
import type { Progress } from "../session/progress.ts";

type Offers = Awaited<ReturnType<Session["offers"]>>;

/** What is launched under a combination's name: USD an hour, null if not known; and GPUs, 0 if not known. */
interface Terms {
  readonly pricePerHour: string | null;
  readonly gpus: number;
  /** What else of its offer a launch sends. */
  readonly extra?: Offer["extra"];
}

/**
 * What a combination has and costs: as the service lists it, where the profile maps that, else as the program
 * says. An unknown price stops no launch, unless a budget is set (checked where the intent is written). A
 * price is held against a machine's record by its number of GPUs: a wrong number would halt launches.
 */
export async function termsOf(
  session: Session,
  candidate: Candidate,
  tell: Progress,
  must: boolean,
): Promise<Terms> {
  const { gpus, pricePerHour = null } = candidate;
  const given = { pricePerHour, gpus: gpus ?? 0 };
  const isSent = session.keeper.service.abilities.extra !== undefined;
  if (pricePerHour !== null && gpus !== undefined && !must && !isSent) return given;
  try {
    const offer = offered(await session.offers(), candidate);
    const listed = pricePerHour !== null && !must ? pricePerHour : (offer?.pricePerHour ?? pricePerHour);
    return { pricePerHour: listed, gpus: offer?.gpus || given.gpus, extra: offer?.extra };
  } catch (error) {
    if (!(error instanceof FleetkeeperError)) throw error;
    tell(`the offers cannot be read just now: ${error.message}`);
    return given;
  }
}

/** For previews: tells what each candidate would cost, in the order in which they are tried, and returns that. */
export function tellPrices(
  offers: Offers,
  candidates: readonly Candidate[],
  { currency, billing }: Money,
  tell: Progress,
): readonly { readonly gpus: number; readonly price: Usd | undefined }[] {
  return candidates.map((candidate, index) => {
    const offer = offered(offers, candidate);
    const what = `${candidates.length > 1 ? `${index + 1}. ` : ""}${combinationText(candidate)}`;
    const unread = unreadText(offers ?? [], "offers");
    if (offers && !offer)
      tell(`${what} is not among the service's offers just now${unread === undefined ? "" : `: ${unread}`}`);
    const { gpus } = candidate;
    if (gpus !== undefined && offer && offer.gpus > 0 && offer.gpus !== gpus)
      tell(
        `${what} has ${gpusText(offer.gpus)} by the service's offers: that counts, and not the ${gpus} that gpus says`,
      );
    const price = offer?.pricePerHour ?? candidate.pricePerHour;
    const first = parsePrice(price);
    const costs = { gpus: offer?.gpus || (gpus ?? 0), price: first };
    if (price === undefined) return costs;
    tell(
      `${what} costs ${amountText(price, currency)} an hour; ${atOnceText(billing)}, ${amountText(first && takenAtOnce(billing, first), currency)}`,
    );
    return costs;
  });
}

/**
 * The failures of a budget without any price: neither service nor program says what a candidate costs. Offers
 * that are only missing just now are no failure.
 */
export function unpriced(
  offers: Offers,
  candidates: readonly Candidate[],
  { budget, candidates: list }: Properties,
): readonly CheckFailure[] {
  const isLimited = Object.values(budget ?? {}).some((limit) => limit !== undefined);
  const mayBeTold =
    offers?.length === 0 || readable(offers ?? []).some(({ pricePerHour }) => pricePerHour !== undefined);
  if (!isLimited || mayBeTold || candidates.some(({ pricePerHour }) => pricePerHour !== undefined)) return [];
  return candidates.map((_, index) => ({
    property: list === undefined ? "pricePerHour" : `candidates.${index}.pricePerHour`,
    reason:
      "is missing: with a budget nothing of unknown price is launched. Set it, or map offers.fields.pricePerHour in the profile",
  }));
}

/**
 * The failure of a budget that none of these fits: `up` launches nothing. What is not sure for each of them, such as an unknown price
 * or a balance that cannot be read just now, is none.
 */
export function unaffordable(
  draft: Draft,
  wanted: readonly {
    readonly candidate: Candidate;
    readonly gpus: number;
    readonly price: Usd | undefined;
  }[],
  of: { readonly owner: Owner; readonly limits: SpendLimits },
  context: Context,
): readonly CheckFailure[] {
  const reasons = wanted.flatMap(({ candidate, gpus, price }) => {
    const held = price && overBudget(draft, { ...of, gpus, pricePerHour: price.toFixed() }, context);
    if (held?.kind !== "perHour" && held?.kind !== "floor") return [];
    return [`${combinationText(candidate)}: ${holdText(held)}`];
  });
  if (reasons.length === 0 || reasons.length < wanted.length) return [];
  return [{ property: "budget", reason: `allows no launch: ${reasons.join("; ")}` }];
}

/** A floor where the service shows no balance: nothing could ever be launched above it. */
export function floorless(
  { abilities }: Session["keeper"]["service"],
  { budget }: Properties,
): readonly CheckFailure[] {
  if (abilities.balance !== false || (budget as Properties | undefined)?.floor === undefined) return [];
  const reason =
    "is set, and by the profile the service shows no balance (balance: { none: true }): nothing could ever be launched above it. Take it out";
  return [{ property: "budget.floor", reason }];
}

function offered(offers: Offers, wanted: Combination): Offer | undefined {
  return readable(offers ?? []).find((offer) => combinationKey(offer) === combinationKey(wanted));
}
