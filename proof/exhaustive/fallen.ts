import type { Target } from "../../simulator/index.ts";
import type { Verdict } from "../play.ts";
import { play } from "../play.ts";
import type { Scenario } from "../scenario/scenario.ts";
import { BEFORE_START } from "../scenario/scenario.ts";
import type { Struck } from "../world/recorder.ts";
import type { World } from "../world/world.ts";
import type { Planned, Trouble } from "./combinations.ts";

/** A play of planned troubles, and those that did not happen at their places. */
export interface Played {
  readonly verdict: Verdict;
  /** Another trouble changed the course: the noise ended before the place came, or the process was dead. */
  readonly unreached: readonly Trouble[];
  /** The place came, and nothing fell there: the proof itself is broken. */
  readonly missed: readonly Trouble[];
}

/** How many requests and effects of each kind there were until a moment. */
interface Course {
  readonly requests: Readonly<Record<Target, number>>;
  readonly effects: ReadonlyMap<string, number>;
}

/**
 * Plays a scenario. Then checks in the simulator's journal and the dead processes that each trouble fell at
 * the request or effect of its name. A set that is not played as named proves nothing.
 */
export async function playPlanned(scenario: Scenario, troubles: readonly Trouble[]): Promise<Played> {
  const courses = new Map<number, Course>();
  let played: World | undefined;
  const verdict = await play(scenario, (world) => {
    played = world;
    for (const at of new Set([...troubles.map(({ event }) => event.at), scenario.noisyMs])) {
      // Right before that moment, so that what happens at it counts from 1.
      if (at === BEFORE_START) courses.set(at, courseOf(world));
      else void world.clock.sleep(at - 1).then(() => courses.set(at, courseOf(world)));
    }
  });
  const world = played as World;
  const end = courses.get(scenario.noisyMs) as Course;
  const unreached: Trouble[] = [];
  const missed: Trouble[] = [];
  for (const trouble of troubles) {
    const { event } = trouble;
    const number = numberOf(event, courses.get(event.at) as Course);
    if (fell(event, number, world)) continue;
    const never = comesTo(event, end) < number || diedFirst(event, number, world);
    (never ? unreached : missed).push(trouble);
  }
  return { verdict, unreached, missed };
}

/** {@link playPlanned}, and if the noise ended before every place came, once more with three times as much time. */
export async function playPatiently(scenario: Scenario, troubles: readonly Trouble[]): Promise<Played> {
  const played = await playPlanned(scenario, troubles);
  if (played.unreached.length === 0 || played.verdict.violations.length > 0) return played;
  return playPlanned({ ...scenario, noisyMs: 3 * scenario.noisyMs }, troubles);
}

function courseOf({ simulator, recorder }: World): Course {
  return { requests: simulator.truth().requests, effects: new Map(recorder.effects) };
}

/** The event's number among all requests or effects of its kind. */
function numberOf(event: Planned, before: Course): number {
  return comesTo(event, before) + (event.kind === "fault" ? (event.nth ?? 1) : event.skip + 1);
}

function comesTo(event: Planned, { requests, effects }: Course): number {
  return event.kind === "fault" ? requests[event.target] : (effects.get(`${event.who} ${event.on}`) ?? 0);
}

function fell(event: Planned, number: number, { simulator, recorder }: World): boolean {
  if (event.kind === "fault") {
    return simulator
      .truth()
      .faults.some(
        (each) =>
          each.target === event.target && each.number === number && each.fault.kind === event.fault.kind,
      );
  }
  return recorder.struck.some((each) => isOf(event, number, each));
}

/** True if a blow after an effect was due and another one killed the process first. */
function diedFirst(event: Planned, number: number, { recorder }: World): boolean {
  if (event.kind !== "blow" || event.blow.kind === "pause" || event.blow.when !== "after") return false;
  const begun = recorder.begun.some((each) => isOf(event, number, each));
  return begun && recorder.struck.some(({ who, blow }) => who === event.who && blow.kind === "crash");
}

function isOf(event: Planned & { readonly kind: "blow" }, number: number, struck: Struck): boolean {
  const { who, effect, nth, blow } = struck;
  return who === event.who && effect === event.on && nth === number && blow === event.blow;
}
