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
  // Fleet by fleet: another one's launches, which are made meanwhile, make no room for this one's.
  for (const { fleet, launches } of now.fleets) {
    const why = moreLaunched(foreseen.fleets.find((each) => each.fleet === fleet)?.launches ?? [], launches);
    if (why !== undefined) return why;
  }
  // What such an order itself stops, and what a file drains that has no machine yet, stands in its answer, and in no plan.
  const isOther = JSON.stringify(now.answer) !== JSON.stringify(foreseen.answer);
  return (order.goesOn || order.about === "file") && isOther
    ? "what it stops is not what was shown"
    : undefined;
}

function stopsIn({ fleets }: ForeseenKnown): readonly string[] {
  return fleets.flatMap(({ stops }) => stops.map(({ id }) => id));
}

type Launches = ForeseenKnown["fleets"][number]["launches"];

function moreLaunched(shown: Launches, now: Launches): string | undefined {
  const [before, after] = [sumOf(shown), sumOf(now)];
  if (after.count > before.count) return `${after.count} machines would be launched, and not ${before.count}`;
  if (after.unpriced > before.unpriced) return "more machines of unknown price would be launched";
  if (after.perHour.gt(before.perHour))
    return `what is launched would cost ${after.perHour.toFixed(4)} an hour, and not ${before.perHour.toFixed(4)}`;
  return undefined;
}

function sumOf(launches: Launches): {
  readonly count: number;
  readonly unpriced: number;
  readonly perHour: Usd;
} {
  const prices = launches.flatMap(({ pricePerHour }) => parsePrice(pricePerHour) ?? []);
  return {
    count: launches.length,
    unpriced: launches.length - prices.length,
    perHour: prices.reduce((all, price) => all.plus(price), ZERO_USD),
  };
}
