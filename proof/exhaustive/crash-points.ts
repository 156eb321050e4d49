import type { Fault } from "../../simulator/index.ts";
import type { Violation } from "../oracles/evidence.ts";
import { play } from "../play.ts";
import type { EffectKind } from "../scenario/blow.ts";
import { FLEET, OFFERS, PLAIN } from "../scenario/plain.ts";
import type { Moment, Scenario } from "../scenario/scenario.ts";
import { BEFORE_START } from "../scenario/scenario.ts";
import type { Struck } from "../world/recorder.ts";

const SECOND = 1_000;
const [NORTH, SOUTH] = OFFERS;

/** One way through the protocol, and the process that goes it. */
export interface Path {
  readonly name: string;
  readonly who: string;
  readonly scenario: Scenario;
  /** Only effects between the two are killed: the way itself, not what comes before or after. */
  readonly from: number;
  readonly until: number;
}

function path(
  name: string,
  who: string,
  [from, until]: readonly [number, number],
  changes: Partial<Scenario>,
): Path {
  const noisyMs = Math.max(until, 60 * SECOND) + 60 * SECOND;
  const scenario: Scenario = { ...PLAIN, name, seed: name, latencyMs: 50, noisyMs, ...changes };
  return { name, who, scenario, from, until };
}

const launchMeets = (fault: Fault): Moment => ({ at: 0, kind: "fault", target: "launch", fault });
const fault = (kind: "dropAfter" | "dropBefore"): Moment => launchMeets({ kind });
const commitLate = (seconds: number): Moment => launchMeets({ kind: "commitLate", seconds });
const up: Moment = { at: 5 * SECOND, kind: "up", deployment: "web0" };
/** When what is cheap has room. */
const MOVES = 100 * SECOND;

/** One machine is left for a cheaper one. Time is billed by the second, so that the move begins at once. */
function moving(surge: number): Partial<Scenario> {
  const improve = { saves: "10%", per: "1m", restart: "1m" };
  const room = (at: number, capacity: number): Moment => {
    return { at, kind: "capacity", combination: NORTH, capacity };
  };
  return {
    wire: "marker",
    offers: [NORTH, { ...SOUTH, pricePerHour: "4.0000" }],
    billing: { by: "second", minimum: "1m" },
    fleets: [{ ...FLEET, select: true, surge, improve }],
    events: [room(BEFORE_START, 0), room(MOVES, 8)],
  };
}

const web0 = { fleets: [], deployments: [{ name: "web0", offer: NORTH }] } as const;

export const PATHS: readonly Path[] = [
  path("birth and first launch under a profile", "agent", [0, 20 * SECOND], {}),
  path("launches accepted", "agent", [0, 20 * SECOND], { wire: "marker", fleets: [{ ...FLEET, gpus: 3 }] }),
  path("answer lost, found by looking", "agent", [0, 40 * SECOND], { events: [fault("dropAfter")] }),
  path("request lost, called absent, launched again", "agent", [0, 300 * SECOND], {
    events: [fault("dropBefore")],
  }),
  path("birth takes over what is there", "agent", [0, 80 * SECOND], {
    wire: "combination",
    watched: false,
    before: [NORTH],
  }),
  path("stop", "agent", [0, 120 * SECOND], {
    events: [{ at: 60 * SECOND, kind: "edit", name: "fleet-a", gpus: 0 }],
  }),
  path("replacement of what was interrupted", "agent", [0, 100 * SECOND], {
    events: [{ at: 70 * SECOND, kind: "loseOne", pick: 0, now: true }],
  }),
  path("fleet renamed and edited", "editor", [0, 100 * SECOND], {
    events: [
      { at: 60 * SECOND, kind: "rename", name: "fleet-a", to: "fleet-b" },
      { at: 61 * SECOND, kind: "edit", name: "fleet-b", gpus: 2 },
    ],
  }),
  path("pulumi up", "pulumi", [0, 60 * SECOND], { ...web0, events: [up] }),
  path("pulumi up, answer lost", "pulumi", [0, 60 * SECOND], { ...web0, events: [fault("dropAfter"), up] }),
  path("pulumi destroy", "pulumi", [0, 120 * SECOND], {
    ...web0,
    events: [up, { at: 70 * SECOND, kind: "destroy", deployment: "web0" }],
  }),
  path("late arrival, claimed and stopped", "agent", [400 * SECOND, 470 * SECOND], {
    events: [commitLate(400)],
  }),
  path("late arrival on a shared account, reported", "agent", [400 * SECOND, 440 * SECOND], {
    tenure: "shared",
    events: [commitLate(400)],
  }),
  path("answer lost on a shared account, claimed by looking", "agent", [0, 40 * SECOND], {
    tenure: "shared",
    wire: "combination",
    events: [fault("dropAfter")],
  }),
  path("two machines for one launch, disputed", "agent", [10 * SECOND, 50 * SECOND], {
    tenure: "shared",
    events: [commitLate(10), { at: 20 * SECOND, kind: "hand", combination: NORTH }],
  }),
  path("an id that is never shown, halted", "agent", [120 * SECOND, 160 * SECOND], {
    quirk: "ghostId",
    halts: true,
    launchesAtMost: 1,
  }),
  path("portions moved from a service that is drained", "agent", [190 * SECOND, 213 * SECOND], {
    wire: "marker",
    services: ["north", "south"],
    offers: OFFERS.slice(0, 2),
    fleets: [{ ...FLEET, gpus: 2, select: true }],
    events: [{ at: 150 * SECOND, kind: "drainFleet", name: "fleet-a", drained: true, service: "north" }],
  }),
  path("a move to cheaper machines, new ones first", "agent", [MOVES, MOVES + 80 * SECOND], moving(1)),
  path("a move to cheaper machines, old ones first", "agent", [MOVES, MOVES + 80 * SECOND], moving(0)),
  path("refused while it cools", "agent", [0, 90 * SECOND], {
    events: [{ at: 0, kind: "cooldown", combination: NORTH, seconds: 60 }],
  }),
];

export interface Covered {
  readonly path: string;
  readonly effects: number;
  /** Each effect of the undisturbed play, before it and after it. */
  readonly points: number;
  /** Plays in which the process really died there. */
  readonly died: number;
  readonly byKind: Readonly<Partial<Record<EffectKind, number>>>;
  readonly broken: readonly {
    readonly effect: number;
    readonly when: string;
    readonly violation: Violation;
  }[];
}

export interface Effect {
  readonly at: number;
  readonly kind: EffectKind;
}

/** A point of a path: an effect's number, from 0, and whether the process dies before or after it. */
export interface Point {
  readonly effect: number;
  readonly when: "before" | "after";
}

/** Plays a path undisturbed and notes its effects. Then kills its process before and after each of them. */
export async function coverPath(path: Path): Promise<Covered> {
  const effects = await effectsOf(path);
  const points = effects.flatMap(({ at }, effect) =>
    at < path.from ? [] : (["before", "after"] as const).map((when) => ({ effect, when })),
  );
  return coverPoints(path, effects, points);
}

/** A point is covered only if the process died at an effect of the same kind. */
export async function coverPoints(
  path: Path,
  effects: readonly Effect[],
  points: readonly Point[],
): Promise<Covered> {
  const { name, who, scenario } = path;
  const broken: { effect: number; when: string; violation: Violation }[] = [];
  let died = 0;
  for (const { effect, when } of points) {
    const blow = { kind: "crash", when } as const;
    const kill: Moment = { at: BEFORE_START, kind: "blow", who, on: "any", skip: effect, blow };
    let struck: readonly Struck[] = [];
    const events = [kill, ...scenario.events];
    const { violations } = await play({ ...scenario, events }, ({ recorder }) => {
      struck = recorder.struck;
    });
    const [only, ...more] = struck;
    if (only && more.length === 0 && only.who.startsWith(who) && only.effect === effects[effect]?.kind)
      died += 1;
    if (violations[0]) broken.push({ effect, when, violation: violations[0] });
  }
  const byKind: Partial<Record<EffectKind, number>> = {};
  const tried = effects.filter(({ at }) => at >= path.from);
  for (const { kind } of tried) byKind[kind] = (byKind[kind] ?? 0) + 1;
  return { path: name, effects: tried.length, points: points.length, died, byKind, broken };
}

/** The effects of the path's process until its end, undisturbed. */
export async function effectsOf({ who, scenario, until }: Path): Promise<readonly Effect[]> {
  const effects: Effect[] = [];
  await play(scenario, (world) => {
    world.fate = (process, effect) => {
      const at = world.now - world.started;
      if (process.name.startsWith(who) && at <= until) effects.push({ at, kind: effect });
      return undefined;
    };
  });
  return effects;
}
