import { specOf } from "../scenario/scenario.ts";
import type { SetupRun } from "../world/setups.ts";
import type { Evidence, Violation } from "./evidence.ts";
import { isLiving } from "./evidence.ts";

const RULE = "9 setup";
/** The longest lease of a try, and some ticks. */
const LATE_MS = 14 * 60_000;

/** A machine is never set up twice at once, nor once that is stored; and in the end it is, if it is certainly ours. */
export function setUpOnce(evidence: Evidence): readonly Violation[] {
  const { recorder, scenario, ours, truth, said } = evidence;
  const byMachine = Map.groupBy(recorder.setups, ({ id }) => id);
  const told = [...byMachine].flatMap(([id, runs]) => [
    ...twice(runs),
    ...runs
      .filter(({ from }) => from > (recorder.setUp.get(id) ?? Number.POSITIVE_INFINITY))
      .map(({ from }) => ({ at: from, what: `${id} is set up already, and its command runs again` })),
  ]);
  const early = [...recorder.setUp].flatMap(([id, at]) =>
    (byMachine.get(id) ?? []).some(({ isDone, until }) => isDone && until <= at)
      ? []
      : [{ at, what: `${id} is called set up, and no command has come to its end` }],
  );
  const certain = ours.filter(({ machine: { id } }) => said.claims.get(id)?.claim === "certain");
  const never = certain.flatMap(({ machine, owner }) => {
    const { id, states } = machine;
    const since = states.find(({ state }) => state === "running")?.at ?? Number.POSITIVE_INFINITY;
    const last = Math.max(since, ...(byMachine.get(id) ?? []).map(({ until }) => until));
    const isLate = last + LATE_MS < truth.now && isLiving(machine, truth.now);
    if (specOf(scenario, owner)?.setupMs === undefined || recorder.setUp.has(id) || !isLate) return [];
    return [{ at: truth.now, what: `${id} runs and is not set up` }];
  });
  return [...told, ...early, ...never].map((each) => ({ rule: RULE, ...each }));
}

function twice(runs: readonly SetupRun[]): readonly Omit<Violation, "rule">[] {
  return runs.flatMap((run, index) =>
    runs
      .slice(0, index)
      .filter(({ until, attempt }) => until > run.from || attempt === run.attempt)
      .map(({ attempt }) => ({
        at: run.from,
        what: `try ${run.attempt} on ${run.id} begins beside try ${attempt}`,
      })),
  );
}
