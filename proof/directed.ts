import type { CatalogueOffer, SettingsInput } from "../simulator/index.ts";
import { OFFERS } from "./draw.ts";
import type { FleetSpec, Moment, Scenario } from "./scenario.ts";
import { BEFORE_START } from "./scenario.ts";

const SECOND = 1_000;
const MINUTE = 60_000;

const [NORTH, SOUTH, WEST] = OFFERS as readonly [CatalogueOffer, CatalogueOffer, CatalogueOffer];
/** Two GPUs, at 2.4 USD each. */
const PAIR: CatalogueOffer = { ...NORTH, offer: "h100-2", gpus: 2, pricePerHour: "4.8000" };
const FLEET: FleetSpec = {
  name: "fleet-a",
  owner: "A",
  gpus: 1,
  overshoot: 0,
  candidates: [NORTH],
  select: false,
};

/** A story for one rule: what the rule prevents would happen here without it. */
function story(name: string, changes: Partial<Scenario> & { readonly events: readonly Moment[] }): Scenario {
  return {
    name,
    seed: name,
    wire: "nothing",
    unnamedEnd: false,
    tenure: "exclusive",
    ledger: "memory",
    latencyMs: 0,
    offers: [NORTH, SOUTH, WEST],
    settings: {},
    balance: "1000.0000",
    fleets: [FLEET],
    deployments: [],
    watched: changes.before === undefined,
    before: [],
    noisyMs: 15 * MINUTE,
    ...changes,
  };
}

function fleetOf(gpus: number, changes: Partial<FleetSpec> = {}): readonly FleetSpec[] {
  return [{ ...FLEET, gpus, ...changes }];
}

function every(ms: number, from: number, to: number, event: (at: number) => Moment): readonly Moment[] {
  return Array.from({ length: Math.floor((to - from) / ms) }, (_, index) => event(from + index * ms));
}

/** The answer to the next launch after this many seconds is lost. */
function lost(seconds: number): Moment {
  return { at: seconds * SECOND, kind: "fault", target: "launch", fault: { kind: "dropAfter" } };
}

/** Each request of these kinds between the two moments meets this fault. */
function during(
  from: number,
  to: number,
  targets: readonly Target[],
  fault: Chance["fault"],
): readonly Moment[] {
  return targets.flatMap((target) => [
    { at: from, kind: "faults", target, chances: [{ fault, probability: 1 }] },
    { at: to, kind: "faults", target, chances: [] },
  ]);
}

type Target = Extract<Moment, { kind: "faults" }>["target"];
type Chance = Extract<Moment, { kind: "faults" }>["chances"][number];

/** Launches between the two moments are lost before they take effect. */
function losing(from: number, to: number): readonly Moment[] {
  return during(from, to, ["launch"], { kind: "dropBefore" });
}

/** Requests between the two moments show the account as it was this many seconds before. */
function lagging(from: number, to: number, seconds: number): readonly Moment[] {
  return during(from, to, ["deployments", "deployment"], { kind: "lag", seconds });
}

/** A machine runs as soon as it is launched. */
const AT_ONCE: SettingsInput = {
  initializingSeconds: [0, 0],
  provisioningSeconds: [0, 0],
  connectingSeconds: [0, 0],
};

const STORIES: readonly Scenario[] = [
  story("told-to-end-in-a-launch", {
    wire: "marker",
    fleets: fleetOf(4),
    events: [
      { at: BEFORE_START, kind: "fault", target: "launch", fault: { kind: "slow", seconds: 10 }, nth: 2 },
      { at: 20 * SECOND, kind: "terminate", who: "agent" },
    ],
  }),
  story("two-writers", {
    wire: "marker",
    latencyMs: 1_000,
    events: [
      { at: 200 * SECOND, kind: "edit", name: "fleet-a", gpus: 4 },
      ...every(SECOND, 203 * SECOND, 230 * SECOND, (at) => ({ at, kind: "tickOnce" })),
    ],
  }),
  story("two-answers-lost", {
    tenure: "shared",
    latencyMs: 1_000,
    fleets: [],
    deployments: [
      { name: "web0", offer: NORTH },
      { name: "web1", offer: NORTH },
    ],
    events: [
      lost(0),
      lost(0),
      { at: 5 * SECOND, kind: "up", deployment: "web0" },
      { at: 5 * SECOND, kind: "up", deployment: "web1" },
    ],
  }),
  story("clock-jumps-while-cooling", {
    events: [
      { at: 0, kind: "cooldown", combination: NORTH, seconds: 170 },
      { at: 20 * SECOND, kind: "jump", ms: 60 * MINUTE },
    ],
  }),
  story("stops-fail", {
    events: [
      ...[0, 1, 2].map(
        () =>
          ({ at: 0, kind: "fault", target: "stop", fault: { kind: "errorBefore", status: 500 } }) as const,
      ),
      { at: 200 * SECOND, kind: "edit", name: "fleet-a", gpus: 0 },
    ],
  }),
  story("seen-before-its-answer", {
    events: [
      { at: 0, kind: "fault", target: "launch", fault: { kind: "slow", seconds: 150 } },
      { at: 60 * SECOND, kind: "take" },
    ],
  }),
  ...Array.from({ length: 24 }, (_, skip) =>
    story("paused-before-the-stamp", {
      seed: `paused-before-the-stamp ${skip}`,
      noisyMs: 20 * MINUTE,
      events: [
        { at: 0, kind: "blow", who: "agent", on: "commit", skip, blow: { kind: "pause", ms: 10 * MINUTE } },
        { at: 200 * SECOND, kind: "secondAgent", forMs: 15 * MINUTE },
      ],
    }),
  ),
  story("paused-before-the-post", {
    noisyMs: 20 * MINUTE,
    events: [
      {
        ...{ at: BEFORE_START, kind: "blow", who: "agent", on: "post", skip: 0 },
        blow: { kind: "pause", ms: 10 * MINUTE },
      },
      { at: 60 * SECOND, kind: "secondAgent", forMs: 15 * MINUTE },
    ],
  }),
  story("slow-to-answer", {
    events: [
      {
        ...{ at: 0, kind: "blow", who: "agent", on: "post", skip: 0 },
        blow: { kind: "pause", ms: 60 * SECOND, when: "after" },
      },
      { at: 0, kind: "fault", target: "launch", fault: { kind: "commitLate", seconds: 108 } },
      {
        at: 0,
        kind: "faults",
        target: "deployments",
        chances: [{ fault: { kind: "lag", seconds: 60 }, probability: 1 }],
      },
      ...every(10 * SECOND, 20 * SECOND, 260 * SECOND, (at) => ({ at, kind: "tickOnce" })),
      { at: 260 * SECOND, kind: "faults", target: "deployments", chances: [] },
    ],
  }),
  story("answers-an-old-id", {
    quirk: "oldId",
    fleets: fleetOf(3),
    halts: true,
    launchesAtMost: 2,
    events: [],
  }),
  story("answers-ids-that-are-none", {
    quirk: "ghostId",
    fleets: fleetOf(2),
    halts: true,
    launchesAtMost: 1,
    events: [],
  }),
  story("offers-show-the-price-of-one-gpu", {
    wire: "marker",
    quirk: "gpuPrice",
    offers: [PAIR],
    fleets: fleetOf(6, { candidates: [PAIR], noPrices: true, perHour: "8.0000" }),
    halts: true,
    launchesAtMost: 1,
    events: [],
  }),
  story("only-the-balance-shows-the-price", {
    wire: "marker",
    quirk: "gpuPrices",
    offers: [PAIR],
    fleets: fleetOf(2, { candidates: [PAIR], noPrices: true, perHour: "8.0000" }),
    halts: true,
    launchesAtMost: 1,
    events: [{ at: 5 * MINUTE, kind: "edit", name: "fleet-a", gpus: 6 }],
  }),
  story("restarted-while-cooling", {
    events: [
      { at: 0, kind: "cooldown", combination: NORTH, seconds: 170 },
      { at: 20 * SECOND, kind: "kill", who: "agent" },
    ],
  }),
  story("lists-fail-while-it-settles", {
    strict: true,
    events: [
      { at: 0, kind: "fault", target: "launch", fault: { kind: "commitLate", seconds: 20 } },
      { at: 36 * SECOND, kind: "hide", pick: 0, forMs: 310 * SECOND },
      {
        at: 140 * SECOND,
        kind: "faults",
        target: "deployments",
        chances: [{ fault: { kind: "errorBefore", status: 500 }, probability: 1 }],
      },
      { at: 285 * SECOND, kind: "faults", target: "deployments", chances: [] },
      ...[290, 300, 310, 311, 312].map((at) => ({ at: at * SECOND, kind: "tickOnce" }) as const),
    ],
  }),
  story("commits-late", {
    events: [{ at: 0, kind: "fault", target: "launch", fault: { kind: "commitLate", seconds: 600 } }],
  }),
  // The slot's first launch is called absent, its second fills it. Then the fleet's machine precedes its
  // answer.
  story("late-and-listed-late", {
    events: [
      { at: BEFORE_START, kind: "fault", target: "launch", fault: { kind: "commitLate", seconds: 185 } },
      ...lagging(150 * SECOND, 230 * SECOND, 40),
    ],
  }),
  story("late-beside-open", {
    fleets: fleetOf(0),
    deployments: [{ name: "web0", offer: SOUTH }],
    noisyMs: 32 * MINUTE,
    events: [
      { at: 0, kind: "fault", target: "launch", fault: { kind: "dropBefore" } },
      { at: 5 * SECOND, kind: "up", deployment: "web0" },
      { at: 99 * SECOND, kind: "cooldown", combination: NORTH, seconds: 1500 },
      { at: 100 * SECOND, kind: "edit", name: "fleet-a", gpus: 1 },
      { at: 1590 * SECOND, kind: "fault", target: "launch", fault: { kind: "slow", seconds: 100 } },
      ...[1630, 1640].map((at) => ({ at: at * SECOND, kind: "take" }) as const),
    ],
  }),
  story("stranger-in-our-place", {
    tenure: "shared",
    fleets: fleetOf(2),
    events: [
      ...losing(290 * SECOND, 335 * SECOND),
      { at: 300 * SECOND, kind: "loseOne", pick: 0, now: true },
      { at: 340 * SECOND, kind: "hand", combination: NORTH },
      { at: 500 * SECOND, kind: "edit", name: "fleet-a", gpus: 0 },
    ],
  }),
  story("down-and-up-again", {
    settings: { stoppingSeconds: [200, 200] },
    events: [
      { at: 200 * SECOND, kind: "edit", name: "fleet-a", gpus: 0 },
      { at: 230 * SECOND, kind: "edit", name: "fleet-a", gpus: 1 },
    ],
  }),
  // Lists still show it, with an id that nobody can read. A GET by its own id does not find it.
  story("ids-that-nobody-can-read", {
    wire: "marker",
    fleets: fleetOf(2),
    events: [
      ...during(200 * SECOND, 500 * SECOND, ["deployments"], { kind: "unreadable", how: "halfIds" }),
      ...during(200 * SECOND, 500 * SECOND, ["deployment"], { kind: "errorBefore", status: 404 }),
    ],
  }),
  story("made-a-machine-that-nobody-can-read", {
    wire: "marker",
    noisyMs: 20 * MINUTE,
    events: [
      { at: 200 * SECOND, kind: "edit", name: "fleet-a", gpus: 2 },
      lost(199),
      ...during(198 * SECOND, 900 * SECOND, ["deployments"], { kind: "unreadable", how: "halfIds" }),
    ],
  }),
  // Only its id can be read, and a GET by it finds nothing. It is there, unchanged.
  story("states-that-nobody-can-read", {
    wire: "marker",
    fleets: fleetOf(2),
    events: [
      ...during(200 * SECOND, 500 * SECOND, ["deployments"], { kind: "unreadable", how: "noStates" }),
      ...during(200 * SECOND, 500 * SECOND, ["deployment"], { kind: "errorBefore", status: 404 }),
    ],
  }),
  story("shows-thousands-of-gpus", { wire: "marker", quirk: "manyGpus", fleets: fleetOf(3), events: [] }),
  story("warms-up", { quirk: "warming", settings: { connectingSeconds: [300, 300] }, events: [] }),
  // The surplus is stopped while it warms up, and old lists still show it so. Then more is wanted, twice.
  // With surge, more may be there before it is gone: then only what was learned from it does harm.
  ...[0, 1].map((surge) =>
    story(surge ? "learned-from-old-lists" : "stopped-while-it-warms-up", {
      fleets: fleetOf(1, { surge }),
      quirk: "warming",
      settings: { ...AT_ONCE, connectingSeconds: [100, 100], stoppingSeconds: [200, 200] },
      noisyMs: 30 * MINUTE,
      events: [
        { at: 300 * SECOND, kind: "edit", name: "fleet-a", gpus: 2 },
        { at: 340 * SECOND, kind: "edit", name: "fleet-a", gpus: 1 },
        ...lagging(340 * SECOND, 420 * SECOND, 60),
        { at: 380 * SECOND, kind: "edit", name: "fleet-a", gpus: 2 },
        { at: 900 * SECOND, kind: "edit", name: "fleet-a", gpus: 3 },
      ],
    }),
  ),
  story("born-beside-a-launch", {
    wire: "combination",
    events: [
      { at: 0, kind: "fault", target: "launch", fault: { kind: "slow", seconds: 100 } },
      { at: 20 * SECOND, kind: "declare", fleet: { ...FLEET, name: "fleet-b", owner: "B" } },
      ...[30, 40, 50, 60].map((at) => ({ at: at * SECOND, kind: "tickOnce" }) as const),
    ],
  }),
  story("destroyed-before-its-answer", {
    fleets: [],
    deployments: [{ name: "web0", offer: NORTH }],
    events: [
      { at: 0, kind: "fault", target: "launch", fault: { kind: "commitLate", seconds: 60 } },
      { at: 0, kind: "blow", who: "pulumi", on: "post", skip: 0, blow: { kind: "crash", when: "after" } },
      { at: 5 * SECOND, kind: "up", deployment: "web0" },
      { at: 20 * SECOND, kind: "destroy", deployment: "web0" },
    ],
  }),
  // The ledger holds its machine, and Pulumi makes another slot.
  story("taken-out-of-the-state", {
    fleets: [],
    deployments: [{ name: "web0", offer: NORTH }],
    launchesAtMost: 1,
    events: [
      { at: 5 * SECOND, kind: "up", deployment: "web0" },
      { at: 200 * SECOND, kind: "stateDelete", deployment: "web0" },
      { at: 201 * SECOND, kind: "up", deployment: "web0" },
    ],
  }),
  story("replaced-by-pulumi", {
    fleets: [],
    deployments: [{ name: "web0", offer: NORTH }],
    events: [
      { at: 5 * SECOND, kind: "up", deployment: "web0" },
      { at: 200 * SECOND, kind: "replace", deployment: "web0" },
    ],
  }),
  story("down-while-unknown", {
    fleets: fleetOf(2),
    events: [
      ...losing(190 * SECOND, 570 * SECOND),
      { at: 200 * SECOND, kind: "loseOne", pick: 0, now: true },
      { at: 560 * SECOND, kind: "edit", name: "fleet-a", gpus: 1 },
    ],
  }),
  story("prices-not-known", {
    fleets: fleetOf(1, { noPrices: true, perHour: "1.00" }),
    events: [
      {
        at: 0,
        kind: "faults",
        target: "offers",
        chances: [{ fault: { kind: "errorBefore", status: 500 }, probability: 1 }],
      },
    ],
  }),
  story("just-above-the-floor", { fleets: fleetOf(5, { floor: "994" }), events: [] }),
  // More is wanted while the surplus still stops. Surge says how much may be paid for beside it.
  ...[0, 1].map((surge) =>
    story("wanted-again-while-it-stops", {
      seed: `wanted-again-while-it-stops ${surge}`,
      settings: { stoppingSeconds: [200, 200] },
      fleets: fleetOf(3, { surge }),
      events: [
        { at: 4 * MINUTE, kind: "edit", name: "fleet-a", gpus: 1 },
        { at: 5 * MINUTE, kind: "edit", name: "fleet-a", gpus: 3 },
      ],
    }),
  ),
  story("past-its-deadline", { fleets: fleetOf(2, { untilMs: 5 * MINUTE }), events: [] }),
  ...Array.from({ length: 12 }, (_, skip) =>
    story("deadline-before-the-post", {
      seed: `deadline-before-the-post ${skip}`,
      fleets: fleetOf(1, { untilMs: 17 * SECOND }),
      events: [
        {
          ...{ at: 10 * SECOND, kind: "blow", who: "agent", on: "commit", skip },
          blow: { kind: "pause", ms: 4 * SECOND },
        },
      ],
    }),
  ),
  story("paused-by-an-operator", {
    events: [
      { at: 200 * SECOND, kind: "pauseFleet", name: "fleet-a", paused: true },
      { at: 230 * SECOND, kind: "loseOne", pick: 0, now: true },
    ],
  }),
  story("drained-by-an-operator", {
    events: [
      { at: 200 * SECOND, kind: "drainFleet", name: "fleet-a", drained: true },
      { at: 230 * SECOND, kind: "loseOne", pick: 0, now: true },
    ],
  }),
  story("total-of-one-hour", {
    noisyMs: 75 * MINUTE,
    settings: { ...AT_ONCE, billing: "perHour" },
    fleets: fleetOf(1, { total: "2.50" }),
    events: [],
  }),
  story("total-for-one-machine", { fleets: fleetOf(2, { total: "4" }), events: [] }),
  story("day-for-one-machine", { fleets: fleetOf(2, { perDay: "4" }), events: [] }),
  story("machines-that-do-not-live", {
    fleets: fleetOf(1, { churn: "0.10" }),
    events: [5, 12].map((minute) => ({ at: minute * MINUTE, kind: "loseOne", pick: 0, now: true }) as const),
  }),
  story("dear-gpus", { fleets: fleetOf(1, { candidates: [WEST], perGpuHour: "3" }), events: [] }),
  story("marker-not-echoed", { wire: "marker", quirk: "noEcho", tenure: "shared", events: [lost(0)] }),
  // A machine that connects for longer than its launch is looked for, and shows no marker meanwhile.
  ...(["exclusive", "shared"] as const).map((tenure) =>
    story("marker-shown-once-it-runs", {
      seed: `marker-shown-once-it-runs ${tenure}`,
      wire: "marker",
      tenure,
      quirk: "lateEcho",
      settings: { connectingSeconds: [400, 400] },
      noisyMs: 30 * MINUTE,
      events: [lost(890), { at: 900 * SECOND, kind: "edit", name: "fleet-a", gpus: 2 }],
    }),
  ),
  // The second machine of A's launch shows no marker yet. Only B's lost launch seems to explain it.
  story("twin-taken-before-it-shows-its-marker", {
    wire: "marker",
    quirk: "lateEcho",
    settings: { initializingSeconds: [0, 0], provisioningSeconds: [0, 0], connectingSeconds: [285, 285] },
    fleets: [FLEET, { ...FLEET, gpus: 0, name: "fleet-b", owner: "B" }],
    noisyMs: 30 * MINUTE,
    events: [
      { at: 0, kind: "fault", target: "launch", fault: { kind: "commitTwice", seconds: 330 } },
      { at: 310 * SECOND, kind: "fault", target: "launch", fault: { kind: "dropBefore" } },
      { at: 320 * SECOND, kind: "edit", name: "fleet-b", gpus: 1 },
    ],
  }),
  ...(["exclusive", "shared"] as const).map((tenure) =>
    story("places-shown-once-they-run", {
      seed: `places-shown-once-they-run ${tenure}`,
      wire: "combination",
      tenure,
      quirk: "lateEcho",
      settings: { connectingSeconds: [400, 400] },
      fleets: [FLEET, { ...FLEET, name: "fleet-b", owner: "B", candidates: [SOUTH] }],
      noisyMs: 45 * MINUTE,
      events: [
        ...[lost(1290), lost(1290)],
        ...["fleet-a", "fleet-b"].map(
          (name) => ({ at: 1300 * SECOND, kind: "edit", name, gpus: 2 }) as const,
        ),
      ],
    }),
  ),
  ...(["exclusive", "shared"] as const).map((tenure) =>
    story("sent-twice-by-a-gateway", {
      seed: `sent-twice-by-a-gateway ${tenure}`,
      wire: "marker",
      tenure,
      events: [{ at: 0, kind: "fault", target: "launch", fault: { kind: "commitTwice", seconds: 300 } }],
    }),
  ),
  story("another-ledgers-marker", {
    wire: "marker",
    tenure: "shared",
    fleets: fleetOf(2),
    events: [
      ...losing(290 * SECOND, 335 * SECOND),
      { at: 300 * SECOND, kind: "loseOne", pick: 0, now: true },
      { at: 340 * SECOND, kind: "stranger", combination: NORTH },
      { at: 600 * SECOND, kind: "edit", name: "fleet-a", gpus: 0 },
    ],
  }),
  story("lists-lack-another-half-each-time", {
    wire: "marker",
    strict: true,
    fleets: fleetOf(4),
    events: [
      { at: 190 * SECOND, kind: "fault", target: "launch", fault: { kind: "commitLate", seconds: 3 } },
      { at: 200 * SECOND, kind: "edit", name: "fleet-a", gpus: 5 },
      { at: 214 * SECOND, kind: "hide", pick: 4, forMs: 406 * SECOND },
      ...every(15 * SECOND, 329 * SECOND, 599 * SECOND, (at) => ({
        at,
        kind: "hide",
        pick: (Math.floor(at / SECOND / 15) % 2) * 2,
        forMs: 14_900,
      })),
      ...every(15 * SECOND, 329 * SECOND, 599 * SECOND, (at) => ({
        at,
        kind: "hide",
        pick: (Math.floor(at / SECOND / 15) % 2) * 2 + 1,
        forMs: 14_900,
      })),
    ],
  }),
  // A person launches by mistake while a launch of ours has no answer. It is claimed; then our machine comes.
  story("one-more-than-was-launched", {
    events: [
      { at: 0, kind: "fault", target: "launch", fault: { kind: "commitLate", seconds: 20 } },
      { at: 20 * SECOND, kind: "hand", combination: NORTH },
    ],
  }),
  ...[20, 28].map((second) =>
    story("two-for-one-launch", {
      seed: `two-for-one-launch ${second}`,
      tenure: "shared",
      events: [
        { at: 0, kind: "fault", target: "launch", fault: { kind: "commitLate", seconds: 10 } },
        { at: second * SECOND, kind: "hand", combination: NORTH },
      ],
    }),
  ),
  story("answered-after-it-was-called-absent", {
    tenure: "shared",
    strict: true,
    fleets: [],
    deployments: [{ name: "web0", offer: NORTH }],
    noisyMs: 25 * MINUTE,
    events: [
      {
        ...{ at: 0, kind: "blow", who: "pulumi", on: "post", skip: 0 },
        blow: { kind: "pause", ms: 10 * MINUTE, when: "after" },
      },
      { at: 5 * SECOND, kind: "up", deployment: "web0" },
      { at: 6 * SECOND, kind: "hide", pick: 0, forMs: 640 * SECOND },
      { at: 1000 * SECOND, kind: "destroy", deployment: "web0" },
    ],
  }),
  story("commits-after-twenty-hours", {
    events: [{ at: 0, kind: "fault", target: "launch", fault: { kind: "commitLate", seconds: 20 * 3600 } }],
  }),
  story("stops-for-ever", {
    settings: { stoppingSeconds: [100_000, 100_000] },
    noisyMs: 25 * MINUTE,
    events: [
      { at: 200 * SECOND, kind: "edit", name: "fleet-a", gpus: 0 },
      { at: 300 * SECOND, kind: "edit", name: "fleet-a", gpus: 1 },
    ],
  }),
  // It bills while it stops, so the budget has no room for another. That needs a person.
  story("stops-for-ever-within-a-budget", {
    settings: { stoppingSeconds: [100_000, 100_000] },
    fleets: fleetOf(1, { perHour: "4.00" }),
    noisyMs: 25 * MINUTE,
    halts: true,
    events: [
      { at: 200 * SECOND, kind: "edit", name: "fleet-a", gpus: 0 },
      { at: 300 * SECOND, kind: "edit", name: "fleet-a", gpus: 1 },
    ],
  }),
  // The list before its stop shows an earlier state. The next shows the state it warmed up in.
  story("began-to-warm-up-when-it-was-stopped", {
    quirk: "warming",
    settings: {
      initializingSeconds: [0, 0],
      provisioningSeconds: [188, 188],
      connectingSeconds: [300, 300],
      stoppingSeconds: [200, 200],
    },
    events: [
      ...lagging(180 * SECOND, 250 * SECOND, 20),
      { at: 207 * SECOND, kind: "edit", name: "fleet-a", gpus: 0 },
      { at: 212 * SECOND, kind: "edit", name: "fleet-a", gpus: 1 },
    ],
  }),
  story("stopping-when-it-was-born", {
    wire: "combination",
    before: [NORTH],
    settings: { stoppingSeconds: [100_000, 100_000] },
    noisyMs: 2 * MINUTE,
    events: [{ at: BEFORE_START, kind: "handStop", pick: 0 }],
  }),
  story("booted-anew-before-it-is-there", {
    events: [
      { at: 0, kind: "fault", target: "launch", fault: { kind: "commitLate", seconds: 185 } },
      { at: 18 * SECOND, kind: "reboot", jumpMs: 0 },
    ],
  }),
  // The agent stands still with its list while a person launches. Then the agent's own launch is lost.
  story("launched-by-hand-after-the-list", {
    tenure: "shared",
    noisyMs: 20 * MINUTE,
    events: [
      { at: 200 * SECOND, kind: "edit", name: "fleet-a", gpus: 2 },
      {
        ...{ at: 205 * SECOND, kind: "blow", who: "agent", on: "get", skip: 0 },
        blow: { kind: "pause", ms: 4 * MINUTE, when: "after" },
      },
      { at: 205 * SECOND, kind: "fault", target: "launch", fault: { kind: "dropBefore" } },
      { at: 300 * SECOND, kind: "hand", combination: NORTH },
    ],
  }),
  // One launch is late and the next has no answer. A list shows both machines at once: two for two.
  story("late-and-lost-at-once", {
    tenure: "shared",
    fleets: fleetOf(2),
    events: [
      { at: BEFORE_START, kind: "fault", target: "launch", fault: { kind: "commitLate", seconds: 195 } },
      ...lagging(150 * SECOND, 260 * SECOND, 75),
      { at: 100 * SECOND, kind: "fault", target: "launch", fault: { kind: "dropAfter" } },
    ],
  }),
  // The late machine is shown during the next launch. When that is answered, nobody has judged it yet.
  story("late-before-the-next-launch", {
    fleets: fleetOf(1),
    noisyMs: 20 * MINUTE,
    events: [
      { at: 190 * SECOND, kind: "fault", target: "launch", fault: { kind: "commitLate", seconds: 195 } },
      { at: 191 * SECOND, kind: "edit", name: "fleet-a", gpus: 3 },
      ...lagging(300 * SECOND, 438 * SECOND, 75),
      { at: 300 * SECOND, kind: "fault", target: "launch", fault: { kind: "slow", seconds: 12 } },
      { at: 440 * SECOND, kind: "take" },
    ],
  }),
  story("a-launch-of-another-place-while-one-may-be-late", {
    wire: "combination",
    fleets: [FLEET, { ...FLEET, name: "fleet-b", owner: "B", candidates: [SOUTH] }],
    noisyMs: 25 * MINUTE,
    events: [
      { at: 190 * SECOND, kind: "fault", target: "launch", fault: { kind: "dropBefore" } },
      { at: 200 * SECOND, kind: "edit", name: "fleet-a", gpus: 2 },
      { at: 600 * SECOND, kind: "fault", target: "launch", fault: { kind: "slow", seconds: 100 } },
      { at: 601 * SECOND, kind: "edit", name: "fleet-b", gpus: 2 },
      ...[630, 640, 650].map((at) => ({ at: at * SECOND, kind: "take" }) as const),
    ],
  }),
  story("refused-here-and-then-there", {
    wire: "marker",
    fleets: fleetOf(1, { candidates: [NORTH, SOUTH] }),
    launchesAtMost: 9,
    events: [
      { at: 198 * SECOND, kind: "capacity", combination: SOUTH, capacity: 0 },
      { at: 199 * SECOND, kind: "cooldown", combination: NORTH, seconds: 60 },
      { at: 200 * SECOND, kind: "edit", name: "fleet-a", gpus: 7 },
    ],
  }),
  story("denied-before-it-was-shown", {
    wire: "marker",
    strict: true,
    events: [
      { at: 200 * SECOND, kind: "edit", name: "fleet-a", gpus: 2 },
      { at: 211 * SECOND, kind: "forget", pick: 1, forMs: 150 * SECOND },
    ],
  }),
  story("left-out-of-lists", {
    wire: "marker",
    events: [{ at: 200 * SECOND, kind: "hide", pick: 0, forMs: 300 * SECOND }],
  }),
  story("denied-for-less-than-a-minute", {
    wire: "marker",
    events: [{ at: 200 * SECOND, kind: "forget", pick: 0, forMs: 55 * SECOND }],
  }),
  story("first-list-is-empty", {
    wire: "combination",
    before: [NORTH],
    launchesAtMost: 0,
    events: [
      { at: BEFORE_START, kind: "fault", target: "deployments", fault: { kind: "cut", keep: 0 }, nth: 1 },
    ],
  }),
  story("first-lists-are-empty", {
    wire: "combination",
    latencyMs: 50,
    before: [NORTH],
    launchesAtMost: 0,
    events: [1, 2].map((nth) => ({
      at: BEFORE_START,
      kind: "fault",
      target: "deployments",
      fault: { kind: "cut", keep: 0 },
      nth,
    })),
  }),
  story("born-where-lists-lag", {
    wire: "combination",
    latencyMs: 50,
    before: [NORTH],
    launchesAtMost: 0,
    events: lagging(BEFORE_START, 4 * SECOND, 3),
  }),
  story("grown-beside-what-fits", {
    wire: "combination",
    events: [
      { at: 100 * SECOND, kind: "hand", combination: NORTH },
      { at: 200 * SECOND, kind: "edit", name: "fleet-a", gpus: 2 },
    ],
  }),
  story("grown-beside-what-fits", {
    wire: "combination",
    settings: { stoppingSeconds: [200, 200] },
    fleets: fleetOf(1, { surge: 1 }),
    launchesAtMost: 1,
    events: [
      { at: 60 * SECOND, kind: "hand", combination: NORTH },
      { at: 150 * SECOND, kind: "edit", name: "fleet-a", gpus: 0 },
      { at: 180 * SECOND, kind: "edit", name: "fleet-a", gpus: 1 },
    ],
  }),
  // Nobody can say whose the older machine is. The fleet waits for a person, who does not come.
  story("born-where-others-launch", {
    wire: "combination",
    tenure: "shared",
    before: [NORTH],
    halts: true,
    launchesAtMost: 0,
    events: [],
  }),
  story("renamed", { events: [{ at: 200 * SECOND, kind: "rename", name: "fleet-a", to: "fleet-b" }] }),
  story("destroyed-and-only-inferred", {
    tenure: "shared",
    latencyMs: 1_000,
    fleets: [],
    deployments: [{ name: "web0", offer: NORTH }],
    events: [
      lost(0),
      { at: 5 * SECOND, kind: "up", deployment: "web0" },
      { at: 300 * SECOND, kind: "destroy", deployment: "web0" },
    ],
  }),
  // Its host dies with the answer. The next command gets another ledger, or another account's key.
  ...(["newLedger", "otherKey"] as const).map((kind) =>
    story(kind === "newLedger" ? "destroyed-by-another-ledger" : "destroyed-by-another-key", {
      fleets: [],
      deployments: [{ name: "web0", offer: NORTH }],
      events: [
        { at: 0, kind: "blow", who: "pulumi", on: "post", skip: 0, blow: { kind: "crash", when: "after" } },
        { at: 5 * SECOND, kind: "up", deployment: "web0" },
        { at: 200 * SECOND, kind },
        { at: 201 * SECOND, kind: "destroy", deployment: "web0" },
      ],
    }),
  ),
  // Both, for a machine that is in the state: only the state names its account.
  story("destroyed-by-another-ledger-and-key", {
    fleets: [],
    deployments: [{ name: "web0", offer: NORTH }],
    events: [
      { at: 5 * SECOND, kind: "up", deployment: "web0" },
      { at: 200 * SECOND, kind: "newLedger" },
      { at: 200 * SECOND, kind: "otherKey" },
      { at: 201 * SECOND, kind: "destroy", deployment: "web0" },
    ],
  }),
  // One of six is refused, then six succeed: with the first machine 8 in all.
  story("six-more-where-it-cools", {
    wire: "marker",
    launchesAtMost: 8,
    events: [
      { at: 199 * SECOND, kind: "cooldown", combination: NORTH, seconds: 60 },
      { at: 200 * SECOND, kind: "edit", name: "fleet-a", gpus: 7 },
    ],
  }),
  story("a-place-that-goes-on-losing", {
    fleets: fleetOf(1, { candidates: [NORTH, SOUTH] }),
    launchesAtMost: 2,
    events: every(30 * SECOND, 200 * SECOND, 500 * SECOND, (at) => ({
      at,
      kind: "lose",
      provider: NORTH.provider,
      now: true,
    })),
  }),
  story("half-of-it-is-to-be-had", {
    wire: "marker",
    fleets: fleetOf(2, { allOrNothing: "5m" }),
    noisyMs: 20 * MINUTE,
    events: [{ at: 0, kind: "capacity", combination: NORTH, capacity: 1 }],
  }),
  // A reboot sets the clock back. An attempt that began in the future would never be late.
  story("half-of-it-across-a-reboot", {
    wire: "marker",
    fleets: fleetOf(2, { allOrNothing: "5m" }),
    noisyMs: 20 * MINUTE,
    events: [
      { at: 0, kind: "capacity", combination: NORTH, capacity: 1 },
      { at: 3 * MINUTE, kind: "reboot", jumpMs: -120 * MINUTE },
    ],
  }),
  // While its replacement is looked for, old lists show it as before. Two first hours are above the total.
  story("shown-as-before-it-was-interrupted", {
    wire: "marker",
    fleets: fleetOf(1, { total: "4.50" }),
    events: [
      { at: 200 * SECOND, kind: "loseOne", pick: 0, now: true },
      ...losing(205 * SECOND, 215 * SECOND),
      ...during(215 * SECOND, 260 * SECOND, ["deployments"], { kind: "lag", seconds: 40 }),
    ],
  }),
  // The look before its stop is so slow that it runs by then. Its first hour is paid, and leaves no room.
  story("ran-by-the-time-it-was-stopped", {
    settings: { ...AT_ONCE, connectingSeconds: [210, 210] },
    fleets: fleetOf(1, { perDay: "4.00" }),
    events: [
      { at: 190 * SECOND, kind: "fault", target: "deployment", fault: { kind: "slow", seconds: 60 } },
      ...during(200 * SECOND, 258 * SECOND, ["deployments"], { kind: "dropBefore" }),
      { at: 190 * SECOND, kind: "edit", name: "fleet-a", gpus: 0 },
      { at: 500 * SECOND, kind: "edit", name: "fleet-a", gpus: 1 },
    ],
  }),
  // No limit, and no prices. A fleet whose machines die within an hour stops launching after some.
  story("none-lives-for-an-hour", {
    wire: "marker",
    settings: AT_ONCE,
    fleets: fleetOf(1, { noPrices: true }),
    noisyMs: 500 * MINUTE,
    halts: true,
    launchesAtMost: 6,
    events: every(50 * MINUTE, 50 * MINUTE, 480 * MINUTE, (at) => ({
      ...{ at, kind: "loseOne", pick: 0, now: true },
    })),
  }),
  // It runs, and every second list says that it ended. Without the rule each end rents another machine.
  ...(["stopped", "interrupted"] as const).map((state) =>
    story("ends-in-every-second-list", {
      wire: "marker",
      seed: `ends-in-every-second-list ${state}`,
      // Its replacement does not run yet when it comes back: that one is stopped, and this one goes on.
      settings: { ...AT_ONCE, connectingSeconds: [300, 300] },
      noisyMs: 40 * MINUTE,
      launchesAtMost: 2,
      events: every(30 * SECOND, 400 * SECOND, 35 * MINUTE, (at) => ({
        ...{ at, kind: "showAs", pick: 0, state, forMs: 15 * SECOND },
      })),
    }),
  ),
  // So slowly that each end is believed: a person has to look.
  story("ends-again-and-again", {
    wire: "marker",
    settings: AT_ONCE,
    noisyMs: 130 * MINUTE,
    launchesAtMost: 3,
    events: every(10 * MINUTE, 200 * SECOND, 120 * MINUTE, (at) => ({
      ...{ at, kind: "showAs", pick: 0, state: "interrupted", forMs: 5 * MINUTE },
    })),
  }),
  // Other triggers: each machine of the fleet makes room before another is launched in its place.
  story("other-triggers-of-a-fleet", {
    wire: "marker",
    fleets: fleetOf(3, { triggers: "one" }),
    launchesAtLeast: 6,
    launchesAtMost: 6,
    noisyMs: 40 * MINUTE,
    events: [{ at: 5 * MINUTE, kind: "triggers", name: "fleet-a", triggers: "two" }],
  }),
  story("other-triggers-of-a-deployment", {
    fleets: [],
    deployments: [{ name: "web0", offer: NORTH }],
    launchesAtLeast: 2,
    launchesAtMost: 2,
    events: [
      { at: 5 * SECOND, kind: "up", deployment: "web0" },
      { at: 200 * SECOND, kind: "program", deployment: "web0", triggers: "two" },
      { at: 201 * SECOND, kind: "up", deployment: "web0" },
    ],
  }),
  // The launch never sends this parameter, so no other machine is needed.
  story("other-parameters-that-are-not-sent", {
    fleets: [],
    deployments: [{ name: "web0", offer: NORTH }],
    launchesAtMost: 1,
    events: [
      { at: 5 * SECOND, kind: "up", deployment: "web0" },
      { at: 200 * SECOND, kind: "program", deployment: "web0", parameters: { note: "another one" } },
      { at: 201 * SECOND, kind: "up", deployment: "web0" },
    ],
  }),
  // The ledger cannot be written when the deadline comes, or when a stop is answered.
  story("ledger-locked-across-a-deadline", {
    fleets: fleetOf(2, { untilMs: 5 * MINUTE }),
    events: [{ at: 4 * MINUTE, kind: "lockLedger", forMs: 6 * MINUTE }],
  }),
  story("ledger-locked-across-a-stop", {
    fleets: fleetOf(2),
    events: [
      { at: 200 * SECOND, kind: "fault", target: "stop", fault: { kind: "errorBefore", status: 500 } },
      { at: 200 * SECOND, kind: "fault", target: "stop", fault: { kind: "slow", seconds: 20 } },
      { at: 200 * SECOND, kind: "edit", name: "fleet-a", gpus: 0 },
      { at: 220 * SECOND, kind: "lockLedger", forMs: 3 * MINUTE },
    ],
  }),
  // The agent starts with the account of its ledger and another account's key. Those lists do not count.
  story("starts-into-an-outage-with-another-key", {
    launchesAtMost: 1,
    events: [
      { at: 200 * SECOND, kind: "otherKey" },
      ...during(200 * SECOND, 15 * MINUTE, ["account"], { kind: "dropBefore" }),
      { at: 201 * SECOND, kind: "kill", who: "agent" },
    ],
  }),
  // A person's machine gets the id of ours, which ended unseen or long ago. Our stop must not end theirs.
  story("given-anew-while-it-lives", {
    wire: "combination",
    tenure: "shared",
    offers: [NORTH, PAIR],
    launchesAtMost: 1,
    events: [
      { at: 5 * MINUTE, kind: "giveAnew", pick: 0, combination: PAIR },
      { at: 8 * MINUTE, kind: "edit", name: "fleet-a", gpus: 0 },
    ],
  }),
  story("given-anew-after-it-ended", {
    wire: "combination",
    tenure: "shared",
    offers: [NORTH, PAIR],
    events: [
      { at: 5 * MINUTE, kind: "loseOne", pick: 0, now: true },
      { at: 7 * MINUTE, kind: "giveAnew", pick: "ended", combination: PAIR },
      { at: 12 * MINUTE, kind: "edit", name: "fleet-a", gpus: 0 },
    ],
  }),
  // The first launch is lost, and a person's machine is claimed for it. The next launch proves the marker.
  story("taken-before-the-marker-was-proven", {
    wire: "marker",
    tenure: "shared",
    events: [
      { at: 0, kind: "fault", target: "launch", fault: { kind: "dropBefore" } },
      { at: 20 * SECOND, kind: "hand", combination: NORTH },
      { at: 300 * SECOND, kind: "edit", name: "fleet-a", gpus: 2 },
    ],
  }),
];

/** The scenarios of this name: several if the story depends on the moment. */
export function directed(name: string): readonly Scenario[] {
  const found = STORIES.filter((each) => each.name === name);
  if (found.length === 0) throw new Error(`there is no directed scenario ${name}`);
  return found;
}

export const DIRECTED_NAMES: readonly string[] = [...new Set(STORIES.map(({ name }) => name))];
