import type { TruthMachine } from "../../simulator/index.ts";
import { settingsSchema } from "../../simulator/settings.ts";
import type { Evidence, Rule, Violation } from "./evidence.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A list is that old at most, with an agent that comes back. */
const UNSEEN_MS = 10 * MINUTE;

/**
 * Work is done by its deadline: worlds are drawn so that faults leave the time for it. Nothing is launched for it once it is done, or
 * after its deadline. What is lost is not known to be for as long as the service does not look.
 */
export function workInTime({ scenario, ours, started, truth }: Evidence): readonly Violation[] {
  const { healthCheckSeconds } = settingsSchema.parse(scenario.settings);
  return scenario.fleets.flatMap(({ owner, work, gpus }): readonly Violation[] => {
    if (!work) return [];
    const own = ours.filter((each) => each.owner === owner).map(({ machine }) => machine);
    const by = started + work.byMs;
    const unseen = (gpus * (healthCheckSeconds * 1000 + UNSEEN_MS)) / HOUR;
    const done = hoursUntil(own, by);
    const isLate = done < work.gpuHours - unseen;
    const late = `${owner} had ${done.toFixed(2)} of ${work.gpuHours} GPU-hours by its deadline`;
    const needless = own.filter(
      ({ committedAt }) =>
        committedAt > by + UNSEEN_MS || hoursUntil(own, committedAt - UNSEEN_MS) >= work.gpuHours + unseen,
    );
    // A machine's paid hour that was begun when the work was done.
    const most = work.gpuHours + unseen + gpus * 1.25;
    const all = hoursUntil(own, truth.now);
    const tooMuch = `${owner} had ${all.toFixed(2)} GPU-hours for work of ${work.gpuHours}`;
    const broken = (rule: Rule, at: number, what: string): Violation => ({ rule, at, what });
    return [
      ...(all > most ? [broken("work that is over", truth.now, tooMuch)] : []),
      ...(isLate ? [broken("work by its deadline", truth.now, late)] : []),
      ...needless.map(({ id, committedAt }) =>
        broken(
          "work that is over",
          committedAt,
          `${id} was launched for ${owner}, whose work was done or over`,
        ),
      ),
    ];
  });
}

/** GPU-hours that really ran. */
function hoursUntil(machines: readonly TruthMachine[], at: number): number {
  return machines.reduce((sum, { gpus, states, lostAt, endedAt }) => {
    const from = states.find(({ state }) => state === "running")?.at;
    const left = states.find(({ state }) => state === "stopping")?.at ?? at;
    const to = Math.min(at, left, lostAt ?? at, endedAt ?? at);
    return from === undefined ? sum : sum + (gpus * Math.max(0, to - from)) / HOUR;
  }, 0);
}
