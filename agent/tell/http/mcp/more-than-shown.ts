import { parsePrice, type Usd, ZERO_USD } from "../../../../service/contract/money.ts";
import type { ForeseenKnown } from "../../../json/agent.ts";
import type { ShownOrder } from "./confirmations.ts";

/**
 * Why an order would do more than what was shown: plans change by themselves, and a yes is a yes to what stood there.
 * Undefined: it launches and stops nothing beyond that.
 */
export function moreThanShown({ order, foreseen }: ShownOrder, now: ForeseenKnown): string | undefined {
  if (!now.believed) return "the newest list of the service is not believed";
  const stopped = new Set(stopsIn(foreseen));
  const more = stopsIn(now).filter((id) => !stopped.has(id));
  if (more.length > 0) return `${more.length} more machines would be stopped`;
  const [before, after] = [launchesIn(foreseen), launchesIn(now)];
  if (after.count > before.count) return `${after.count} machines would be launched, and not ${before.count}`;
  if (after.unpriced > before.unpriced) return "more machines of unknown price would be launched";
  if (after.perHour.gt(before.perHour))
    return `what is launched would cost ${after.perHour.toFixed(4)} an hour, and not ${before.perHour.toFixed(4)}`;
  // What such an order itself stops stands in its answer, and in no plan.
  const isOther = JSON.stringify(now.answer) !== JSON.stringify(foreseen.answer);
  return order.goesOn && isOther ? "what it stops is not what was shown" : undefined;
}

function stopsIn({ fleets }: ForeseenKnown): readonly string[] {
  return fleets.flatMap(({ stops }) => stops.map(({ id }) => id));
}

function launchesIn({ fleets }: ForeseenKnown): {
  readonly count: number;
  readonly unpriced: number;
  readonly perHour: Usd;
} {
  const launches = fleets.flatMap((each) => each.launches);
  const prices = launches.flatMap(({ pricePerHour }) => parsePrice(pricePerHour) ?? []);
  return {
    count: launches.length,
    unpriced: launches.length - prices.length,
    perHour: prices.reduce((all, price) => all.plus(price), ZERO_USD),
  };
}
