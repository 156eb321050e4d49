import type { Combination } from "../../service/contract/contract.ts";
import type { CatalogueOffer, Fault, SettingsInput, Target } from "../../simulator/index.ts";
import { FLEET, OFFERS, PLAIN } from "../scenario/plain.ts";
import type { FleetSpec, Moment, Scenario } from "../scenario/scenario.ts";
import { BEFORE_START, type ZONES } from "../scenario/scenario.ts";

/* What stories are told with. Moments are in seconds. */

export const SECOND = 1_000;

export const MINUTE = 60_000;

export const HOUR = 60 * MINUTE;

export const [NORTH, SOUTH, WEST, PAIR] = OFFERS;

export const FLEET_B: FleetSpec = { ...FLEET, name: "fleet-b", owner: "B" };

/** A story for one rule: what the rule prevents would happen here without it. Its moments are in seconds. */
export function story(name: string, world: Partial<Scenario>, events: readonly Moment[]): Scenario {
  return {
    ...PLAIN,
    name,
    seed: name,
    offers: [NORTH, SOUTH, WEST],
    watched: world.before === undefined,
    noisyMs: 15 * MINUTE,
    ...world,
    events: events.map((event) => ({ ...event, at: event.at * SECOND })),
  };
}

/** Before anything of ours starts. */
export const BEFORE = BEFORE_START / SECOND;

export function fleetOf(gpus: number, changes: Partial<FleetSpec> = {}): readonly FleetSpec[] {
  return [{ ...FLEET, gpus, ...changes }];
}

/** `gpus`, but another count in windows of minutes. */
export function inWindows(
  gpus: number,
  zone: keyof typeof ZONES,
  ...windows: readonly (readonly [from: number, to: number, gpus: number])[]
): readonly FleetSpec[] {
  const all = windows.map(([from, to, most]) => ({ fromMs: from * MINUTE, toMs: to * MINUTE, gpus: most }));
  return fleetOf(gpus, { schedule: { zone, weekly: true, windows: all } });
}

/** 1 to 5 GPUs for a value of 2 each, by steps of 2 up and 1 down, by what it says from which minute on. */
export function byMetric(
  last: number,
  says: readonly (readonly [minute: number, says: string])[],
): readonly FleetSpec[] {
  const steps = {
    up: { most: 2, stabilization: "1m" },
    down: { most: 1, stabilization: "2m" },
  };
  const all = says.map(([minute, each]) => ({ fromMs: minute * MINUTE, says: each }));
  const metric = { min: 1, max: 5, target: 2, ...steps, says: all, finally: 2 * last };
  return fleetOf(2, { metric });
}

/** A service that has other words than 404, and whose accepted ids may vanish. */
export const FORGETFUL = { wire: "marker", absence: "byStatus" } as const;

/** No fleet, and one `Deployment`. */
export const WEB0 = { fleets: [], deployments: [{ name: "web0", offer: NORTH }] } as const;

export function every(
  seconds: number,
  from: number,
  to: number,
  event: (at: number) => Moment,
): readonly Moment[] {
  return Array.from({ length: Math.floor((to - from) / seconds) }, (_, index) =>
    event(from + index * seconds),
  );
}

export function edit(at: number, gpus: number, name = "fleet-a"): Moment {
  return { at, kind: "edit", name, gpus };
}

/** A command of Pulumi's. */
export function run(at: number, kind: "up" | "destroy" | "replace", deployment = "web0"): Moment {
  return { at, kind, deployment };
}

export function meets(at: number, target: Target, fault: Fault): Moment {
  return { at, kind: "fault", target, fault };
}

/** The answer to the next launch is lost. */
export function lost(at: number): Moment {
  return meets(at, "launch", { kind: "dropAfter" });
}

/** The next launch is lost before it takes effect. */
export function dropped(at: number): Moment {
  return meets(at, "launch", { kind: "dropBefore" });
}

/** The next launch takes effect so many seconds later, and nobody is told. */
export function late(at: number, seconds: number): Moment {
  return meets(at, "launch", { kind: "commitLate", seconds });
}

/** The next launch is answered so many seconds later. */
export function slow(at: number, seconds: number): Moment {
  return meets(at, "launch", { kind: "slow", seconds });
}

/** Each request of these kinds between the two moments meets this fault. */
export function during(
  from: number,
  to: number,
  targets: readonly Target[],
  fault: Fault,
): readonly Moment[] {
  return targets.flatMap((target) => [
    { at: from, kind: "faults", target, chances: [{ fault, probability: 1 }] },
    { at: to, kind: "faults", target, chances: [] },
  ]);
}

/** Launches between the two moments are lost before they take effect. */
export function losing(from: number, to: number): readonly Moment[] {
  return during(from, to, ["launch"], { kind: "dropBefore" });
}

/** Requests between the two moments show the account as it was this many seconds before. */
export function lagging(from: number, to: number, seconds: number): readonly Moment[] {
  return during(from, to, ["deployments", "deployment"], { kind: "lag", seconds });
}

/** A process stands still at an effect: before it, or with its answer. */
export function pause(
  at: number,
  who: string,
  on: "commit" | "post" | "stop" | "get",
  seconds: number,
  { skip = 0, ...when }: { readonly skip?: number; readonly when?: "after" } = {},
): Moment {
  return { at, kind: "blow", who, on, skip, blow: { kind: "pause", ms: seconds * SECOND, ...when } };
}

/** Pulumi's host dies with the answer to its next launch. */
export const HOST_DIES: Moment = {
  ...{ at: 0, kind: "blow", who: "pulumi", on: "post", skip: 0 },
  blow: { kind: "crash", when: "after" },
};

export function tick(at: number): Moment {
  return { at, kind: "tickOnce" };
}

/** The service interrupts one of the machines that live. */
export function interrupt(at: number, pick = 0): Moment {
  return { at, kind: "loseOne", pick, now: true };
}

/** Minutes apart, and as fast as a clock may be. */
export const OTHER_HOST = { skewMs: 5 * MINUTE, rate: 1.01 };

export const TWO_HOSTS = { otherHost: OTHER_HOST, noisyMs: 20 * MINUTE } as const;

/** One agent at a time. */
export const WITH_LEASES = { ...TWO_HOSTS, hasLeases: true } as const;

/** A person launches. */
export function hand(at: number, combination: Combination = NORTH): Moment {
  return { at, kind: "hand", combination };
}

/** Lists leave a machine out, or every answer denies it. */
export function lack(at: number, kind: "hide" | "forget", seconds: number, pick = 0): Moment {
  return { at, kind, pick, forMs: seconds * SECOND };
}

export function cools(at: number, combination: Combination, seconds: number): Moment {
  return { at, kind: "cooldown", combination, seconds };
}

/** A machine runs as soon as it is launched. */
export const AT_ONCE = {
  initializingSeconds: [0, 0],
  provisioningSeconds: [0, 0],
  connectingSeconds: [0, 0],
} as const satisfies SettingsInput;

export const STOPS_SLOWLY: SettingsInput = { stoppingSeconds: [200, 200] };

export function soldOut(at: number, offer: CatalogueOffer, capacity = 0): Moment {
  return { at, kind: "capacity", combination: offer, capacity };
}

/** What the first machines were launched as is not allowed any more from the fifth minute on. */
export const UPDATED = {
  wire: "marker",
  fleets: updating(2),
  noisyMs: 40 * MINUTE,
} as const satisfies Partial<Scenario>;

export function updating(gpus: number, changes: Partial<FleetSpec> = {}): readonly FleetSpec[] {
  return fleetOf(gpus, { surge: 1, update: { most: 1 }, ...changes });
}

export function allow(at: number, ...candidates: readonly CatalogueOffer[]): Moment {
  return { at, kind: "candidates", name: "fleet-a", candidates };
}

export const TENURES = ["exclusive", "shared"] as const;
