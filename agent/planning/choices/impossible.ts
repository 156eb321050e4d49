import { firstText, takenAtOnce } from "../../../service/contract/billing.ts";
import { amountText, parseUsd, type Usd, usdText, ZERO_USD } from "../../../service/contract/money.ts";
import type { Money, Offer } from "../../../service/contract/service.ts";
import { createMemory } from "../../../service/same/memory.ts";
import { atLast } from "../../fleet/phase/lacking.ts";
import { gpusText } from "../../fleet/text/text.ts";
import type { Wish } from "../../fleet/wish/wish.ts";
import { byMoney, cheapestMix, type Option, obstacle } from "../mix/mix.ts";
import { lowestPrice, nothingFits, withinCeiling } from "./options.ts";

/**
 * Why a fleet could not be had even if nothing ran, cooled or was sold out. Waiting does not help: it takes
 * another wish, another offer or more credits. Empty: it could be had, or that is not known without offers.
 */
export function impossible(
  asked: Wish,
  offers: readonly Offer[] | undefined,
  balance: Usd | undefined,
  money: Money,
): readonly string[] {
  const wish = atLast(asked);
  if (wish.gpus === 0 || (wish.select && !offers)) return [];
  const options = byMoney(withinCeiling(wish, offers)).map(({ stock: _, ...option }) => option);
  if (options.length === 0) return [nothingFits(wish, offers, money)];
  const bounds = { gpus: wish.gpus, slack: wish.overshoot, spread: spreadOf(wish) };
  const cost = costs.of(wish, [offers], () => costOf(cheapestMix(options, bounds)));
  if (cost) return [...tooDear(wish, options, cost, money), ...belowFloor(wish, options, balance, money)];
  return obstacle(options, bounds) === "sizes"
    ? [wrongSizes(options, wish.gpus, wish.overshoot)]
    : [noRoom(wish, wish.gpus)];
}

/** What the cheapest mix costs an hour. It is asked for at each tick, and only another wish or offer changes it. */
const costs = createMemory<Wish, Usd | undefined>();

function costOf(mix: readonly Option[] | undefined): Usd | undefined {
  return mix?.reduce((sum, { pricePerHour }) => sum.plus(pricePerHour ?? ZERO_USD), ZERO_USD);
}

/** The spread that the placement asks for while the fleet has no machines. */
export function spreadOf({ placement }: Wish): "any" | "same" | (() => number) {
  return typeof placement === "string" ? placement : () => placement.mostPerLocation;
}

/** No mix of these machines makes so many GPUs. */
export function wrongSizes(options: readonly Option[], gpus: number, slack: number): string {
  const sizes = [...new Set(options.map((option) => option.gpus))].sort((one, other) => one - other);
  const upTo = slack > 0 ? `, nor up to ${slack} more` : "";
  return (
    `no mix of machines with ${sizes.join(", ")} GPUs makes ${gpusText(gpus)} exactly${upTo}: allow some ` +
    `${slack > 0 ? "more " : ""}overshoot, or ask for another number`
  );
}

/** The placement leaves no mix. `where`: the location that the fleet has to stay in, if it is in one. */
export function noRoom({ placement }: Wish, gpus: number, where?: string): string {
  return typeof placement === "object"
    ? `at most ${placement.mostPerLocation} GPUs may be in one location (placement.mostPerLocation), and the locations that fit do not hold ${gpus} more`
    : `all GPUs are to be in one location, and ${where === undefined ? "no location has" : `${where} has no`} machines that make ${gpus} (placement: same)`;
}

/** A launch pays for its first hour. What was paid before is not counted here. */
function tooDear(
  { gpus, budget: { perHour, perDay, total } }: Wish,
  options: readonly Option[],
  cost: Usd,
  { currency, billing }: Money,
): readonly string[] {
  const [cheapest, first] = [lowestPrice(options), takenAtOnce(billing, cost)];
  const least = cheapest && takenAtOnce(billing, cheapest);
  const reasons: string[] = [];
  if (isBelow(perHour, cost))
    reasons.push(
      `the budget of ${amountText(perHour, currency)} an hour does not pay for ${gpusText(gpus)}: the cheapest mix of them costs ${usdText(cost)}`,
    );
  if (isBelow(total, first))
    reasons.push(
      `the budget of ${amountText(total, currency)} in all does not pay ${firstText(billing)} of ${gpusText(gpus)}: the cheapest mix of them costs ${usdText(first)}`,
    );
  if (isBelow(perDay, least))
    reasons.push(
      `the budget of ${amountText(perDay, currency)} a day does not pay ${firstText(billing)} of any machine: the cheapest costs ${usdText(least)}`,
    );
  return reasons;
}

/** Whether a limit that is set does not pay for a cost that is known. */
export function isBelow(limit: string | undefined, cost: Usd | undefined): boolean {
  return limit !== undefined && cost !== undefined && parseUsd(limit)?.lt(cost) === true;
}

/** The amount of the balance is left out: it changes all the time, and the text would change with it. */
function belowFloor(
  { budget }: Wish,
  options: readonly Option[],
  balance: Usd | undefined,
  { currency, billing }: Money,
): readonly string[] {
  const floor = budget.floor === undefined ? undefined : parseUsd(budget.floor);
  if (floor === undefined || balance === undefined) return [];
  if (balance.lte(floor)) return [`the balance is not above the floor of ${amountText(floor, currency)}`];
  const prices = options.flatMap(({ pricePerHour }) => pricePerHour ?? []);
  if (prices.length === 0 || prices.some((price) => balance.minus(takenAtOnce(billing, price)).gte(floor)))
    return [];
  return [
    `what the balance has above the floor of ${amountText(floor, currency)} does not pay ${firstText(billing)} of any machine`,
  ];
}
