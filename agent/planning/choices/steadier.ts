import type { Draft } from "../../../ledger/draft.ts";
import type { Instant } from "../../../ledger/instant.ts";
import { combinationKey } from "../../../service/contract/contract.ts";
import type { Wish } from "../../fleet/wish/wish.ts";
import type { Option } from "../mix/mix.ts";
import { type LossRate, lossRateOf, staysByCombination } from "./loss-rate.ts";
import { pricePerWork } from "./options.ts";

/** Losses count for so many days. */
const DAYS = 30;

/** The options, as they are weighed where a fleet pays more for fewer losses. */
export interface Weighed {
  readonly options: readonly Option[];
  /** By weighed option, what it is without a weight. */
  readonly plain: ReadonlyMap<Option, Option>;
  /** Why an option is preferred to the cheapest one, for people; undefined: it is not. */
  readonly why: (option: Option) => string | undefined;
}

/**
 * Options that surely lost fewer machines a day than the cheapest one, and cost at most so much more, are preferred: all others
 * weigh by that share more than they cost. So a mix costs at most that share more than the cheapest one. Where no history says
 * that one is steadier for sure, or a price is not known, nothing changes.
 */
export function weighSteadier(
  options: readonly Option[],
  { steadier }: Wish,
  draft: Draft,
  now: Instant,
): Weighed {
  const asIs: Weighed = { options, plain: new Map(), why: () => undefined };
  const [first, ...dearer] = [...options].sort((one, other) => pricePerWork(one) - pricePerWork(other));
  const percent = steadier === undefined ? 0 : Number.parseFloat(steadier);
  if (percent === 0 || !first || options.some(({ pricePerHour }) => pricePerHour === undefined)) return asIs;
  const records = staysByCombination(draft, DAYS, now);
  const rateOf = (option: Option): LossRate | undefined => {
    const record = records.get(combinationKey(option));
    return record && lossRateOf(record);
  };
  const cheapest = rateOf(first);
  const most = pricePerWork(first) * (1 + percent / 100);
  const better = new Map<Option, LossRate>();
  for (const option of dearer) {
    const rate = pricePerWork(option) <= most ? rateOf(option) : undefined;
    if (cheapest && rate && rate.high < cheapest.low) better.set(option, rate);
  }
  if (!cheapest || better.size === 0) return asIs;
  const plain = new Map<Option, Option>();
  const others = options.filter((option) => !better.has(option));
  for (const option of others)
    plain.set({ ...option, avoided: Math.max(option.avoided ?? 0, percent) }, option);
  return {
    // Among equal sums those that stand first are taken.
    options: [...options.filter((option) => better.has(option)), ...plain.keys()],
    plain,
    why: (option) => {
      const rate = better.get(option);
      return (
        rate &&
        `each of its machines is lost ${rangeText(rate)} times a day, and of the cheapest ${rangeText(cheapest)} times`
      );
    },
  };
}

function rangeText({ low, high }: LossRate): string {
  return `${low.toFixed(2)} to ${high.toFixed(2)}`;
}
