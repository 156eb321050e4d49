import { OFFERS } from "./draw.ts";
import type { Violation } from "./evidence.ts";
import { play } from "./play.ts";
import type { EffectKind } from "./process.ts";
import type { Struck } from "./recorder.ts";
import type { FleetSpec, Moment, Scenario } from "./scenario.ts";
import { BEFORE_START } from "./scenario.ts";

const SECOND = 1_000;
const NORTH = OFFERS.slice(0, 1);
const FLEET: FleetSpec = {
  name: "fleet-a",
  owner: "A",
  gpus: 1,
  overshoot: 0,
  candidates: NORTH,
  select: false,
};

/** One way through the protocol, and the process that walks it. */
export interface Path {
  readonly name: string;
  readonly who: string;
  readonly scenario: Scenario;
  /** Only effects of this while are killed: the way itself, and not what follows. */
  readonly until: number;
}

function path(name: string, who: string, until: number, changes: Partial<Scenario>): Path {
  const scenario: Scenario = {
    name,
    seed: name,
    wire: "nothing",
    unnamedEnd: false,
    tenure: "exclusive",
    ledger: "memory",
    latencyMs: 50,
    offers: NORTH,
    settings: {},
    balance: "1000.0000",
    fleets: [FLEET],
    deployments: [],
    before: [],
    events: [],
    noisyMs: Math.max(until, 60 * SECOND) + 60 * SECOND,
    ...changes,
  };
  return { name, who, scenario, until };
}

const fault = (kind: "dropAfter" | "dropBefore"): Moment => ({
  at: 0,
  kind: "fault",
  target: "launch",
  fault: { kind },
});
const web0 = { fleets: [], deployments: NORTH.map((offer) => ({ name: "web0", offer })) } as const;

export const PATHS: readonly Path[] = [
  path("birth and first launch under a profile", "agent", 20 * SECOND, {}),
  path("launches accepted", "agent", 20 * SECOND, { wire: "marker", fleets: [{ ...FLEET, gpus: 3 }] }),
  path("answer lost, found by looking", "agent", 40 * SECOND, { events: [fault("dropAfter")] }),
  path("request lost, called absent, launched again", "agent", 300 * SECOND, {
    events: [fault("dropBefore")],
  }),
  path("birth takes over what is there", "agent", 20 * SECOND, { wire: "combination", before: NORTH }),
  path("stop", "agent", 120 * SECOND, {
    events: [{ at: 60 * SECOND, kind: "edit", name: "fleet-a", gpus: 0 }],
  }),
  path("replacement of what was interrupted", "agent", 100 * SECOND, {
    events: [{ at: 70 * SECOND, kind: "loseOne", pick: 0, now: true }],
  }),
  path("fleet renamed and edited", "editor", 100 * SECOND, {
    events: [
      { at: 60 * SECOND, kind: "rename", name: "fleet-a", to: "fleet-b" },
      { at: 61 * SECOND, kind: "edit", name: "fleet-b", gpus: 2 },
    ],
  }),
  path("pulumi up", "pulumi", 60 * SECOND, {
    ...web0,
    events: [{ at: 5 * SECOND, kind: "up", deployment: "web0" }],
  }),
  path("pulumi up, answer lost", "pulumi", 60 * SECOND, {
    ...web0,
    events: [fault("dropAfter"), { at: 5 * SECOND, kind: "up", deployment: "web0" }],
  }),
  path("pulumi destroy", "pulumi", 120 * SECOND, {
    ...web0,
    events: [
      { at: 5 * SECOND, kind: "up", deployment: "web0" },
      { at: 70 * SECOND, kind: "destroy", deployment: "web0" },
    ],
  }),
];

export interface Covered {
  readonly path: string;
  readonly effects: number;
  /** Each effect of the undisturbed play, before it and after it. */
  readonly points: number;
  /** Plays in which the process truly died there. */
  readonly died: number;
  readonly byKind: Readonly<Partial<Record<EffectKind, number>>>;
  readonly broken: readonly {
    readonly effect: number;
    readonly when: string;
    readonly violation: Violation;
  }[];
}

/** A point of a path: the so many-th of its effects, from 0, and whether the process dies before or after it. */
export interface Point {
  readonly effect: number;
  readonly when: "before" | "after";
}

/** Walks one path to its end, writing down its effects; then kills its process at each of them, before and after. */
export async function coverPath(path: Path): Promise<Covered> {
  const effects = await effectsOf(path);
  return coverPoints(
    path,
    effects,
    effects.flatMap((_, effect) => [
      { effect, when: "before" },
      { effect, when: "after" },
    ]),
  );
}

/** A point counts as covered only if the process was seen to die at an effect of the same kind. */
export async function coverPoints(
  path: Path,
  effects: readonly EffectKind[],
  points: readonly Point[],
): Promise<Covered> {
  const { name, who, scenario } = path;
  const broken: { effect: number; when: string; violation: Violation }[] = [];
  let died = 0;
  for (const { effect, when } of points) {
    const kill: Moment = {
      at: BEFORE_START,
      kind: "blow",
      who,
      on: "any",
      skip: effect,
      blow: { kind: "crash", when },
    };
    let struck: readonly Struck[] = [];
    const events = [kill, ...scenario.events];
    const { violations } = await play({ ...scenario, events }, ({ recorder }) => {
      struck = recorder.struck;
    });
    const [only, ...more] = struck;
    if (only && more.length === 0 && only.who.startsWith(who) && only.effect === effects[effect]) died += 1;
    if (violations[0]) broken.push({ effect, when, violation: violations[0] });
  }
  const byKind: Partial<Record<EffectKind, number>> = {};
  for (const kind of effects) byKind[kind] = (byKind[kind] ?? 0) + 1;
  return { path: name, effects: effects.length, points: points.length, died, byKind, broken };
}

/** The effects of the path's process while the way is walked, undisturbed. */
export async function effectsOf({ who, scenario, until }: Path): Promise<readonly EffectKind[]> {
  const effects: EffectKind[] = [];
  await play(scenario, (world) => {
    world.fate = (process, effect) => {
      if (process.name.startsWith(who) && world.now - world.started <= until) effects.push(effect);
      return undefined;
    };
  });
  return effects;
}
