import type { OfferedRow, Portion } from "../../../ledger/rows.ts";
import { type Usd, ZERO_USD } from "../../../service/contract/money.ts";
import { amountOf, isNothing, type Limit, MONEY, minus, NOTHING } from "../../fleet/phase/part.ts";
import { aheadOf, keptOf, withoutLeaving } from "./leaving-parts.ts";
import type { PartFacts } from "./part-facts.ts";
import { lessOfEach } from "./smaller-whole.ts";

export interface Whole {
  readonly amount: Portion;
  /** The limits that are set. */
  readonly limits: readonly Limit[];
  /** Parts at least among which it stands. */
  readonly atLeast: number;
  /** All of it in one part: it is whole or nothing, or stays in one location. */
  readonly together: boolean;
  /** Its first part was removed. Nothing more is launched for it. */
  readonly isEnding: boolean;
  /** GPUs by which it became smaller just now, by what its size follows. The share of its first part has them less until they are divided. */
  readonly fell: number;
}

/** Why nothing can be launched of what is missing. */
export type Lack = "nothing" | "money" | "spread" | "sizes";

export interface Chosen {
  /** GPUs that the whole lacks, and those that are to move: somebody has to know where they can be had. */
  readonly short: number;
  /** GPUs that each part is to launch now. */
  readonly extra: ReadonlyMap<string, number>;
  /** Undefined: nothing is missing, or some of it is launched. */
  readonly lack: Lack | undefined;
  readonly moves: readonly Move[];
  /** GPUs that each part has in the place of some of a leaving part; undefined: as it is, until a grant has come. */
  readonly ahead: ReadonlyMap<string, number | undefined>;
  /** GPUs that stay for now of each part that leaves patiently. */
  readonly keeps: ReadonlyMap<string, number>;
}

/** What is to be given from one part to another. */
export interface Move {
  readonly from: string;
  readonly to: string;
  readonly amount: Portion;
  /** It may be more than is free there: machines are stopped then. */
  readonly evenHeld: boolean;
}

/** Amounts an hour are compared in millionths. */
const UNITS = 1_000_000;

/** Where a fleet launches what it lacks: the cheapest over all parts together. The first part is where the rest stays. */
export function chooseParts(whole: Whole, parts: readonly PartFacts[]): Chosen {
  const held = (part: PartFacts): number => part.held.gpus ?? Math.max(0, part.portion.gpus);
  const there = parts.reduce((sum, part) => sum + held(part), 0);
  const away = parts.reduce((sum, part) => sum + (part.isPatient ? held(part) : 0), 0);
  const surge = whole.together || whole.isEnding ? 0 : Math.min(whole.amount.surge ?? 0, away);
  const lacks = whole.isEnding ? 0 : whole.amount.gpus - there;
  const extra = extraOf(whole, parts, lacks, surge, held);
  const sum = sumOf(extra);
  const placed = whole.together || whole.isEnding ? 0 : (whole.amount.surge ?? 0);
  const ahead = aheadOf(parts, extra, Math.min(placed, there + sum - whole.amount.gpus), held);
  const targets = targetsOf(whole, parts, extra, ahead, held);
  const isStuck = away > 0 && sum === 0 && lacks >= 0;
  // With nothing above the count: old machines first, where that alone makes room for others.
  const inTheWay = (): boolean => cheapest(whole, withoutLeaving(parts), lacks + away, held).size > 0;
  return {
    short: lacks + (surge > 0 ? surge : away),
    extra,
    lack: lacks > 0 && sum === 0 ? lackOf(whole, parts, lacks, held) : undefined,
    moves: movesBetween(parts, targets, held),
    ahead: new Map(
      parts.map(({ name, portion, ahead: now }) => {
        const comes = (targets.get(name)?.gpus ?? 0) > portion.gpus;
        const next = ahead.get(name) ?? 0;
        return [name, next < now && comes ? undefined : next];
      }),
    ),
    keeps: isStuck && inTheWay() ? keptOf(parts, 0, held) : keptOf(parts, whole.amount.gpus, held),
  };
}

/** Which bound it is without which something could be launched. */
function lackOf(
  whole: Whole,
  parts: readonly PartFacts[],
  short: number,
  held: (part: PartFacts) => number,
): Lack {
  const could = (than: Whole): boolean => cheapest(than, parts, short, held).size > 0;
  const offers = parts.flatMap(({ isLeaving, offered }) => (isLeaving || !offered ? [] : [offered]));
  if (offers.every(({ costs }) => costs.length === 0)) {
    const sizes = offers.flatMap((each) => each.sizes);
    const isTooBig = (gpus: number): boolean => gpus > short + whole.amount.overshoot;
    return sizes.length > 0 && sizes.every(isTooBig) ? "sizes" : "nothing";
  }
  if (could({ ...whole, limits: [] })) return "money";
  return could({ ...whole, limits: [], atLeast: 1 }) ? "spread" : "sizes";
}

/** What each part adds. As many above the count as the surge allows, and as the sizes of machines and the limits do. */
function extraOf(
  whole: Whole,
  parts: readonly PartFacts[],
  lacks: number,
  surge: number,
  held: (part: PartFacts) => number,
): ReadonlyMap<string, number> {
  const { overshoot } = whole.amount;
  const isSum = completable(parts, Math.max(0, lacks + surge + overshoot));
  for (let above = surge; above >= 0 && lacks + above > 0; above--) {
    if (!isSum(lacks + above, lacks + above + overshoot)) continue;
    const extra = cheapest(whole, parts, lacks + above, held);
    if (extra.size > 0) return extra;
  }
  return new Map();
}

/** How many GPUs each part adds. Exact: each part says what every number of GPUs costs there at best. */
function cheapest(
  whole: Whole,
  parts: readonly PartFacts[],
  short: number,
  held: (part: PartFacts) => number,
): ReadonlyMap<string, number> {
  const most = short + Math.max(0, whole.amount.overshoot);
  const ceiling = affordable(whole, parts);
  const perPart = mostOfOne(whole);
  const options = parts.map((part) => ({
    part,
    costs: (part.isLeaving ? [] : (part.offered?.costs ?? [])).filter(
      ([gpus]) => gpus <= most && held(part) + gpus <= perPart,
    ),
  }));
  if (whole.together) return together(options, short, most, ceiling, held);
  const ways = cheapestSums(
    options.map(({ costs }) => costs),
    most,
    ceiling,
  );
  const sums = Array.from({ length: most }, (_, index) => index + 1).filter(
    (sum) => ways.cost(sum) < Infinity,
  );
  const enough = sums.filter((sum) => sum >= short).sort((a, b) => ways.cost(a) - ways.cost(b) || a - b);
  const completes = completable(parts, most);
  const best = enough[0] ?? sums.findLast((sum) => sum < short && completes(short - sum, most - sum));
  const picks = best === undefined ? [] : ways.picks(best);
  return new Map(parts.flatMap(({ name }, index) => (picks[index] ? [[name, picks[index]]] : [])));
}

/** GPUs that a part has at most, where the whole is spread. */
function mostOfOne({ amount, atLeast }: Whole): number {
  return atLeast === 1 ? Number.POSITIVE_INFINITY : Math.ceil(amount.gpus / atLeast);
}

interface Sums {
  /** What so many GPUs over all parts cost at least, by their worth; `Infinity`: they cannot be had within the ceiling. */
  cost(gpus: number): number;
  /** How many of them each part has. */
  picks(gpus: number): readonly number[];
}

/** Part after part, with what each number of GPUs costs so far. In flat arrays: hundreds of GPUs take a hundred thousand steps. */
function cheapestSums(parts: readonly OfferedRow["costs"][], most: number, ceiling: number): Sums {
  let cost = new Float64Array(most + 1).fill(Number.POSITIVE_INFINITY);
  let money = new Float64Array(most + 1);
  cost[0] = 0;
  const taken: Uint32Array[] = [];
  for (const costs of parts) {
    const steps = costs.map(([gpus, usd, work = usd]) => [gpus, unitsOf(usd), unitsOf(work)] as const);
    const [nextCost, nextMoney, picks] = [cost.slice(), money.slice(), new Uint32Array(most + 1)];
    for (let sum = 0; sum < most; sum++) {
      const [before = Number.POSITIVE_INFINITY, spent = 0] = [cost[sum], money[sum]];
      if (before === Number.POSITIVE_INFINITY) continue;
      for (const [gpus, usd, work] of steps) {
        const total = sum + gpus;
        if (total > most || spent + usd > ceiling || before + work >= (nextCost[total] ?? 0)) continue;
        nextCost[total] = before + work;
        nextMoney[total] = spent + usd;
        picks[total] = gpus;
      }
    }
    [cost, money] = [nextCost, nextMoney];
    taken.push(picks);
  }
  return {
    cost: (gpus) => cost[gpus] ?? Number.POSITIVE_INFINITY,
    picks: (gpus) => {
      let rest = gpus;
      return taken
        .toReversed()
        .map((picks) => {
          const mine = picks[rest] ?? 0;
          rest -= mine;
          return mine;
        })
        .reverse();
    },
  };
}

function unitsOf(usd: string): number {
  return Math.round(Number(usd) * UNITS);
}

function together(
  options: readonly { readonly part: PartFacts; readonly costs: OfferedRow["costs"] }[],
  short: number,
  most: number,
  ceiling: number,
  held: (part: PartFacts) => number,
): ReadonlyMap<string, number> {
  const withMachines = options.filter(({ part }) => held(part) > 0);
  const [only] = withMachines;
  if (withMachines.length > 1) return new Map();
  const found = (only ? [only] : options)
    .flatMap(({ part: { name }, costs }) =>
      costs.map(([gpus, usd, work = usd]) => ({ name, gpus, cost: unitsOf(work), money: unitsOf(usd) })),
    )
    .filter(({ gpus, money }) => gpus >= short && gpus <= most && money <= ceiling)
    .sort((one, other) => one.cost - other.cost || one.gpus - other.gpus)[0];
  return new Map(found && [[found.name, found.gpus]]);
}

/** What all limits together leave for an hour of what is launched; nothing where a price is not known. */
function affordable({ amount, limits }: Whole, parts: readonly PartFacts[]): number {
  if (limits.length === 0) return Number.POSITIVE_INFINITY;
  if (parts.some(({ held }) => !held.money)) return 0;
  return Math.min(
    ...limits.map((limit) => {
      const left = Number(amountOf(amount, limit).minus(usedOf(parts, limit))) * UNITS;
      return limit !== "churn" ? left : left > 0 ? Number.POSITIVE_INFINITY : 0;
    }),
  );
}

function usedOf(parts: readonly PartFacts[], limit: Limit): Usd {
  return parts.reduce<Usd>((sum, { held }) => sum.plus(held.money?.[limit] ?? ZERO_USD), ZERO_USD);
}

/** Whether machines of the sizes that fit somewhere can add up to so many GPUs later. */
function completable(parts: readonly PartFacts[], most: number): (from: number, to: number) => boolean {
  const sizes = new Set(parts.flatMap(({ offered }) => offered?.sizes ?? []));
  const sums = [true];
  for (let sum = 1; sum <= most; sum++) sums.push([...sizes].some((size) => size <= sum && sums[sum - size]));
  return (from, to) => sums.slice(from, to + 1).includes(true);
}

function targetsOf(
  whole: Whole,
  parts: readonly PartFacts[],
  extra: ReadonlyMap<string, number>,
  ahead: ReadonlyMap<string, number>,
  held: (part: PartFacts) => number,
): ReadonlyMap<string, Portion> {
  const { amount, limits } = whole;
  const perPart = mostOfOne(whole);
  const inPlace = ({ name }: PartFacts): number => ahead.get(name) ?? 0;
  const gpus = new Map(
    parts.map((part) => [part.name, held(part) + (extra.get(part.name) ?? 0) - inPlace(part)]),
  );
  const sum = (): number => [...gpus.values()].reduce((total, each) => total + each, 0);
  const change = (name: string, by: number): void => void gpus.set(name, (gpus.get(name) ?? 0) + by);
  const [first] = parts;
  // More than the whole, which its overshoot allows: that stands beside the part that launches it, or has it. There it is
  // stopped, too, once a smaller wish can do without it.
  const excess = ({ name, portion }: PartFacts): number =>
    Math.max(0, (gpus.get(name) ?? 0) - Math.max(0, portion.gpus));
  const having = [...parts].sort(
    (one, other) => excess(other) - excess(one) || (gpus.get(other.name) ?? 0) - (gpus.get(one.name) ?? 0),
  )[0];
  const launching = [...extra].sort(([, one], [, other]) => other - one)[0]?.[0] ?? having?.name ?? "";
  const above = Math.max(0, Math.min(amount.overshoot, sum() - amount.gpus, gpus.get(launching) ?? 0));
  change(launching, -above);
  let rest = amount.gpus - sum();
  const staying = parts.filter(({ isLeaving }) => !isLeaving);
  const keep = (those: readonly PartFacts[], most: (part: PartFacts) => number): void => {
    for (const part of those) {
      const free = Math.min(rest, most(part) - (gpus.get(part.name) ?? 0));
      if (free <= 0) continue;
      change(part.name, free);
      rest -= free;
    }
  };
  keep(staying, ({ portion }) => Math.min(portion.gpus, perPart));
  if (whole.atLeast > 1 && staying.length > 0) {
    // Whoever is chosen may launch all that it has. So what is above its share of a spread fleet stays where nothing is launched.
    keep(staying, () => perPart);
    keep(
      parts.filter(({ isLeaving, isRemoved }) => isLeaving && !isRemoved),
      () => Number.POSITIVE_INFINITY,
    );
  }
  // Those are stopped there anyway: stopping others for them would stop what is wanted.
  const gone = new Map<string, number>();
  for (const [index, part] of parts.entries()) {
    const excess = (gpus.get(part.name) ?? 0) - Math.max(0, part.portion.gpus);
    const undivided = index === 0 ? Math.max(0, Math.min(whole.fell, excess - part.stopping)) : 0;
    const less = Math.min(-rest, excess - undivided);
    if (less <= 0) continue;
    change(part.name, -less);
    gone.set(part.name, less);
    rest += less;
  }
  if (whole.fell > 0 && rest < 0)
    for (const [name, less] of lessOfEach(parts, -rest, (part) => gone.get(part.name) ?? 0, perPart)) {
      const goes = Math.min(less, gpus.get(name) ?? 0);
      change(name, -goes);
      rest += goes;
    }
  if (rest > 0 && first) change((parts.find(({ isLeaving }) => !isLeaving) ?? first).name, rest);
  for (const { name } of [...parts]
    .reverse()
    .sort(
      (one, other) =>
        Number(other.isLeaving) - Number(one.isLeaving) || Number(other.ahead > 0) - Number(one.ahead > 0),
    )) {
    const less = Math.min(-rest, gpus.get(name) ?? 0);
    if (less <= 0) continue;
    change(name, -less);
    rest += less;
  }
  const money = moneyOf(amount, limits, parts, extra);
  return new Map(
    parts.map(({ name }, index) => [
      name,
      {
        ...NOTHING,
        ...money.get(name),
        gpus: gpus.get(name) ?? 0,
        overshoot: (name === launching ? above : 0) + (index === 0 ? amount.overshoot - above : 0),
        surge: (ahead.get(name) ?? 0) + (index === 0 ? (amount.surge ?? 0) - sumOf(ahead) : 0),
      },
    ]),
  );
}

function sumOf(gpus: ReadonlyMap<string, number>): number {
  return [...gpus.values()].reduce((total, each) => total + each, 0);
}

/** Of each limit what a part has used or is about to, and of the rest as much as it has of the cost. */
function moneyOf(
  amount: Portion,
  limits: readonly Limit[],
  parts: readonly PartFacts[],
  extra: ReadonlyMap<string, number>,
): ReadonlyMap<string, Partial<Portion>> {
  const adds = (part: PartFacts): Usd => {
    const gpus = extra.get(part.name);
    const cost = part.offered?.costs.find(([sum]) => sum === gpus)?.[1];
    return cost === undefined ? ZERO_USD : ZERO_USD.plus(cost);
  };
  const rates = parts.map((part) => (part.held.money?.perHour ?? ZERO_USD).plus(adds(part)));
  const all = rates.reduce((sum, rate) => sum.plus(rate), ZERO_USD);
  const targets = new Map(parts.map(({ name }) => [name, {} as Record<Limit, string>]));
  for (const limit of limits) {
    const needs = parts.map((part) => {
      const used = part.held.money?.[limit] ?? amountOf(part.portion, limit);
      return limit === "churn" ? used : used.plus(adds(part));
    });
    const rest = needs.reduce((left, need) => left.minus(need), amountOf(amount, limit));
    for (const [index, { name }] of parts.entries()) {
      const weight = all.gt(0)
        ? (rates[index] ?? ZERO_USD).div(all)
        : index === 0
          ? ZERO_USD.plus(1)
          : ZERO_USD;
      const target = targets.get(name);
      if (target)
        target[limit] = (needs[index] ?? ZERO_USD)
          .plus(rest.gt(0) ? rest.times(weight) : 0)
          .round(4, 0)
          .toFixed();
    }
  }
  const isTight = parts.some((part) =>
    limits.some((limit) => isShort(part, limit, ZERO_USD.plus(targets.get(part.name)?.[limit] ?? 0))),
  );
  const isLeft = parts.some(
    ({ isLeaving, portion, held }, index) =>
      index > 0 &&
      isLeaving &&
      rates[index]?.eq(0) &&
      limits.some((limit) => held.money && amountOf(portion, limit).gt(held.money[limit])),
  );
  // Else each tick would move a little.
  return extra.size > 0 || isTight || isLeft
    ? targets
    : new Map(parts.map(({ name, portion }) => [name, portion]));
}

/**
 * True if a part has less than a quarter of what it is to have left. Of a total also if it has less than its next hour takes, and
 * what it is to have would pay that: it would be drained at the end of this hour, while others have more than they need.
 */
function isShort({ portion, held: { money } }: PartFacts, limit: Limit, target: Usd): boolean {
  if (!money) return false;
  const [left, toHave] = [amountOf(portion, limit), target].map((usd) => usd.minus(money[limit])) as [
    Usd,
    Usd,
  ];
  return (
    left.times(4).lt(toHave) || (limit === "total" && left.lt(money.perHour) && toHave.gte(money.perHour))
  );
}

/** From parts that have more than they are to have, to those that have less. */
function movesBetween(
  parts: readonly PartFacts[],
  targets: ReadonlyMap<string, Portion>,
  held: (part: PartFacts) => number,
): readonly Move[] {
  const over = new Map(
    parts.map((part) => [part.name, minus(part.portion, targets.get(part.name) ?? NOTHING)]),
  );
  const moves: Move[] = [];
  for (const from of parts)
    for (const to of parts) {
      const [has, lacks] = [over.get(from.name) ?? NOTHING, minus(NOTHING, over.get(to.name) ?? NOTHING)];
      const amount = smaller(has, lacks);
      if (from === to || isNothing(amount)) continue;
      const target = targets.get(from.name) ?? NOTHING;
      moves.push({ from: from.name, to: to.name, amount, evenHeld: target.gpus < held(from) });
      over.set(from.name, minus(has, amount));
      over.set(to.name, minus(amount, lacks));
    }
  return moves;
}

function smaller(has: Portion, lacks: Portion): Portion {
  const least = (one: number, other: number): number => Math.max(0, Math.min(one, other));
  const money = (limit: Limit): string => {
    const [one, other] = [amountOf(has, limit), amountOf(lacks, limit)];
    const usd = one.lt(other) ? one : other;
    return usd.gt(0) ? usd.toFixed() : "0";
  };
  return {
    gpus: least(has.gpus, lacks.gpus),
    overshoot: least(has.overshoot, lacks.overshoot),
    surge: least(has.surge ?? 0, lacks.surge ?? 0),
    ...(Object.fromEntries(MONEY.map((limit) => [limit, money(limit)])) as Record<Limit, string>),
  };
}
