import type { Context } from "../../../launch/facts/context.ts";
import { livingOf, unresolvedOf } from "../../../launch/facts/occupancy.ts";
import type { SpendLimits } from "../../../launch/money/budget.ts";
import { hourOf } from "../../../launch/money/price.ts";
import { stopLead } from "../../../launch/money/spend.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { FleetRow } from "../../../ledger/rows.ts";
import { type Billing, begunMs, priceOfTime, takenAtOnce } from "../../../service/contract/billing.ts";
import { parseUsd, type Usd, ZERO_USD } from "../../../service/contract/money.ts";
import { atLast } from "../../fleet/phase/lacking.ts";
import { wishWithEnd } from "../../fleet/phase/life.ts";
import { atItsLargest } from "../../fleet/size/asked-size.ts";
import { stopAhead } from "../../fleet/wish/before-stop-wish.ts";
import { rangeOf } from "../../fleet/wish/size-range.ts";
import { limitsOf, parseWish, type Wish } from "../../fleet/wish/wish.ts";

/*
 * The most that something can cost whatever the service does, by the rules that admit launches and by the limits in force. It is a
 * bound, and no estimate: what no rule bounds has none. See docs/how/limits.md.
 */

/** An amount, and the limit that it follows from. */
interface Limit {
  readonly usd: Usd;
  readonly by: string;
}

export interface Bound {
  /** An hour of all that bills at one time. */
  readonly perHour: Limit | undefined;
  /** From now on until it ends. Absent: it has no end, or no bound an hour. */
  readonly untilEnd: (Limit & { readonly until: string }) | undefined;
  /** All that it pays in its life, with what is paid for. */
  readonly inAll: Limit | undefined;
  /** What comes on top, where it happens. Undefined: that has no bound. */
  readonly beyond: {
    /** Each machine that ends before its paid time and is replaced. A total counts it, so it is not on top of `inAll`. */
    readonly replaced: Usd | undefined;
    /** An hour of each machine that shows after its launch was given up, until it is stopped. */
    readonly late: Usd | undefined;
    /** Each hour in which no stop is carried out. */
    readonly unstopped: Usd | undefined;
  };
  /** Why there is none, and what to write. */
  readonly why: readonly string[];
}

/** What is asked of a bound, of a fleet or of one machine. */
export interface Bounded {
  readonly limits: Pick<SpendLimits, "perHour" | "perGpuHour" | "total">;
  /** GPUs that may bill at one time, and those of the largest machine. */
  readonly gpus: number;
  readonly largest: number;
  /** Further GPUs, at a price of their own. */
  readonly buffer?: { readonly gpus: number; readonly price: Usd | undefined } | undefined;
  readonly ceilingBy: string;
  /** Wall time in ms at which it ends; undefined: nothing ends it. */
  readonly end: number | undefined;
  /** How long after that it may be until all stops are carried out, in ms. */
  readonly stops: number;
  /** What bills already an hour; undefined: something of unknown price does, `unpriced`. */
  readonly running: readonly (Usd | undefined)[];
  readonly billing: Billing | undefined;
  /** What to write where no limit bounds an hour, and where nothing ends it. */
  readonly advice: { readonly price: string; readonly end: string };
}

export function boundBy(asked: Bounded, now: number): Bound {
  const { limits, end, stops, billing, advice, running } = asked;
  const known = running.filter((each) => each !== undefined);
  const isKnown = known.length === running.length;
  const allowed = hourBy(asked);
  const runs = known.reduce((sum, each) => sum.plus(each), ZERO_USD);
  const perHour = !isKnown
    ? undefined
    : allowed && runs.gt(allowed.usd)
      ? { usd: runs, by: "what runs now" }
      : allowed;
  const dearest = known.reduce((most, each) => (each.gt(most) ? each : most), ZERO_USD);
  const one = perHour && higher(machineBy(asked) ?? perHour.usd, dearest);
  // One that lives for all of the time begins so many hours, the one in which its stop is carried out among them.
  const ms = end === undefined ? undefined : begunMs(billing, Math.max(0, end - now) + stops);
  const why = [
    ...(isKnown
      ? []
      : ["what it has, or would launch, shows no price, and an unknown price is not counted as 0"]),
    ...(allowed ? [] : [advice.price]),
    ...(end === undefined && !limits.total ? [advice.end] : []),
  ];
  return {
    perHour,
    untilEnd:
      perHour && ms !== undefined && end !== undefined
        ? { usd: priceOfTime(perHour.usd, ms), by: perHour.by, until: new Date(end).toISOString() }
        : undefined,
    inAll: isKnown && limits.total ? { usd: limits.total, by: "budget.total" } : undefined,
    beyond: { replaced: one && takenAtOnce(billing, one), late: one, unstopped: perHour?.usd },
    why,
  };
}

/** The lower of what the limit of an hour allows, and of so many GPUs at the price that one may have. */
function hourBy({ limits, gpus, buffer, ceilingBy }: Bounded): Limit | undefined {
  const { perHour, perGpuHour } = limits;
  const own = perHour && { usd: perHour, by: "budget.perHour" };
  if (!perGpuHour) return own;
  const cheap = buffer && lower(buffer.price, perGpuHour).times(buffer.gpus);
  const all = perGpuHour.times(gpus).plus(cheap ?? ZERO_USD);
  return own?.usd.lte(all) ? own : { usd: all, by: ceilingBy };
}

/** One machine: it has no more GPUs than the largest. */
function machineBy({ limits, largest, buffer }: Bounded): Usd | undefined {
  const { perHour, perGpuHour } = limits;
  const priced = perGpuHour?.times(Math.max(largest, buffer?.gpus ?? 0));
  return priced ? lower(perHour, priced) : perHour;
}

/** What is not known is not lower. */
function lower(one: Usd | undefined, other: Usd): Usd {
  return one?.lt(other) ? one : other;
}

function higher(one: Usd, other: Usd): Usd {
  return one.gt(other) ? one : other;
}

/** Of a fleet, as it is declared. Where several services keep it, of the whole: `parts` are all of its parts. */
export function boundOf(
  draft: Draft,
  fleet: FleetRow,
  context: Pick<Context, "settings" | "now">,
  parts: readonly Kept[] = [{ draft, fleet }],
): Bound {
  const { until } = wishWithEnd(fleet);
  const wish = atLast(fleet.part ? parseWish(fleet.part.whole) : parseWish(fleet.wish));
  const ends = [until, wish.work?.by].filter((each) => each !== undefined).map((each) => Date.parse(each));
  const { select, overshoot, surge, candidates, life } = wish;
  const most = Math.max(atItsLargest(wish).gpus, rangeOf(wish)?.max ?? 0);
  const ceiling = `${most + overshoot + surge} GPUs`;
  const limits = limitsOf(wish);
  const isSelected = limits.perGpuHour?.eq(parseUsd(select?.maxPricePerGpuHour ?? "") ?? -1);
  return boundBy(
    {
      limits,
      gpus: most + overshoot + surge,
      largest: candidates ? Math.max(...candidates.map(({ gpus }) => gpus)) : most + overshoot + surge,
      buffer: bufferOf(wish),
      ceilingBy: `${ceiling} at ${isSelected ? "select.maxPricePerGpuHour" : "budget.perGpuHour"}`,
      end: ends.length === 0 ? undefined : Math.min(...ends),
      stops: stopLead(context.settings) + stopAhead(wish),
      running: parts.flatMap(runningOf),
      billing: coarsest(parts.map((part) => part.draft.account.billing)),
      advice: {
        price: `no limit says what a GPU may cost: set ${select ? "select.maxPricePerGpuHour, " : ""}budget.perGpuHour or budget.perHour`,
        end:
          life === undefined
            ? "nothing ends it: set until, or budget.total"
            : "its life begins once all of it runs: set until or budget.total, too",
      },
    },
    context.now.wall,
  );
}

/** A fleet or a part of one, with the rows of its account. */
interface Kept {
  readonly draft: Draft;
  readonly fleet: FleetRow;
}

function runningOf({ draft, fleet }: Kept): readonly (Usd | undefined)[] {
  const owner = fleetOwner(fleet.name);
  return [...livingOf(draft, owner), ...unresolvedOf(draft, owner)].map((each) => hourOf(draft, each));
}

/** By which the least of time costs most. */
function coarsest(all: readonly (Billing | undefined)[]): Billing | undefined {
  return all.reduce((one, other) => (begunMs(other, 1) > begunMs(one, 1) ? other : one));
}

function bufferOf({ buffer }: Wish): Bounded["buffer"] {
  return buffer && { gpus: buffer.gpus, price: parseUsd(buffer.maxPricePerGpuHour) };
}
