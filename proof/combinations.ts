import type { FaultInput, Target } from "../simulator/index.ts";
import { OFFERS } from "./draw.ts";
import type { Blow, EffectKind } from "./process.ts";
import type { FleetSpec, Moment, Scenario } from "./scenario.ts";
import type { WireName } from "./wires.ts";

/** One thing that goes wrong at one place: at the so many-th request or effect of its kind. */
export interface Trouble {
  readonly name: string;
  readonly event: Moment;
}

const LAUNCH_FAULTS: readonly FaultInput[] = [
  { kind: "refuse" },
  { kind: "dropBefore" },
  { kind: "dropAfter" },
  { kind: "commitLate", seconds: 40 },
  { kind: "errorBefore", status: 500 },
  { kind: "errorAfter", status: 503 },
  { kind: "unreadable", how: "cut" },
  { kind: "slow", seconds: 130 },
];
const LIST_FAULTS: readonly FaultInput[] = [
  { kind: "cut", keep: 0 },
  { kind: "stale" },
  { kind: "errorBefore", status: 500 },
];
const BLOWS: readonly Blow[] = [
  { kind: "crash", when: "before" },
  { kind: "crash", when: "after" },
  { kind: "ledgerError", when: "after" },
];

/** Every trouble of the small fleet: kind and position. The first two launches, the first three lists after them. */
export function troubles(): readonly Trouble[] {
  const at = (target: Target, skips: readonly number[], faults: readonly FaultInput[]): readonly Trouble[] =>
    skips.flatMap((skip) =>
      faults.map((fault) => ({
        name: `${target} ${skip + 1} ${fault.kind}`,
        event: { at: 0, kind: "fault", target, fault, skip },
      })),
    );
  const blows = (on: EffectKind, skips: readonly number[], kinds: readonly Blow[]): readonly Trouble[] =>
    skips.flatMap((skip) =>
      kinds.map((blow) => ({
        name: `agent's ${on} ${skip + 1}: ${blow.kind}${"when" in blow ? ` ${blow.when}` : ""}`,
        event: { at: 0, kind: "blow", who: "agent", on, skip, blow },
      })),
    );
  return [
    ...at("launch", [0, 1], LAUNCH_FAULTS),
    ...at("deployments", [2, 3], LIST_FAULTS),
    ...blows("post", [0, 1], BLOWS.slice(0, 2)),
    ...blows("commit", [7, 8, 9], BLOWS),
  ];
}

const FLEET: FleetSpec = {
  name: "fleet-a",
  owner: "A",
  gpus: 2,
  overshoot: 0,
  candidates: OFFERS.slice(0, 1),
  select: false,
};

/** Every set of up to `most` troubles, on a fleet of two machines. */
export function* combinations(most: number, wire: WireName): Generator<Scenario> {
  for (const chosen of subsets(troubles(), most)) {
    yield {
      name: `${wire}: ${chosen.map(({ name }) => name).join(" + ") || "nothing"}`,
      seed: `${wire} ${chosen.map(({ name }) => name).join(" + ")}`,
      wire,
      unnamedEnd: false,
      tenure: "exclusive",
      ledger: "memory",
      latencyMs: 0,
      offers: OFFERS.slice(0, 1),
      settings: {},
      balance: "1000.0000",
      fleets: [FLEET],
      deployments: [],
      before: [],
      events: chosen.map(({ event }) => event),
      noisyMs: 5 * 60_000,
    };
  }
}

function* subsets<T>(items: readonly T[], most: number, from = 0): Generator<readonly T[]> {
  yield [];
  if (most === 0) return;
  for (let index = from; index < items.length; index++) {
    for (const rest of subsets(items, most - 1, index + 1)) yield [items[index] as T, ...rest];
  }
}
