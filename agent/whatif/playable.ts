import type { Budget } from "../fleet/declare/budgets.ts";
import type { FleetDeclaration } from "../fleet/declare/fleets.ts";
import type { Wish } from "../fleet/wish/wish.ts";

/** What asks or runs something outside: nothing of it happens in a play. */
const OUTSIDE = ["metric", "setup", "ready", "idle", "beforeStop"] as const;

export interface Playable {
  readonly fleets: readonly FleetDeclaration[];
  /** What of the wishes is not played, for people. */
  readonly notPlayed: readonly string[];
}

/**
 * The fleets as they can be played. `shift`: what is added to each moment that they name, in ms: a deadline is as far from the
 * begin of the play as it is from now.
 */
export function playable(
  fleets: readonly FleetDeclaration[],
  budgets: readonly Budget[],
  shift: number,
): Playable {
  const notPlayed = fleets.flatMap(({ name, wish }) => [
    ...OUTSIDE.filter((key) => wish[key] !== undefined).map((key) => `${name}.${key}: ${WHY[key]}`),
    ...(wish.health ? [`${name}.health: nothing is asked: a machine answers well until it is lost`] : []),
  ]);
  if (budgets.length > 0) notPlayed.push(`budgets: ${FROM_NOTHING}`);
  const own = fleets.map(({ name, source, wish }) => ({ name, source, wish: inside(wish, shift) }));
  return { fleets: own, notPlayed };
}

const FROM_NOTHING =
  "what was spent before the play, and what Deployments and fleets of others spend under the same labels: each limit begins with nothing spent";

const WHY: Readonly<Record<(typeof OUTSIDE)[number], string>> = {
  metric: "nobody knows what it would have said: the size is gpus.at, or what schedule says",
  setup: "no command runs: a machine is set up at once",
  ready: "no machine is asked: one that runs is ready",
  idle: "no use is measured: nothing is given back as idle",
  beforeStop: "no command runs: a stop waits for none",
};

function inside(wish: Wish, shift: number): Wish {
  const { metric: _metric, setup: _setup, ready: _ready, idle: _idle, beforeStop: _hook, ...rest } = wish;
  const { until, work } = rest;
  const moved = (moment: string): string => new Date(Date.parse(moment) + shift).toISOString();
  return {
    ...rest,
    ...(until !== undefined && { until: moved(until) }),
    ...(work && { work: { ...work, by: moved(work.by) } }),
  };
}
