import { clockError, specOf } from "../scenario/scenario.ts";
import { timeBegun } from "./billed.ts";
import { endOf } from "./deadline.ts";
import type { Evidence, Violation } from "./evidence.ts";
import { haltedBy } from "./evidence.ts";

/** A tick, its list, and a look at the machine. */
const TICK_MS = 60_000;

/**
 * A machine that ran is asked to save its work before its stop is called, once. The call comes when that is over or its time is up,
 * not before and not a tick later; and that time ends no later than its fleet's deadline.
 */
export function savedBefore(evidence: Evidence): readonly Violation[] {
  const { ours, recorder, scenario, truth } = evidence;
  // Where somebody moves the clock, the time of a command is another one by it.
  if (recorder.jumps.length > 0) return [];
  return ours.flatMap(({ machine, owner }) => {
    const { saveMs, total } = specOf(scenario, owner) ?? {};
    const { id, states, endedAt } = machine;
    const condemned = recorder.condemned.get(id);
    const running = states.find(({ state }) => state === "running")?.at;
    if (saveMs === undefined || condemned === undefined || running === undefined) return [];
    const called = recorder.stops.find((each) => each.id === id && each.at >= condemned)?.at;
    const stop = called ?? (endedAt === null ? truth.now : undefined);
    if (stop === undefined) return [];
    const due = endOf(evidence, owner, condemned);
    const runs = recorder.saves.filter((each) => each.id === id && !each.isTakenBack);
    const [run] = runs;
    const problems = [];
    const paid = ours
      .filter((each) => each.owner === owner && each.machine.committedAt <= condemned)
      .reduce((sum, each) => sum + timeBegun(each.machine, condemned), 0);
    // What the service has halted has nothing to save, and a total that is spent leaves no time for it.
    const isSpent = total !== undefined && paid > Number(total);
    const mayBeUnasked = haltedBy(machine, condemned) || condemned + TICK_MS > due || isSpent;
    if (!run && !mayBeUnasked && running + TICK_MS < condemned && !isHeldUp(evidence, owner, running, stop))
      problems.push("was not asked before its stop");
    if (runs.length > 1) problems.push("was asked twice for one stop");
    if (run) {
      const over = Math.min(run.to, run.until);
      // A total that is spent cuts it short, too.
      if (stop < Math.min(over, due - clockError(scenario)) && total === undefined)
        problems.push("is told to stop while it saves its work");
      if (stop > over + TICK_MS && !isHeldUp(evidence, owner, over, stop))
        problems.push("runs on, and its time to save its work is over");
      if (run.until > due + clockError(scenario)) problems.push("may save its work past its deadline");
    }
    return problems.map((what) => ({ rule: "8 saved", at: stop, what: `${id} ${what}` }));
  });
}

/** True if something failed, died or stood still then, or somebody paused the fleet: what is due waits for that. */
export function isHeldUp(
  { recorder, truth, scenario, started }: Evidence,
  owner: string,
  from: number,
  to: number,
): boolean {
  const within = (at: number): boolean => at >= from && at <= to;
  const meets = (one: { readonly from: number; readonly until: number }): boolean =>
    one.from <= to && one.until >= from;
  return (
    truth.faults.some(({ at }) => within(at)) ||
    recorder.deaths.some(within) ||
    recorder.pauses.some(meets) ||
    recorder.holds.some((hold) => hold.owner === owner && meets({ from: hold.from, until: hold.over })) ||
    recorder.heldMachines.some(meets) ||
    scenario.events.some((event) => {
      const at = started + event.at;
      // A stop that cannot be stored is not sent, nor until the ledger is tried again.
      if (event.kind === "lockLedger") return meets({ from: at, until: at + event.forMs + TICK_MS });
      return UNSETTLING.has(event.kind) && within(at);
    })
  );
}

const UNSETTLING: ReadonlySet<string> = new Set(["terminate", "forget", "hide"]);
