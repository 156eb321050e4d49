import type { Evidence, OurMachine, Violation } from "../evidence.ts";
import { aliveAt } from "../evidence.ts";
import { specOf, traitsOf } from "../scenario.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** How long an end may go unseen: lists fail, lag and lie. */
const UNSEEN_MS = 5 * MINUTE;

/** No launch goes above a price for one GPU. */
export function gpuPriceLimit({ scenario, ours }: Evidence): readonly Violation[] {
  return ours.flatMap(({ machine, owner }) => {
    const { perGpuHour } = specOf(scenario, owner) ?? {};
    const price = Number(machine.statement.pricePerHour) / machine.gpus;
    if (perGpuHour === undefined || price <= Number(perGpuHour) + 1e-9) return [];
    const what = `${owner} pays ${price} USD a GPU and hour, and ${perGpuHour} is the most`;
    return [{ rule: "5 perGpuHour", at: machine.committedAt, what }];
  });
}

/** No launch takes what an owner has paid for, in all or on this day, above its limit. */
export function sumLimits(evidence: Evidence): readonly Violation[] {
  return countable(evidence).flatMap(({ machine, owner }) => {
    const at = machine.committedAt;
    const { total, perDay } = specOf(evidence.scenario, owner) ?? {};
    const over = (rule: string, limit: string | undefined, from: number): readonly Violation[] => {
      const paid = paidFor(evidence, owner, from, at);
      if (limit === undefined || paid <= Number(limit) + 1e-9) return [];
      return [{ rule, at, what: `${owner} launched, and has paid ${paid} USD of ${limit}` }];
    };
    return [...over("5 total", total, 0), ...over("5 perDay", perDay, Math.floor(at / DAY) * DAY)];
  });
}

/** Where stops can be carried out, no hour begins that takes an owner above its total. */
export function totalNeverCrossed(evidence: Evidence): readonly Violation[] {
  const { scenario, truth } = evidence;
  if (scenario.events.some(({ kind }) => kind !== "loseOne" && kind !== "lose")) return [];
  return scenario.fleets.flatMap(({ owner, total }) => {
    const paid = paidFor(evidence, owner, 0, truth.now);
    if (total === undefined || paid <= Number(total) + 1e-9) return [];
    return [{ rule: "5 total", at: truth.now, what: `${owner} has paid ${paid} USD of ${total}` }];
  });
}

/** Once so much went into machines that did not live, nothing is launched. */
export function churnLimit(evidence: Evidence): readonly Violation[] {
  return countable(evidence).flatMap(({ machine, owner, post }) => {
    const { churn } = specOf(evidence.scenario, owner) ?? {};
    if (churn === undefined) return [];
    const lost = countable(evidence)
      .filter((each) => each.owner === owner && diedYoung(each, post.stamped - UNSEEN_MS))
      .reduce((sum, each) => sum + Number(each.machine.statement.charged), 0);
    if (lost < Number(churn)) return [];
    const what = `${owner} launched after ${lost} USD went into machines that did not live, and ${churn} is the most`;
    return [{ rule: "5 churn", at: machine.committedAt, what }];
  });
}

/** Nothing is sent for a fleet that is past its deadline, or that an operator paused or drained. */
export function closedLaunchesNothing(evidence: Evidence): readonly Violation[] {
  const { scenario, recorder, started, ours } = evidence;
  return ours.flatMap(({ owner, post: { stamped } }) => {
    const { untilMs } = specOf(scenario, owner) ?? {};
    const late = untilMs !== undefined && recorder.jumps.length === 0 && stamped >= started + untilMs;
    const held = recorder.holds.some(
      (hold) => hold.owner === owner && hold.from < stamped && stamped < hold.until,
    );
    return [
      ...(late ? [{ rule: "5 until", at: stamped, what: `${owner} launches after its deadline` }] : []),
      ...(held ? [{ rule: "5 pause", at: stamped, what: `${owner} launches while it is held` }] : []),
    ];
  });
}

/** Machines that the ledger can know of when the next one is launched, of owners whose sums it keeps under one name. */
function countable({ scenario, ours, recorder }: Evidence): readonly OurMachine[] {
  const { clear, others } = traitsOf(scenario);
  const renamed = scenario.events.some(({ kind }) => kind === "rename");
  if ((!clear && others) || renamed || recorder.jumps.length > 0) return [];
  return ours.filter(({ machine, late }) => !late && !recorder.forgotten.has(machine.id));
}

function diedYoung({ machine }: OurMachine, before: number): boolean {
  const { committedAt, endedAt, failure } = machine;
  return endedAt !== null && endedAt < before && failure === null && endedAt - committedAt < HOUR;
}

/** USD for the hours that began in this stretch, less what was refunded by its end. */
function paidFor(evidence: Evidence, owner: string, from: number, to: number): number {
  return countable(evidence)
    .filter((each) => each.owner === owner && each.machine.committedAt <= to)
    .reduce((sum, { machine }) => {
      if (!aliveAt(machine, to))
        return machine.committedAt >= from ? sum + Number(machine.statement.charged) : sum;
      const used = machine.states.find(({ state }) => state === "running")?.at ?? to;
      const hours = Array.from(
        { length: Math.floor((to - used) / HOUR) },
        (_, index) => used + (index + 1) * HOUR,
      );
      const begun = [machine.committedAt, ...hours].filter((each) => each >= from).length;
      return sum + begun * Number(machine.statement.pricePerHour);
    }, 0);
}
