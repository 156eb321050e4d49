import { livingOf, unresolvedOf } from "../../../launch/facts/occupancy.ts";
import { hourOf } from "../../../launch/money/price.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { Owner } from "../../../ledger/rows.ts";
import {
  amountText,
  formatUsd,
  parseUsd,
  type Usd,
  usdText,
  ZERO_USD,
} from "../../../service/contract/money.ts";
import { gpusText } from "../../fleet/text/text.ts";
import type { PlanFacts } from "../../json/plan.ts";
import { gpusOf } from "../count/machine-gpus.ts";
import type { Option } from "../mix/mix.ts";
import type { Bound } from "./bound.ts";

/** What something costs at the prices of now, as long as it stays so. */
export interface Costs {
  readonly gpus: number;
  /** An hour. Undefined: `unpriced` of them have no known price. */
  readonly perHour: Usd | undefined;
  readonly unpriced: number;
}

export function costsOf(
  machines: readonly { readonly gpus: number; readonly price: Usd | undefined }[],
): Costs {
  return sumOfCosts(
    machines.map(({ gpus, price }) => ({ gpus, perHour: price, unpriced: price === undefined ? 1 : 0 })),
  );
}

/** Of several: unknown if one of them is. */
export function sumOfCosts(all: readonly Costs[]): Costs {
  const sum = (of: (costs: Costs) => number): number => all.reduce((total, each) => total + of(each), 0);
  return {
    gpus: sum(({ gpus }) => gpus),
    perHour: sumOf(all.map((each) => each.perHour)),
    unpriced: sum(({ unpriced }) => unpriced),
  };
}

/** Undefined if one of them is not known. */
function sumOf(all: readonly (Usd | undefined)[]): Usd | undefined {
  return all.reduce((sum: Usd | undefined, each) => each && sum?.plus(each), ZERO_USD);
}

/** A fleet's machines, without those that go by the plan, and what is launched beside them. */
export function fleetCosts(
  draft: Draft,
  fleet: string,
  stops: PlanFacts["stops"] = [],
  launches: readonly { readonly option: Option }[] = [],
): Costs {
  const goes = new Set(stops.map(({ id }) => id));
  const here = ownerCosts(draft, fleetOwner(fleet), goes);
  return sumOfCosts([here, launchCosts(launches)]);
}

export function launchCosts(launches: readonly { readonly option: Option }[]): Costs {
  return costsOf(launches.map(({ option }) => ({ gpus: option.gpus, price: option.pricePerHour })));
}

export function ownerCosts(draft: Draft, owner: Owner, goes: ReadonlySet<string> = new Set()): Costs {
  const stay = livingOf(draft, owner).filter(({ id, stop }) => !goes.has(id) && stop === null);
  return costsOf([
    ...stay.map((row) => ({ gpus: gpusOf(draft, row), price: hourOf(draft, row) })),
    ...unresolvedOf(draft, owner).map((each) => ({ gpus: each.gpus, price: hourOf(draft, each) })),
  ]);
}

const [DAY, MONTH] = [24, 30 * 24];

/** `24.00 USD an hour for 16 GPUs, 576.00 a day, 17280.00 in 30 days`. Undefined: it has nothing. */
export function costText({ gpus, perHour, unpriced }: Costs, currency?: string): string | undefined {
  if (!perHour)
    return `not known: ${unpriced} of its machines ${unpriced === 1 ? "has" : "have"} no known price`;
  if (perHour.eq(ZERO_USD)) return undefined;
  const [day, month] = [perHour.times(DAY), perHour.times(MONTH)];
  const many = gpus === 0 ? "" : ` for ${gpusText(gpus)}`;
  return `${hourText(perHour, currency)}${many}, ${usdText(day)} a day, ${usdText(month)} in 30 days`;
}

function hourText(perHour: Usd, currency?: string): string {
  return `${amountText(perHour, currency)} an hour`;
}

/** The most that it can cost, and what comes on top, in one sentence. */
export function boundText(bound: Bound, currency?: string): string {
  const { perHour, untilEnd, inAll, beyond, why } = bound;
  const most = [
    perHour && `${hourText(perHour.usd, currency)} (${perHour.by})`,
    untilEnd &&
      `${amountText(untilEnd.usd, currency)} from now until ${untilEnd.until.replace(/\.\d+Z$/, "Z")}`,
    inAll && `${amountText(inAll.usd, currency)} in all (${inAll.by})`,
  ].filter((each) => each !== undefined);
  const lacks = why.join("; ");
  if (most.length === 0) return `no bound on the cost: ${lacks}`;
  const { replaced, late, unstopped } = beyond;
  const terms = [
    replaced && !inAll ? `${usdText(replaced)} for each machine that ends early and is replaced` : undefined,
    `${late ? usdText(late) : "its price"} for each hour of a machine that shows after its launch was given up`,
    `${unstopped ? usdText(unstopped) : "what runs"} for each hour in which nothing can be stopped`,
  ].filter((each) => each !== undefined);
  const all = `at most ${most.join(", ")}. On top: ${terms.join(", ")}`;
  return lacks === "" ? all : `${all}. ${perHour ? "The whole" : "An hour"} has no bound: ${lacks}`;
}

/** Of several things together: a sum has no bound where one of them has none. */
export function sumOfBounds(all: readonly Bound[]): Bound {
  const sum = (value: (bound: Bound) => Usd | undefined): Usd | undefined => sumOf(all.map(value));
  const limit = (usd: Usd | undefined, by: string) => usd && { usd, by };
  const ends = ({ inAll, untilEnd }: Bound): Usd | undefined =>
    inAll && untilEnd ? (inAll.usd.lt(untilEnd.usd) ? inAll.usd : untilEnd.usd) : (inAll ?? untilEnd)?.usd;
  const replaced = all.some(({ inAll, beyond }) => !inAll && beyond.replaced);
  return {
    perHour: limit(
      sum(({ perHour }) => perHour?.usd),
      "all together",
    ),
    untilEnd: undefined,
    inAll: limit(sum(ends), replaced ? "until each ends" : "by their limits"),
    beyond: {
      replaced: dearest(all.map(({ beyond }) => beyond.replaced)),
      late: dearest(all.map(({ beyond }) => beyond.late)),
      unstopped: sum(({ beyond }) => beyond.unstopped),
    },
    why: [...new Set(all.flatMap(({ why }) => why))],
  };
}

/** Undefined if one of them is not known. */
function dearest(all: readonly (Usd | undefined)[]): Usd | undefined {
  const known = all.filter((each) => each !== undefined);
  if (known.length < all.length) return undefined;
  return known.reduce((one, other) => (other.gt(one) ? other : one), ZERO_USD);
}

/** As programs read it. */
export function costFacts({ gpus, perHour, unpriced }: Costs): PlanFacts["costs"] {
  const of = (hours: number): string | null => (perHour ? formatUsd(perHour.times(hours)) : null);
  return { gpus, unpriced, perHour: of(1), perDay: of(DAY), perMonth: of(MONTH) };
}

export function boundFacts({ perHour, untilEnd, inAll, beyond, why }: Bound): PlanFacts["most"] {
  const text = (usd: Usd | undefined): string | null => (usd ? formatUsd(usd) : null);
  return {
    perHour: text(perHour?.usd),
    perHourBy: perHour?.by ?? null,
    untilEnd: text(untilEnd?.usd),
    end: untilEnd?.until ?? null,
    inAll: text(inAll?.usd),
    replaced: text(beyond.replaced),
    late: text(beyond.late),
    unstopped: text(beyond.unstopped),
    why,
  };
}

/** As programs read it, for people. */
export function costsIn({ gpus, unpriced, perHour }: PlanFacts["costs"]): Costs {
  return { gpus, unpriced, perHour: amount(perHour) };
}

export function boundIn(most: PlanFacts["most"]): Bound {
  const { perHourBy, end, why } = most;
  const [perHour, untilEnd, inAll] = [most.perHour, most.untilEnd, most.inAll].map(amount);
  return {
    perHour: perHour && { usd: perHour, by: perHourBy ?? "" },
    untilEnd: untilEnd && { usd: untilEnd, by: "", until: end ?? "" },
    inAll: inAll && { usd: inAll, by: "budget.total" },
    beyond: {
      replaced: amount(most.replaced),
      late: amount(most.late),
      unstopped: amount(most.unstopped),
    },
    why,
  };
}

function amount(text: string | null): Usd | undefined {
  return text === null ? undefined : parseUsd(text);
}
