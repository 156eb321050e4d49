import type { TruthMachine } from "../../simulator/index.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { clockError, specOf, traitsOf } from "../scenario/scenario.ts";
import { timeBegun } from "./billed.ts";
import { endOf } from "./deadline.ts";
import type { Evidence, OurMachine, Rule, Violation } from "./evidence.ts";
import { aliveAt, gpusOf, isLiving, isRepriced, stoppingSince } from "./evidence.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** How long an end may go unseen: lists fail, lag and lie. */
const UNSEEN_MS = 5 * MINUTE;

/** No launch is above the limit for one GPU and hour, nor above the lower one of a fleet that has not waited yet. */
export function gpuPriceLimit(evidence: Evidence): readonly Violation[] {
  const { scenario, ours, recorder, started } = evidence;
  return ours.flatMap((our) => {
    const { machine, owner, post } = our;
    const price = Number(machine.statement.pricePerHour) / machine.gpus;
    const spec = specOf(scenario, owner);
    // What chooses among candidates has one price.
    const patience = spec?.select ? spec.patience : undefined;
    if (patience && "above" in patience && isHasty(evidence, our, patience) && !isRepriced(evidence, our)) {
      const what = `${owner} pays ${price} USD a GPU and hour, ${patience.above} above all that it ever had, and has not waited`;
      return [{ rule: "5 perGpuHour", at: machine.committedAt, what }];
    }
    const hasWaited =
      !patience || !("price" in patience) || post.stamped - started >= patience.forMs - MINUTE / 2;
    const perGpuHour = hasWaited || recorder.jumps.length > 0 ? spec?.perGpuHour : patience.price;
    if (perGpuHour === undefined || price <= Number(perGpuHour) + 1e-9 || isRepriced(evidence, our))
      return [];
    const what = `${owner} pays ${price} USD a GPU and hour, and ${perGpuHour} is the most`;
    return [{ rule: "5 perGpuHour", at: machine.committedAt, what }];
  });
}

/** It is dearer by so much than all that its fleet ever had, which had all of its GPUs for minutes within the time that it waits. */
function isHasty(
  evidence: Evidence,
  our: OurMachine,
  { above, forMs }: { readonly above: string; readonly forMs: number },
): boolean {
  const { scenario, ours, recorder } = evidence;
  const { machine, owner, post } = our;
  const before = ours.filter((each) => each.owner === owner && each.machine.committedAt < post.stamped);
  const each = (of: TruthMachine): number => Number(of.statement.pricePerHour) / of.gpus;
  const most = Math.max(...before.map((of) => each(of.machine))) * (1 + Number.parseFloat(above) / 100);
  const [asked = 0] = scenario.fleets.filter((fleet) => fleet.owner === owner).map(({ gpus }) => gpus);
  const isOther = scenario.events.some(({ kind }) =>
    ["edit", "candidates", "declare", "rename"].includes(kind),
  );
  if (isOther || recorder.jumps.length > 0 || before.length === 0 || each(machine) <= most + 1e-9)
    return false;
  // Until a loss all of them ran, for so long that it was seen although lists fail and lag.
  const running = ({ states }: TruthMachine): number =>
    states.find(({ state }) => state === "running")?.at ?? Number.POSITIVE_INFINITY;
  return before.some((lost) => {
    const at =
      Math.min(
        stoppingSince(lost.machine) ?? Number.POSITIVE_INFINITY,
        lost.machine.endedAt ?? Number.POSITIVE_INFINITY,
      ) - 1;
    const whole = before.filter((of) => running(of.machine) <= at - UNSEEN_MS && isLiving(of.machine, at));
    const hasWaited = post.stamped - at >= forMs - MINUTE / 2;
    return at < post.stamped && !hasWaited && gpusOf(whole) >= asked;
  });
}

/** No launch takes what an owner has paid, in all or on this day, above its limit. */
export function sumLimits(evidence: Evidence): readonly Violation[] {
  return countable(evidence).flatMap(({ machine, owner }) => {
    const at = machine.committedAt;
    const { total, perDay } = specOf(evidence.scenario, owner) ?? {};
    const over = (rule: Rule, limit: string | undefined, from: number): readonly Violation[] => {
      const paid = paidFor(evidence, owner, from, at);
      if (limit === undefined || paid <= Number(limit) + 1e-9) return [];
      return [{ rule, at, what: `${owner} launched, and has paid ${paid} USD of ${limit}` }];
    };
    return [...over("5 total", total, 0), ...over("5 perDay", perDay, Math.floor(at / DAY) * DAY)];
  });
}

/** No launch takes what a team has paid, in all or on this day, above the limit that its fleets share. */
export function sharedLimits(evidence: Evidence): readonly Violation[] {
  const { team, total, perDay } = evidence.scenario.shared ?? {};
  if (team === undefined) return [];
  const owners = ownersOf(evidence).filter((owner) => specOf(evidence.scenario, owner)?.team === team);
  return countable(evidence).flatMap(({ machine, owner }) => {
    if (!owners.includes(owner)) return [];
    const at = machine.committedAt;
    const over = (rule: Rule, limit: string | undefined, from: number): readonly Violation[] => {
      const paid = owners.reduce((sum, each) => sum + paidFor(evidence, each, from, at), 0);
      if (limit === undefined || paid <= Number(limit) + 1e-9) return [];
      return [{ rule, at, what: `${owner} launched, and ${team} has paid ${paid} USD of ${limit}` }];
    };
    return [
      ...over("5 shared total", total, 0),
      ...over("5 shared perDay", perDay, Math.floor(at / DAY) * DAY),
    ];
  });
}

/**
 * No hour begins that takes an owner above its total, if that could be known and prevented: nothing failed,
 * died or stood still in the time before. Only machines that are certainly ours count: no others are stopped.
 */
export function totalNeverCrossed(evidence: Evidence): readonly Violation[] {
  const { truth, said } = evidence;
  return ownersOf(evidence).flatMap((owner) => {
    const { total } = specOf(evidence.scenario, owner) ?? {};
    if (total === undefined) return [];
    const borders = countable(evidence)
      .filter(
        ({ machine, ...each }) => each.owner === owner && said.claims.get(machine.id)?.claim === "certain",
      )
      .flatMap(({ machine }) => laterHours(machine, truth.now));
    return borders.flatMap((at) => {
      const paid = paidFor(evidence, owner, 0, at);
      if (paid <= Number(total) + 1e-9 || isDisturbed(evidence, at)) return [];
      return [{ rule: "5 total", at, what: `an hour began, and ${owner} has paid ${paid} USD of ${total}` }];
    });
  });
}

/** How long everything must have gone well before an hour for its beginning to be preventable. */
const DISTURBED_MS = 30 * MINUTE;

export function isDisturbed({ truth, recorder, scenario, started }: Evidence, at: number): boolean {
  const within = (moment: number): boolean => moment <= at && moment > at - DISTURBED_MS;
  return (
    truth.faults.some((fault) => within(fault.at)) ||
    recorder.deaths.some(within) ||
    recorder.pauses.some(({ from, until }) => from <= at && until > at - DISTURBED_MS) ||
    // An operator's pause changes nothing; an edited or lost fleet is a new one for a while.
    scenario.events.some(({ kind, at: after }) => UNSETTLING.has(kind) && within(started + after))
  );
}

const UNSETTLING: ReadonlySet<string> = new Set([
  "pauseFleet",
  "remove",
  "declare",
  "forget",
  "vanish",
  "hide",
  "blow",
]);

/** Nothing is launched once this much went into machines that ended young. */
export function churnLimit(evidence: Evidence): readonly Violation[] {
  return countable(evidence).flatMap(({ machine, owner, post }) => {
    const { churn } = specOf(evidence.scenario, owner) ?? {};
    if (churn === undefined) return [];
    const lost = countable(evidence)
      .filter((each) => each.owner === owner && diedYoung(each, post.stamped - UNSEEN_MS))
      .filter((each) => !isShrunk(evidence, each))
      .reduce((sum, each) => sum + Number(each.machine.statement.charged), 0);
    if (lost < Number(churn)) return [];
    const what = `${owner} launched after ${lost} USD went into machines that did not live, and ${churn} is the most`;
    return [{ rule: "5 churn", at: machine.committedAt, what }];
  });
}

/**
 * What the product believes that a machine has cost is never below what the service has charged for it: a budget would
 * be judged by too little. Of machines that are certainly ours, where the profile says how time is billed.
 */
export function neverBelowTheBill(evidence: Evidence): readonly Violation[] {
  const { truth, said, recorder } = evidence;
  return evidence.ours.flatMap((our) => {
    const { id, statement } = our.machine;
    const { claim, cost } = said.claims.get(id) ?? {};
    const isUnseen = recorder.forgotten.has(id) || recorder.hidden.has(id) || recorder.jumps.length > 0;
    if (!statement.terms || claim !== "certain" || isUnseen || isRepriced(evidence, our)) return [];
    if (Number(cost) >= Number(statement.charged) - 1e-9) return [];
    const what = `${id.slice(0, 8)} was charged ${statement.charged}, and counts as ${cost}`;
    return [{ rule: "5 never below the bill", at: truth.now, what }];
  });
}

/** No POST for a fleet past its deadline, or that an operator paused or drained, even if it makes nothing. */
export function closedLaunchesNothing(evidence: Evidence): readonly Violation[] {
  const { scenario, recorder, truth } = evidence;
  return recorder.posts.flatMap(({ stamped, entry }): readonly Violation[] => {
    const owner = String(truth.launches[entry - 1]?.parameters.owner);
    const due = endOf(evidence, owner, stamped) + clockError(scenario);
    const late = recorder.jumps.length === 0 && stamped >= due;
    const held = recorder.holds.some(
      (hold) => hold.owner === owner && hold.from < stamped && stamped < hold.until,
    );
    const broken = (rule: Rule, what: string): Violation => ({ rule, at: stamped, what });
    return [
      ...(late ? [broken("5 until", `${owner} launches after its deadline`)] : []),
      ...(held ? [broken("5 pause", `${owner} launches while it is held`)] : []),
    ];
  });
}

/** Machines that the ledger can know at the next launch, of owners whose sums it keeps. */
export function countable(evidence: Evidence): readonly OurMachine[] {
  const { scenario, ours, recorder } = evidence;
  const { clear, others } = traitsOf(scenario);
  if ((!clear && others) || recorder.jumps.length > 0) return [];
  return ours.filter(
    ({ machine, late, owner }) => !late && !recorder.forgotten.has(machine.id) && keepsSums(scenario, owner),
  );
}

function ownersOf(evidence: Evidence): readonly string[] {
  return [...new Set(countable(evidence).map(({ owner }) => owner))];
}

/** Sums outlive a new name, but not a removal with a new declaration under another name. */
function keepsSums({ events, fleets }: Scenario, owner: string): boolean {
  const names = new Set(fleets.filter((fleet) => fleet.owner === owner).map(({ name }) => name));
  const removed = events.find((event) => event.kind === "remove" && names.has(event.name));
  return (
    !removed ||
    !events.some((event) => event.kind === "rename" && names.has(event.name) && event.at >= removed.at)
  );
}

/** When each of its hours after the first began, while it lived. */
export function laterHours(machine: TruthMachine, now: number): readonly number[] {
  const { committedAt, endedAt, states, statement } = machine;
  if (statement.terms) {
    const last = Math.min(endedAt ?? now, now);
    const step = Math.max(MINUTE, statement.terms.unitMs);
    const count = Math.max(0, Math.ceil((last - committedAt) / step) - 1);
    return Array.from({ length: count }, (_, index) => committedAt + (index + 1) * step);
  }
  const used = states.find(({ state }) => state === "running")?.at;
  if (used === undefined || committedAt > now) return [];
  const end = Math.min(endedAt ?? now, now);
  return Array.from(
    { length: Math.max(0, Math.ceil((end - used) / HOUR) - 1) },
    (_, index) => used + (index + 1) * HOUR,
  );
}

/** True if it was stopped as its fleet wanted fewer than when it was launched: that is no loss. */
function isShrunk({ recorder }: Evidence, { machine: { id, committedAt }, owner }: OurMachine): boolean {
  const at = recorder.condemned.get(id);
  const wanted = recorder.wishes.filter((wish) => wish.owner === owner);
  const first = wanted.filter(({ from, until }) => from <= committedAt && until >= committedAt);
  const most = Math.max(...first.map(({ gpus }) => gpus));
  return at !== undefined && wanted.some(({ from, gpus }) => from > committedAt && from <= at && gpus < most);
}

function diedYoung({ machine }: OurMachine, before: number): boolean {
  const { committedAt, endedAt, failure } = machine;
  return endedAt !== null && endedAt < before && failure === null && endedAt - committedAt < HOUR;
}

/**
 * USD for the hours that began in this stretch, less refunds until its end. Nobody knew the cost of a machine
 * whose price had just changed: it counts nothing.
 */
export function paidFor(evidence: Evidence, owner: string, from: number, to: number): number {
  return countable(evidence)
    .filter((each) => each.owner === owner && each.machine.committedAt <= to && !isRepriced(evidence, each))
    .reduce((sum, { machine }) => {
      if (!aliveAt(machine, to))
        return machine.committedAt >= from ? sum + Number(machine.statement.charged) : sum;
      if (machine.statement.terms)
        return sum + timeBegun(machine, to) - (machine.committedAt < from ? timeBegun(machine, from) : 0);
      const used = machine.states.find(({ state }) => state === "running")?.at ?? to;
      const hours = Array.from(
        { length: Math.floor((to - used) / HOUR) },
        (_, index) => used + (index + 1) * HOUR,
      );
      const begun = [machine.committedAt, ...hours].filter((each) => each >= from).length;
      return sum + begun * Number(machine.statement.pricePerHour);
    }, 0);
}
