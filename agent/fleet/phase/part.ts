import Big from "big.js";
import type { Draft } from "../../../ledger/draft.ts";
import type { FleetRow, GrantRow, PartRow, Portion } from "../../../ledger/rows.ts";
import { parseUsd, type Usd, ZERO_USD } from "../../../service/contract/money.ts";
import type { Json } from "../../../service/contract/service.ts";
import { type Range, rangeOf, within } from "../wish/size-range.ts";
import { parseWish, type Wish } from "../wish/wish.ts";

/*
 * A fleet that several accounts keep has a part in each, which is a fleet of that account. Its wish is the whole's, with this
 * part's share of the count and of each limit on money. So all that admits a launch asks it as it asks any wish, in the
 * transaction that writes the launch.
 *
 * No transaction sees two accounts. So an amount moves in two: the giver lowers its share and writes a grant, and only
 * then the taker raises its own and writes down which grant it was (the demarcation protocol). Shares and grants on their way
 * add up to the whole at every commit. Whatever dies between two steps leaves the fleet short, and never above.
 */

export const MONEY = ["perHour", "perDay", "total", "churn"] as const;
export type Limit = (typeof MONEY)[number];

export const NOTHING: Portion = {
  gpus: 0,
  overshoot: 0,
  surge: 0,
  perHour: "0",
  perDay: "0",
  total: "0",
  churn: "0",
};

/** The name of the part of a fleet in one of its services. The first one has the fleet's own. */
export function partName(fleet: string, service: string, index: number): string {
  return index === 0 ? fleet : `${fleet}@${service}`;
}

/** Its source or an operator wants nothing of it any more: all of it is being stopped. */
export function isStopped({ removed, drained }: Pick<FleetRow, "removed" | "drained">): boolean {
  return removed || drained?.by === "operator";
}

/** Its service, as people call it. */
export function serviceOf({ name, part }: Pick<FleetRow, "name" | "part">): string {
  const behind = part && name !== part.of ? name.slice(part.of.length + 1) : undefined;
  return part?.service ?? behind ?? name;
}

export function combine(
  one: Portion,
  other: Portion,
  money: (one: Usd, other: Usd) => Usd,
  count: (one: number, other: number) => number,
): Portion {
  const usd = (limit: Limit) => money(amountOf(one, limit), amountOf(other, limit)).toFixed();
  return {
    gpus: count(one.gpus, other.gpus),
    overshoot: count(one.overshoot, other.overshoot),
    surge: count(one.surge ?? 0, other.surge ?? 0),
    ...{ perHour: usd("perHour"), perDay: usd("perDay"), total: usd("total"), churn: usd("churn") },
  };
}

/** @internal Exported for its test. */
export function plus(one: Portion, other: Portion): Portion {
  return combine(
    one,
    other,
    (a, b) => a.plus(b),
    (a, b) => a + b,
  );
}

export function minus(one: Portion, other: Portion): Portion {
  return combine(
    one,
    other,
    (a, b) => a.minus(b),
    (a, b) => a - b,
  );
}

export function amountOf(of: Portion, limit: Limit): Usd {
  return parseUsd(of[limit]) ?? ZERO_USD;
}

export function isNothing(of: Portion): boolean {
  const counts = [of.gpus, of.overshoot, of.surge ?? 0];
  return counts.every((each) => each <= 0) && MONEY.every((limit) => amountOf(of, limit).lte(0));
}

/** The whole as an amount, with the size that its first part has of it. A limit that is not set is 0, and moves nowhere. */
export function wholeOf(part: PartRow): Portion {
  const wish = parseWish(part.whole);
  const { gpus, overshoot, surge, budget } = wish;
  const range = rangeOf(wish);
  const usd = (limit: Limit): string => budget[limit] ?? "0";
  return {
    gpus: range ? within(range, part.size ?? gpus) : gpus,
    ...{ overshoot, surge },
    ...{ perHour: usd("perHour"), perDay: usd("perDay"), total: usd("total"), churn: usd("churn") },
  };
}

/** Its share now. Below zero where the whole was lowered, and the other parts have not given back yet. */
export function portionOf(fleet: Pick<FleetRow, "name">, part: PartRow): Portion {
  return fleet.name === part.of ? plus(wholeOf(part), part.net) : part.net;
}

/** Between which numbers the whole may go; undefined: it has one size. */
export function rangeOfWhole({ whole }: PartRow): Range | undefined {
  return rangeOf(parseWish(whole));
}

/** The most GPUs that the whole may ever want, which any part may say of it. */
export function mostOfWhole({ whole }: PartRow): number {
  const wish = parseWish(whole);
  return rangeOf(wish)?.max ?? wish.gpus;
}

/** The wish of this part: the whole's, with its part. What the size of the whole follows says nothing of a part. */
function wishOfPart(fleet: Pick<FleetRow, "name">, part: PartRow): Json {
  const { schedule: _schedule, metric: _metric, range: _range, ...whole } = parseWish(part.whole);
  const range = rangeOfWhole(part);
  const mine = portionOf(fleet, part);
  const budget = { ...whole.budget };
  for (const limit of MONEY) {
    if (budget[limit] === undefined) continue;
    const usd = amountOf(mine, limit);
    budget[limit] = (usd.lt(0) ? ZERO_USD : usd).round(6, Big.roundDown).toFixed();
    if (part.awaits?.includes(limit)) delete budget[limit];
  }
  const surge = Math.max(0, mine.surge ?? 0);
  const ahead = Math.min(part.ahead ?? 0, surge);
  const wish: Wish = {
    ...whole,
    // What leaves goes once others run in its place, and not at the end of its paid time: others wait for its room.
    ...(range && !part.leaving && { range: { min: 0, max: range.max, at: range.at } }),
    gpus: Math.max(0, Math.min(mine.gpus, part.keeps ?? mine.gpus)) + ahead,
    overshoot: Math.max(0, mine.overshoot),
    surge: surge - ahead,
    budget,
  };
  return JSON.parse(JSON.stringify(wish)) as Json;
}

/** A fleet with another part, and the wish that follows. */
export function withPart(fleet: FleetRow, part: PartRow): FleetRow {
  return { ...fleet, part, wish: wishOfPart(fleet, part) };
}

/** What a declaration says of a part. */
export interface DeclaredPart {
  readonly of: string;
  /** What the declaration calls its service. */
  readonly service?: string | undefined;
  readonly atLeast?: number | undefined;
  /** The whole does not name its service any more. */
  readonly leaves?: boolean | undefined;
}

/** The share of a part that is declared with this wish for the whole. */
export function declaredPart(
  { of, service, atLeast, leaves }: DeclaredPart,
  whole: Json,
  before: FleetRow | undefined,
): PartRow {
  const { keeps, ahead, size, rose, fell } = before?.part ?? {};
  const leaving = leaves ? "declaration" : before?.part?.leaving === "operator" ? "operator" : undefined;
  const now: PartRow = {
    of,
    ...(service !== undefined && { service }),
    whole,
    ...(atLeast === undefined ? {} : { atLeast }),
    ...(leaving && { leaving, ...(keeps !== undefined && { keeps }) }),
    ...(ahead !== undefined && { ahead }),
    ...(rangeOf(parseWish(whole)) && {
      ...(size !== undefined && { size }),
      ...(rose !== undefined && { rose }),
      ...(fell && { fell }),
    }),
    net: before?.part?.net ?? NOTHING,
    given: before?.part?.given ?? [],
    sent: before?.part?.sent ?? {},
    taken: before?.part?.taken ?? {},
  };
  if (before === undefined || before.name === of) return now;
  const had = before.part?.whole;
  const old = had === undefined ? {} : parseWish(had).budget;
  const { budget } = parseWish(whole);
  // Else a limit that is new would stop what runs here before anything of it could be given.
  const fresh = MONEY.filter((limit) => budget[limit] !== undefined && old[limit] === undefined);
  const awaits = [...(before.part?.awaits ?? []).filter((limit) => budget[limit] !== undefined), ...fresh];
  return awaits.length === 0 ? now : { ...now, awaits: [...new Set(awaits)] };
}

/** Nothing of other parts is in it, and nothing of it in others. A part that is not settled must not be forgotten. */
export function isSettled({ part }: Pick<FleetRow, "part">): boolean {
  return !part || (part.given.length === 0 && same(part.net, NOTHING));
}

function same(one: Portion, other: Portion): boolean {
  const rest = minus(one, other);
  return (
    [rest.gpus, rest.overshoot, rest.surge].every((each) => !each) &&
    MONEY.every((limit) => amountOf(rest, limit).eq(0))
  );
}

/**
 * Takes a grant, once: who saw it before others took it may come late. Whoever takes several of one giver takes the oldest
 * first. False: it was taken, or there is no such part yet.
 */
export function take(draft: Draft, from: string, { to, sequence, amount }: GrantRow): boolean {
  const fleet = draft.fleets.get(to);
  if (!fleet?.part) return false;
  const { awaits = [], ...part } = fleet.part;
  if (sequence <= (part.taken[from] ?? 0)) return false;
  const left = awaits.filter((limit) => amountOf(amount, limit).lte(0));
  const net = plus(part.net, amount);
  const taken = { ...part.taken, [from]: sequence };
  // What it launched ahead is paid for by its own count from now on.
  const ahead = part.ahead ? { ahead: Math.max(0, part.ahead - amount.gpus) } : {};
  draft.putFleet(
    withPart(fleet, { ...part, ...ahead, net, taken, ...(left.length === 0 ? {} : { awaits: left }) }),
  );
  return true;
}

/** The giver forgets the grants to a part that were taken: those up to `sequence`. */
export function forgetGiven(draft: Draft, from: string, to: string, sequence: number): void {
  const fleet = draft.fleets.get(from);
  const given = fleet?.part?.given.filter((grant) => grant.to !== to || grant.sequence > sequence);
  if (!fleet?.part || given?.length === fleet.part.given.length) return;
  draft.putFleet({ ...fleet, part: { ...fleet.part, given: given ?? [] } });
}
