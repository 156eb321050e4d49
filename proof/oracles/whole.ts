import { specOf } from "../scenario/scenario.ts";
import { opensAt } from "../scenario/windows.ts";
import type { Evidence, OurMachine, Violation } from "./evidence.ts";
import { isLiving } from "./evidence.ts";

const MINUTE = 60_000;
/** What giving back may take beyond the fleet's own time: ticks, and lists that fail. */
const SLACK_MS = 5 * MINUTE;

/** An all-or-nothing fleet gives back in time what it got, unless all of it ran once. */
export function givenBack(evidence: Evidence): readonly Violation[] {
  const { scenario, ours, truth, started } = evidence;
  return ours.flatMap(({ machine, owner, late }) => {
    const spec = specOf(scenario, owner);
    if (spec?.allOrNothing === undefined || late) return [];
    const { allOrNothing } = spec;
    const gpus = Math.max(spec.gpus, ...(spec.schedule?.windows ?? []).map((window) => window.gpus));
    const due = machine.committedAt + minutesOf(allOrNothing) * MINUTE + SLACK_MS;
    // In each window it has to become whole anew.
    const opened = (spec.schedule?.windows ?? []).map(({ fromMs }) => opensAt(started, fromMs));
    const from = Math.max(started, ...opened.filter((at) => at <= machine.committedAt));
    // What the end of a window leaves of an attempt stays until the end of its paid hour.
    const isLeft = (spec.schedule?.windows ?? []).some(({ toMs }) => {
      const to = opensAt(started, toMs);
      return to > machine.committedAt && to < due;
    });
    if (due > truth.now || isLeft || !isLiving(machine, due) || wasWhole(ours, owner, gpus, { from, due }))
      return [];
    const what = `${owner} keeps ${machine.id.slice(0, 8)}, and not all of ${gpus} GPUs ran within ${allOrNothing}`;
    return [{ rule: "5 all or nothing", at: due, what }];
  });
}

function wasWhole(
  ours: readonly OurMachine[],
  owner: string,
  gpus: number,
  { from, due }: { readonly from: number; readonly due: number },
): boolean {
  const owned = ours.filter((each) => each.owner === owner).map(({ machine }) => machine);
  const starts = owned.flatMap(({ states }) => states.filter(({ state }) => state === "running"));
  return starts.some(({ at }) => {
    const running = owned.filter(
      (machine) =>
        isLiving(machine, at) && machine.states.some((each) => each.state === "running" && each.at <= at),
    );
    return from <= at && at <= due && running.reduce((sum, machine) => sum + machine.gpus, 0) >= gpus;
  });
}

function minutesOf(text: string): number {
  const [, minutes] = /^(\d+)m$/.exec(text) ?? [];
  if (minutes === undefined)
    throw new Error(`allOrNothing of a fleet here: expected minutes, such as 5m, got ${text}`);
  return Number(minutes);
}
