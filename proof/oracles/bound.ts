import { DEFAULT_SETTINGS } from "../../launch/index.ts";
import type { Usd } from "../../service/contract/money.ts";
import { clockError, specOf } from "../scenario/scenario.ts";
import type { ToldBound } from "../world/recorder.ts";
import type { Evidence, OurMachine, Violation } from "./evidence.ts";
import { isRepriced } from "./evidence.ts";
import { countedAt, timely } from "./limits.ts";
import { countable, isDisturbed, laterHours, paidFor } from "./money.ts";
import { standInsAt } from "./stand-ins.ts";

const HOUR = 3_600_000;

/**
 * By the simulator's books nothing costs more than plans told: no hour of all machines of a fleet, none of one machine, and not
 * what they cost from then until its end, with what a plan says that comes on top.
 */
export function neverBeyondTheBound(evidence: Evidence): readonly Violation[] {
  return [...hourBound(evidence), ...machineBound(evidence), ...endBound(evidence)].map((each) => ({
    rule: "17 bound" as const,
    ...each,
  }));
}

type Found = readonly Omit<Violation, "rule">[];

function hourBound(evidence: Evidence): Found {
  return timely(evidence).flatMap((made) => {
    const { machine, owner } = made;
    const at = machine.committedAt;
    // What it says by the limit of an hour is `hourlyLimit`'s.
    const most = toldAt(evidence, made, ({ perHour }) => (isOfHour(perHour) ? undefined : perHour?.usd));
    const others = standInsAt(evidence, at).reduce((sum, { price }) => sum + price, 0);
    const costs = countedAt(evidence, owner, at)
      .filter((each) => !isRepriced(evidence, each) && !isTooDear(evidence, each))
      .reduce((sum, each) => sum + hourly(each), 0);
    if (costs <= most + others + 1e-9) return [];
    return [{ at, what: `${owner} costs ${costs} USD an hour, and ${most} were told to be the most` }];
  });
}

function machineBound(evidence: Evidence): Found {
  return evidence.ours.flatMap((made) => {
    const most = toldAt(evidence, made, (told) => (isOfHour(told.perHour) ? undefined : told.beyond.late));
    if (hourly(made) <= most + 1e-9 || isRepriced(evidence, made) || isTooDear(evidence, made)) return [];
    const what = `one machine of ${made.owner} costs ${hourly(made)} USD an hour, and ${most} were told`;
    return [{ at: made.machine.committedAt, what }];
  });
}

/** Where clocks are wrong, nobody here knows when the product takes the end to have come. */
function endBound(evidence: Evidence): Found {
  const { recorder, truth, scenario } = evidence;
  if (recorder.jumps.length > 0 || clockError(scenario) > 0) return [];
  return recorder.told.flatMap((told) => {
    const { owner, at, bound } = told;
    if (!bound.untilEnd) return [];
    const end = Date.parse(bound.untilEnd.until);
    const next = recorder.told.find((each) => each.owner === owner && each.at > at)?.at ?? truth.now;
    const own = countable(evidence).filter(
      (each) => each.owner === owner && each.machine.committedAt <= next,
    );
    const replaced = own.filter(({ machine: { endedAt } }) => isWithin(endedAt, at, Math.min(end, next)));
    const hours = own
      .flatMap(({ machine }) => laterHours(machine, next))
      .filter((each) => each > end && isDisturbed(evidence, each));
    const unstopped = hours.length === 0 ? 0 : Math.ceil((Math.max(...hours) - end) / HOUR);
    const most =
      Number(bound.untilEnd.usd) +
      replaced.length * Number(bound.beyond.replaced) +
      unstopped * Number(bound.beyond.unstopped);
    const paid = paidFor(evidence, owner, at, next);
    if (paid <= most + 1e-9) return [];
    return [{ at: next, what: `${owner} has cost ${paid} USD since it was told that ${most} are the most` }];
  });
}

function isWithin(at: number | null, from: number, to: number): boolean {
  return at !== null && at > from && at <= to;
}

function isOfHour(limit: ToldBound["bound"]["perHour"]): boolean {
  return limit?.by === "budget.perHour";
}

/** That is a launch which breaks a limit: see `gpuPriceLimit`. */
function isTooDear({ scenario }: Evidence, made: OurMachine): boolean {
  const { perGpuHour = Number.POSITIVE_INFINITY } = specOf(scenario, made.owner) ?? {};
  return hourly(made) / made.machine.gpus > Number(perGpuHour) + 1e-9;
}

function hourly({ machine }: OurMachine): number {
  return Number(machine.statement.pricePerHour);
}

/** The most that was told where this launch was decided, or since; infinite if there was no bound. */
function toldAt(
  { recorder }: Evidence,
  { machine, owner, post }: OurMachine,
  most: (bound: ToldBound["bound"]) => Usd | undefined,
): number {
  const own = recorder.told.filter((each) => each.owner === owner && each.at <= machine.committedAt);
  const since = post.stamped - 2 * DEFAULT_SETTINGS.stampAge;
  const before = own.findLastIndex((each) => each.at <= since);
  const inForce = own.slice(Math.max(0, before));
  if (inForce.length === 0) return Number.POSITIVE_INFINITY;
  return Math.max(...inForce.map(({ bound }) => Number(most(bound) ?? Number.POSITIVE_INFINITY)));
}
