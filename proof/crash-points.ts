import { OFFERS } from "./draw.ts";
import type { Violation } from "./evidence.ts";
import { play } from "./play.ts";
import type { EffectKind } from "./process.ts";
import type { FleetSpec, Moment, Scenario } from "./scenario.ts";

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
interface Path {
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
  /** Effects of the path: at each one the process was killed before and after it. */
  readonly effects: number;
  readonly kills: number;
  readonly byKind: Readonly<Partial<Record<EffectKind, number>>>;
  readonly broken: readonly {
    readonly effect: number;
    readonly when: string;
    readonly violation: Violation;
  }[];
}

/** Walks one path to its end, counting its effects; then kills its process at each of them, before and after. */
export async function coverPath({ name, who, scenario, until }: Path): Promise<Covered> {
  const effects: EffectKind[] = [];
  await play(scenario, (world) => {
    world.fate = (process, effect) => {
      if (process.name.startsWith(who) && world.now - world.started <= until) effects.push(effect);
      return undefined;
    };
  });
  const broken: { effect: number; when: string; violation: Violation }[] = [];
  for (const when of ["before", "after"] as const) {
    for (let effect = 0; effect < effects.length; effect++) {
      const blow = { kind: "crash", when } as const;
      const kill: Moment = { at: 0, kind: "blow", who, on: "any", skip: effect, blow };
      const { violations } = await play({ ...scenario, events: [kill, ...scenario.events] });
      if (violations[0]) broken.push({ effect, when, violation: violations[0] });
    }
  }
  const byKind: Partial<Record<EffectKind, number>> = {};
  for (const kind of effects) byKind[kind] = (byKind[kind] ?? 0) + 1;
  return { path: name, effects: effects.length, kills: 2 * effects.length, byKind, broken };
}
