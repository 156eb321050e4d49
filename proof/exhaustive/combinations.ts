import type { FaultInput, Target } from "../../simulator/index.ts";
import type { Share } from "../arguments.ts";
import { isInShare } from "../arguments.ts";
import { play } from "../play.ts";
import type { Blow, EffectKind } from "../scenario/blow.ts";
import { FLEET, PLAIN } from "../scenario/plain.ts";
import type { Moment, Scenario } from "../scenario/scenario.ts";
import { BEFORE_START } from "../scenario/scenario.ts";
import type { WireName } from "../scenario/wires.ts";
import { LAUNCH_EVERY_S } from "../scenario/wires.ts";

/** One thing that goes wrong at one place: at the nth request or effect of its kind. */
export interface Trouble {
  readonly name: string;
  /** Two troubles of one place exclude each other. */
  readonly place: string;
  readonly event: Planned;
  /** True: played in sets of up to two only. Sets of three of all kinds would take hours. */
  readonly inPairs: boolean;
}

export type Planned = Moment & { readonly kind: "fault" | "blow" };

/** What a small fleet goes through, and what may go wrong at places on its way. */
export interface Way {
  readonly name: string;
  readonly troubles: readonly Trouble[];
  readonly scenario: Omit<Scenario, "name" | "seed" | "wire">;
}

/** What may go wrong at one place: in sets of any size, and in sets of up to two. */
interface Kinds<T> {
  readonly any: readonly T[];
  readonly inPairs: readonly T[];
}

const SECOND = 1_000;
const TWO: Way["scenario"] = { ...PLAIN, fleets: [{ ...FLEET, gpus: 2 }], noisyMs: 5 * 60 * SECOND };

const LAUNCH_FAULTS: Kinds<FaultInput> = {
  any: [
    { kind: "refuse" },
    { kind: "dropBefore" },
    { kind: "dropAfter" },
    { kind: "commitLate", seconds: 40 },
    { kind: "errorBefore", status: 500 },
    { kind: "errorAfter", status: 503 },
    { kind: "unreadable", how: "cut" },
    { kind: "slow", seconds: 130 },
  ],
  inPairs: [{ kind: "tooMany", seconds: 20 }],
};
const STOP_FAULTS: Kinds<FaultInput> = {
  any: [
    { kind: "dropBefore" },
    { kind: "dropAfter" },
    { kind: "errorBefore", status: 500 },
    { kind: "errorAfter", status: 503 },
  ],
  inPairs: [{ kind: "tooMany", seconds: 20 }, { kind: "ignore" }],
};
const LIST_FAULTS: Kinds<FaultInput> = {
  any: [{ kind: "cut", keep: 0 }, { kind: "stale" }, { kind: "errorBefore", status: 500 }],
  inPairs: [
    { kind: "lag", seconds: 20 },
    { kind: "slow", seconds: 40 },
    { kind: "unreadable", how: "cut" },
  ],
};
const GET_FAULTS: Kinds<FaultInput> = {
  any: [{ kind: "dropBefore" }, { kind: "unreadable", how: "cut" }],
  inPairs: [],
};
const PAUSE: Blow = { kind: "pause", ms: 70 * SECOND };
const CRASHES: Kinds<Blow> = {
  any: [
    { kind: "crash", when: "before" },
    { kind: "crash", when: "after" },
  ],
  inPairs: [PAUSE],
};
const BLOWS: Kinds<Blow> = {
  any: [...CRASHES.any, { kind: "ledgerError", when: "after" }],
  inPairs: [{ kind: "ledgerError", when: "before" }, PAUSE],
};

/** A birth takes two lists and one more comes before the first launch. These come after the launches. */
const LISTS_AFTER_LAUNCHES = [4, 5] as const;
const HIDDEN_FROM = 95 * SECOND;
const STOPPED_AT = 200 * SECOND;
const LOST_AT = 95 * SECOND;

const SHOWN_LATE: FaultInput = { kind: "lag", seconds: 60 };

/** At services of which a profile 2 says what the specification's never does. Their sets are of two. */
const WAYS_OF_A_PROFILE_2: readonly Way[] = [
  {
    name: "errors may make machines",
    scenario: {
      ...{ ...TWO, aggregator: "byStatus", settings: { launchEverySeconds: LAUNCH_EVERY_S } },
      // Else a list shows the machine before the next launch.
      events: [
        { at: 0, kind: "faults", target: "deployments", chances: [{ fault: SHOWN_LATE, probability: 1 }] },
        { at: 260 * SECOND, kind: "faults", target: "deployments", chances: [] },
      ],
    },
    troubles: [
      ...faults(BEFORE_START, "launch", [1, 2], {
        any: [],
        inPairs: [
          { kind: "errorAfter", status: 400, withId: true },
          { kind: "errorAfter", status: 400 },
          { kind: "errorBefore", status: 401 },
          { kind: "dropAfter" },
        ],
      }),
      ...faults(BEFORE_START, "deployments", LISTS_AFTER_LAUNCHES, onlyInPairs(LIST_FAULTS)),
      ...blows(BEFORE_START, "post", [1, 2], onlyInPairs(CRASHES)),
    ],
  },
  {
    name: "one halts, and is replaced",
    scenario: {
      ...{ ...TWO, halting: "rightly", noisyMs: 10 * 60 * SECOND },
      events: [{ at: LOST_AT, kind: "haltOne", pick: 0 }],
    },
    troubles: [
      ...faults(LOST_AT, "deployments", [1, 2], onlyInPairs(LIST_FAULTS)),
      ...faults(LOST_AT, "stop", [1], onlyInPairs(STOP_FAULTS)),
      ...blows(LOST_AT, "stop", [1], onlyInPairs(CRASHES)),
      ...blows(LOST_AT, "post", [1], onlyInPairs(CRASHES)),
    ],
  },
];

function onlyInPairs<T>({ any, inPairs }: Kinds<T>): Kinds<T> {
  return { any: [], inPairs: [...any, ...inPairs] };
}

/**
 * Every way with its troubles, on an exclusive account; where lists show the combination, on a shared one,
 * too. The commits that matter are those around a POST, found by an undisturbed play.
 */
export async function waysOn(wire: WireName): Promise<readonly Way[]> {
  const commits = await commitsAroundTheFirstPost(wire);
  const ways: readonly Way[] = [
    {
      name: "two are launched",
      scenario: TWO,
      troubles: [
        ...faults(BEFORE_START, "launch", [1, 2], LAUNCH_FAULTS),
        ...faults(BEFORE_START, "deployments", LISTS_AFTER_LAUNCHES, LIST_FAULTS),
        ...blows(BEFORE_START, "post", [1, 2], CRASHES),
        ...blows(BEFORE_START, "commit", commits, BLOWS),
      ],
    },
    {
      name: "one is missed, both are stopped",
      scenario: {
        ...TWO,
        noisyMs: 6 * 60 * SECOND,
        events: [
          { at: HIDDEN_FROM, kind: "hide", pick: 0, forMs: 100 * SECOND },
          { at: STOPPED_AT, kind: "edit", name: FLEET.name, gpus: 0 },
        ],
      },
      troubles: [
        ...faults(HIDDEN_FROM, "deployment", [1], GET_FAULTS),
        ...faults(STOPPED_AT, "deployment", [1, 2], GET_FAULTS),
        ...faults(STOPPED_AT, "stop", [1, 2], STOP_FAULTS),
        ...faults(STOPPED_AT, "deployments", [1, 2], LIST_FAULTS),
        ...blows(STOPPED_AT, "stop", [1, 2], CRASHES),
      ],
    },
    {
      name: "one is interrupted, and replaced",
      scenario: { ...TWO, events: [{ at: LOST_AT, kind: "loseOne", pick: 0, now: true }] },
      troubles: [
        ...faults(LOST_AT, "deployments", [1, 2], LIST_FAULTS),
        ...faults(LOST_AT, "launch", [1], LAUNCH_FAULTS),
        ...blows(LOST_AT, "post", [1], CRASHES),
      ],
    },
  ];
  if (wire === "marker") return [...ways, ...WAYS_OF_A_PROFILE_2];
  if (wire !== "combination") return ways;
  return [
    ...ways,
    ...ways.map(({ name, scenario, troubles }) => ({
      name: `${name}, on a shared account`,
      scenario: { ...scenario, tenure: "shared" as const },
      troubles,
    })),
  ];
}

/** Every set of up to `most` troubles of a way at different places: kinds in each order, also twice. */
export function* setsOf({ troubles }: Way, most: number, from = 0): Generator<readonly Trouble[]> {
  yield [];
  if (most === 0) return;
  for (let index = from; index < troubles.length; index++) {
    const first = troubles[index] as Trouble;
    const next = troubles.findIndex(({ place }, later) => later > index && place !== first.place);
    if (next < 0) yield [first];
    else
      for (const rest of setsOf({ troubles } as Way, most - 1, next)) {
        const set = [first, ...rest];
        if (set.length <= 2 || set.every(({ inPairs }) => !inPairs)) yield set;
      }
  }
}

/** A way, and a set of faults to play on it. */
export interface Planning {
  readonly way: Way;
  readonly set: readonly Trouble[];
}

/** All sets of `least` to `most` faults on all ways of a wire, or one slice of them. */
export function* planningsOn(
  ways: readonly Way[],
  { least, most, slice }: { readonly least: number; readonly most: number; readonly slice: Share },
): Generator<Planning> {
  let number = 0;
  for (const way of ways) {
    for (const set of setsOf(way, most)) {
      if (set.length < least) continue;
      if (isInShare(slice, number++)) yield { way, set };
    }
  }
}

export function scenarioOf({ name: way, scenario }: Way, wire: WireName, set: readonly Trouble[]): Scenario {
  const name = `${wire}, ${way}: ${set.map((each) => each.name).join(" + ") || "nothing"}`;
  return {
    ...scenario,
    name,
    seed: name,
    wire,
    events: [...scenario.events, ...set.map(({ event }) => event)],
  };
}

function faults(
  at: number,
  target: Target,
  places: readonly number[],
  kinds: Kinds<FaultInput>,
): readonly Trouble[] {
  return places.flatMap((nth) => {
    const place = `${target} ${nth}${since(at)}`;
    return [...kinds.any, ...kinds.inPairs].map((fault) => ({
      name: `${place} ${fault.kind}`,
      place,
      inPairs: kinds.inPairs.includes(fault),
      event: { at, kind: "fault", target, fault, nth },
    }));
  });
}

function blows(
  at: number,
  on: EffectKind,
  places: readonly number[],
  kinds: Kinds<Blow>,
): readonly Trouble[] {
  return places.flatMap((nth) => {
    const place = `agent's ${on} ${nth}${since(at)}`;
    return [...kinds.any, ...kinds.inPairs].map((blow) => ({
      name: `${place}: ${blow.kind}${"when" in blow ? ` ${blow.when}` : ""}`,
      place,
      inPairs: kinds.inPairs.includes(blow),
      event: { at, kind: "blow", who: "agent", on, skip: nth - 1, blow },
    }));
  });
}

function since(at: number): string {
  return at === BEFORE_START ? "" : ` after ${at / SECOND} s`;
}

/** The commits that store the first intent, its stamp, and its answer. */
async function commitsAroundTheFirstPost(wire: WireName): Promise<readonly number[]> {
  let commits = 0;
  let before: number | undefined;
  await play({ ...TWO, name: wire, seed: wire, wire }, (world) => {
    world.fate = ({ name }, effect) => {
      if (!name.startsWith("agent")) return undefined;
      if (effect === "commit") commits += 1;
      if (effect === "post") before ??= commits;
      return undefined;
    };
  });
  if (before === undefined) throw new Error(`nothing was launched on the wire ${wire}`);
  return [before - 1, before, before + 1];
}
