import type { Evidence, Violation } from "../evidence.ts";
import { haltedBy, stoppingSince } from "../evidence.ts";
import { specOf } from "../scenario.ts";

/** A tick, its list, and a look at the machine. */
const TICK_MS = 60_000;

/**
 * A machine that ran is asked to save its work before its stop is called, once. The call comes when that is over or its time is up,
 * not before and not a tick later; and that time ends no later than its fleet's deadline.
 */
export function savedBefore(evidence: Evidence): readonly Violation[] {
  const { ours, recorder, scenario, started, truth } = evidence;
  // Where somebody moves the clock, the time of a command is another one by it.
  if (recorder.jumps.length > 0) return [];
  return ours.flatMap(({ machine, owner }) => {
    const { saveMs, untilMs } = specOf(scenario, owner) ?? {};
    const { id, states } = machine;
    const stop = stoppingSince(machine) ?? (machine.endedAt === null ? truth.now : undefined);
    const condemned = recorder.condemned.get(id);
    const running = states.find(({ state }) => state === "running")?.at;
    if (saveMs === undefined || stop === undefined || condemned === undefined) return [];
    const runs = recorder.saves.filter((each) => each.id === id);
    if (runs.some(({ isTakenBack }) => isTakenBack)) return [];
    const [run] = runs;
    const problems = [];
    // What the service has halted has nothing to save.
    const isHalted = haltedBy(machine, condemned);
    if (!run && !isHalted && running !== undefined && running + TICK_MS < condemned)
      problems.push("was not asked before its stop");
    if (runs.length > 1) problems.push("was asked twice for one stop");
    if (run && stop < Math.min(run.to, run.until)) problems.push("is told to stop while it saves its work");
    if (run && stop > Math.min(run.to, run.until) + TICK_MS)
      problems.push("runs on, and its time to save its work is over");
    if (run && untilMs !== undefined && run.until > started + untilMs)
      problems.push("may save its work past its deadline");
    return problems.map((what) => ({ rule: "8 saved", at: stop, what: `${id} ${what}` }));
  });
}
