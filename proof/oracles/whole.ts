import type { Evidence, OurMachine, Violation } from "../evidence.ts";
import { isLiving } from "../evidence.ts";
import { specOf } from "../scenario.ts";

const MINUTE = 60_000;
/** What giving back may take beyond the fleet's own time: ticks, and lists that fail. */
const SLACK_MS = 5 * MINUTE;

/** An all-or-nothing fleet gives back in time what it got, unless all of it ran once. */
export function givenBack(evidence: Evidence): readonly Violation[] {
  const { scenario, ours, truth } = evidence;
  return ours.flatMap(({ machine, owner, late }) => {
    const { allOrNothing, gpus } = specOf(scenario, owner) ?? {};
    if (allOrNothing === undefined || gpus === undefined || late) return [];
    const due = machine.committedAt + minutesOf(allOrNothing) * MINUTE + SLACK_MS;
    if (due > truth.now || !isLiving(machine, due) || wasWhole(ours, owner, gpus, due)) return [];
    const what = `${owner} keeps ${machine.id.slice(0, 8)}, and not all of ${gpus} GPUs ran within ${allOrNothing}`;
    return [{ rule: "5 all or nothing", at: due, what }];
  });
}

function wasWhole(ours: readonly OurMachine[], owner: string, gpus: number, until: number): boolean {
  const owned = ours.filter((each) => each.owner === owner).map(({ machine }) => machine);
  const starts = owned.flatMap(({ states }) => states.filter(({ state }) => state === "running"));
  return starts.some(({ at }) => {
    const running = owned.filter(
      (machine) =>
        isLiving(machine, at) && machine.states.some((each) => each.state === "running" && each.at <= at),
    );
    return at <= until && running.reduce((sum, machine) => sum + machine.gpus, 0) >= gpus;
  });
}

function minutesOf(text: string): number {
  const [, minutes] = /^(\d+)m$/.exec(text) ?? [];
  if (minutes === undefined)
    throw new Error(`allOrNothing of a fleet here: expected minutes, such as 5m, got ${text}`);
  return Number(minutes);
}
