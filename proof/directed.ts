import type { Combination } from "../service/contract/contract.ts";
import type { CatalogueOffer, Fault, SettingsInput, Target } from "../simulator/index.ts";
import { atCloud, BY_TOKEN, NAMELESS, UNLISTED } from "./clouds.ts";
import { FLEET, OFFERS, PLAIN } from "./plain.ts";
import type { FleetSpec, Moment, Scenario } from "./scenario.ts";
import { BEFORE_START, type ZONES } from "./scenario.ts";
import { LAUNCH_EVERY_S } from "./wires.ts";

const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const [NORTH, SOUTH, WEST, PAIR] = OFFERS;
const FLEET_B: FleetSpec = { ...FLEET, name: "fleet-b", owner: "B" };

/** A story for one rule: what the rule prevents would happen here without it. Its moments are in seconds. */
function story(name: string, world: Partial<Scenario>, events: readonly Moment[]): Scenario {
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
const BEFORE = BEFORE_START / SECOND;

const OF_A_TEAM: FleetSpec = { ...FLEET, gpus: 1, team: "vision" };

function fleetOf(gpus: number, changes: Partial<FleetSpec> = {}): readonly FleetSpec[] {
  return [{ ...FLEET, gpus, ...changes }];
}

/** `gpus`, but another count in windows of minutes. */
function inWindows(
  gpus: number,
  zone: keyof typeof ZONES,
  ...windows: readonly (readonly [from: number, to: number, gpus: number])[]
): readonly FleetSpec[] {
  const all = windows.map(([from, to, most]) => ({ fromMs: from * MINUTE, toMs: to * MINUTE, gpus: most }));
  return fleetOf(gpus, { schedule: { zone, weekly: true, windows: all } });
}

/** 1 to 5 GPUs for a value of 2 each, by steps of 2 up and 1 down, by what it says from which minute on. */
function byMetric(
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

/** A service whose errors may have made a machine, and which refuses launches that come too fast. */
const AGGREGATOR = {
  aggregator: "byStatus",
  settings: { launchEverySeconds: LAUNCH_EVERY_S },
} as const;

/** A service that has other words than 404, and whose accepted ids may vanish. */
const FORGETFUL = { wire: "marker", absence: "byStatus" } as const;

/** No fleet, and one `Deployment`. */
const WEB0 = { fleets: [], deployments: [{ name: "web0", offer: NORTH }] } as const;

function every(seconds: number, from: number, to: number, event: (at: number) => Moment): readonly Moment[] {
  return Array.from({ length: Math.floor((to - from) / seconds) }, (_, index) =>
    event(from + index * seconds),
  );
}

function edit(at: number, gpus: number, name = "fleet-a"): Moment {
  return { at, kind: "edit", name, gpus };
}

/** A command of Pulumi's. */
function run(at: number, kind: "up" | "destroy" | "replace", deployment = "web0"): Moment {
  return { at, kind, deployment };
}

function use(at: number, which: number, as: "busy" | "idle" | "unknown"): Moment {
  return { at, kind: "use", pick: which, as };
}

function ail(at: number, which: number, as: "good" | "bad" | "unknown"): Moment {
  return { at, kind: "ail", pick: which, as };
}

function meets(at: number, target: Target, fault: Fault): Moment {
  return { at, kind: "fault", target, fault };
}

/** The answer to the next launch is lost. */
function lost(at: number): Moment {
  return meets(at, "launch", { kind: "dropAfter" });
}

/** The next launch is lost before it takes effect. */
function dropped(at: number): Moment {
  return meets(at, "launch", { kind: "dropBefore" });
}

/** The next launch takes effect so many seconds later, and nobody is told. */
function late(at: number, seconds: number): Moment {
  return meets(at, "launch", { kind: "commitLate", seconds });
}

/** The next launch is answered so many seconds later. */
function slow(at: number, seconds: number): Moment {
  return meets(at, "launch", { kind: "slow", seconds });
}

/** Each request of these kinds between the two moments meets this fault. */
function during(from: number, to: number, targets: readonly Target[], fault: Fault): readonly Moment[] {
  return targets.flatMap((target) => [
    { at: from, kind: "faults", target, chances: [{ fault, probability: 1 }] },
    { at: to, kind: "faults", target, chances: [] },
  ]);
}

/** Launches between the two moments are lost before they take effect. */
function losing(from: number, to: number): readonly Moment[] {
  return during(from, to, ["launch"], { kind: "dropBefore" });
}

/** Requests between the two moments show the account as it was this many seconds before. */
function lagging(from: number, to: number, seconds: number): readonly Moment[] {
  return during(from, to, ["deployments", "deployment"], { kind: "lag", seconds });
}

/** A process stands still at an effect: before it, or with its answer. */
function pause(
  at: number,
  who: string,
  on: "commit" | "post" | "stop" | "get",
  seconds: number,
  { skip = 0, ...when }: { readonly skip?: number; readonly when?: "after" } = {},
): Moment {
  return { at, kind: "blow", who, on, skip, blow: { kind: "pause", ms: seconds * SECOND, ...when } };
}

/** The agent cannot renew its lease, once. */
function renewalFails(at: number): Moment {
  const blow = { kind: "ledgerError", when: "before" } as const;
  return { at, kind: "blow", who: "agent", on: "lease", skip: 0, blow };
}

/** Pulumi's host dies with the answer to its next launch. */
const HOST_DIES: Moment = {
  ...{ at: 0, kind: "blow", who: "pulumi", on: "post", skip: 0 },
  blow: { kind: "crash", when: "after" },
};

function tick(at: number): Moment {
  return { at, kind: "tickOnce" };
}

function take(at: number): Moment {
  return { at, kind: "take" };
}

/** The service interrupts one of the machines that live. */
function interrupt(at: number, pick = 0): Moment {
  return { at, kind: "loseOne", pick, now: true };
}

/** The service halts one of the machines that live, and bills it on. */
function halts(at: number, pick = 0): Moment {
  return { at, kind: "haltOne", pick };
}

const HALTING: Partial<Scenario> = {
  halting: "rightly",
  settings: { stoppingSeconds: [200, 200] },
  noisyMs: 20 * MINUTE,
};

/** Minutes apart, and as fast as a clock may be. */
const OTHER_HOST = { skewMs: 5 * MINUTE, rate: 1.01 };
const TWO_HOSTS = { otherHost: OTHER_HOST, noisyMs: 20 * MINUTE } as const;

/** One agent at a time. */
const WITH_LEASES = { ...TWO_HOSTS, hasLeases: true } as const;

/** A person launches. */
function hand(at: number, combination: Combination = NORTH): Moment {
  return { at, kind: "hand", combination };
}

/** Lists leave a machine out, or every answer denies it. */
function lack(at: number, kind: "hide" | "forget", seconds: number, pick = 0): Moment {
  return { at, kind, pick, forMs: seconds * SECOND };
}

/** All machines vanish, though they run on; new ones are shown, or nothing of the account is. */
function vanish(at: number, what: "machines" | "account", seconds: number): Moment {
  return { at, kind: "vanish", what, forMs: seconds * SECOND };
}

function cools(at: number, combination: Combination, seconds: number): Moment {
  return { at, kind: "cooldown", combination, seconds };
}

/** The nth list leaves everything out. */
function emptyList(nth: number): Moment {
  return { at: BEFORE, kind: "fault", target: "deployments", fault: { kind: "cut", keep: 0 }, nth };
}

/** A machine runs as soon as it is launched. */
const AT_ONCE = {
  initializingSeconds: [0, 0],
  provisioningSeconds: [0, 0],
  connectingSeconds: [0, 0],
} as const satisfies SettingsInput;
const STOPS_SLOWLY: SettingsInput = { stoppingSeconds: [200, 200] };
const NEVER_STOPS: SettingsInput = { stoppingSeconds: [100_000, 100_000] };
const CONNECTS_SLOWLY: SettingsInput = { connectingSeconds: [400, 400] };

/** A command that takes 3 minutes sets each machine up. */
const SETTING_UP = {
  wire: "marker",
  fleets: fleetOf(2, { setupMs: 3 * MINUTE }),
  noisyMs: 40 * MINUTE,
} as const;

/** A fleet over three services, each of which has one offer. Their agents are on two hosts. */
const SEVERAL = {
  wire: "marker",
  services: ["north", "south", "west"],
  otherHost: OTHER_HOST,
  fleets: fleetOf(4, { select: true }),
} as const satisfies Partial<Scenario>;

/** Of one service nothing answers. */
function outFrom(at: number, service: string): readonly Moment[] {
  const fault = { kind: "dropBefore" } as const;
  return (["account", "balance", "deployments", "deployment", "offers", "stop", "launch"] as const).map(
    (target) => ({ at, kind: "faults", target, chances: [{ fault, probability: 1 }], service }),
  );
}

function soldOut(at: number, offer: CatalogueOffer, capacity = 0): Moment {
  return { at, kind: "capacity", combination: offer, capacity };
}

/** `fleetkeeper services drain`, or that is taken back. */
function leaves(at: number, service: string, isLeft = true): Moment {
  return { at, kind: "leaveService", name: "fleet-a", leaves: isLeft, service };
}

/** The agent of the first service stands still before a commit: so many others come first. */
function still(at: number, skip: number, ms: number): Moment {
  return { at, kind: "blow", who: "agent#", on: "commit", skip, blow: { kind: "pause", ms } };
}

/** What is dear is left for what is cheap, which is sold out at first. Time is billed by the second, so that moves begin at once. */
const MOVING = {
  wire: "marker",
  offers: [NORTH, { ...SOUTH, pricePerHour: "4.0000" }],
  fleets: moving(2),
  billing: { by: "second", minimum: "1m" },
  noisyMs: 30 * MINUTE,
} as const satisfies Partial<Scenario>;

function moving(gpus: number, changes: Partial<FleetSpec> = {}): readonly FleetSpec[] {
  const improve = { saves: "10%", per: "1m", restart: "1m" };
  return fleetOf(gpus, { select: true, surge: 1, improve, ...changes });
}

/** The north has room from then on. */
function roomFrom(at: number): readonly Moment[] {
  return [soldOut(BEFORE, NORTH), soldOut(at, NORTH, 8)];
}

function price(at: number, combination: Combination, pricePerHour: string): Moment {
  return { at, kind: "price", combination, pricePerHour };
}

/** What the first machines were launched as is not allowed any more from the fifth minute on. */
const UPDATED = {
  wire: "marker",
  fleets: updating(2),
  noisyMs: 40 * MINUTE,
} as const satisfies Partial<Scenario>;

function updating(gpus: number, changes: Partial<FleetSpec> = {}): readonly FleetSpec[] {
  return fleetOf(gpus, { surge: 1, update: { most: 1 }, ...changes });
}

function allow(at: number, ...candidates: readonly CatalogueOffer[]): Moment {
  return { at, kind: "candidates", name: "fleet-a", candidates };
}

const TENURES = ["exclusive", "shared"] as const;

const STORIES: readonly Scenario[] = [
  story("told-to-end-in-a-launch", { wire: "marker", fleets: fleetOf(4) }, [
    { at: BEFORE, kind: "fault", target: "launch", fault: { kind: "slow", seconds: 10 }, nth: 2 },
    { at: 20, kind: "terminate", who: "agent" },
  ]),
  story("two-writers", { wire: "marker", latencyMs: 1_000 }, [edit(200, 4), ...every(1, 203, 230, tick)]),
  story(
    "two-answers-lost",
    {
      tenure: "shared",
      latencyMs: 1_000,
      fleets: [],
      deployments: [...WEB0.deployments, { name: "web1", offer: NORTH }],
    },
    [lost(0), lost(0), run(5, "up"), run(5, "up", "web1")],
  ),
  story("clock-jumps-while-cooling", {}, [cools(0, NORTH, 170), { at: 20, kind: "jump", ms: 60 * MINUTE }]),
  // A conflict may be that of a request that was repeated on its way: the first one has made a machine.
  story("a-conflict-and-a-machine", {}, [
    meets(0, "launch", { kind: "errorAfter", status: 409 }),
    ...during(0, 260, ["deployments"], { kind: "lag", seconds: 60 }),
  ]),
  // A server error blames nobody, and its machine is there all the same.
  story("a-server-error-and-a-machine", {}, [
    meets(0, "launch", { kind: "errorAfter", status: 500 }),
    ...during(0, 260, ["deployments"], { kind: "lag", seconds: 60 }),
  ]),
  // Each launch is refused, by a status that blames the request, and makes its machine all the same.
  story("refused-and-a-machine", {}, [
    meets(0, "launch", { kind: "errorAfter", status: 400 }),
    ...during(0, 260, ["deployments"], { kind: "lag", seconds: 60 }),
  ]),
  story("refuses-and-makes", { fleets: fleetOf(4), halts: true, launchesAtMost: 2 }, [
    ...during(0, 900, ["launch"], { kind: "errorAfter", status: 400 }),
  ]),
  // An error carries the id of the machine that it made: it is that launch's, and nothing is launched in its place.
  story("errors-with-a-machines-id", { wire: "marker", ...AGGREGATOR, launchesAtMost: 1 }, [
    meets(0, "launch", { kind: "errorAfter", status: 400, withId: true }),
    ...during(0, 260, ["deployments"], { kind: "lag", seconds: 60 }),
  ]),
  // A 200 whose word refuses, and a machine: only looking tells.
  story(
    "refuses-by-a-word-and-makes",
    { wire: "marker", ...AGGREGATOR, aggregator: "byWord", launchesAtMost: 1 },
    [
      meets(0, "launch", { kind: "errorAfter", status: 500 }),
      ...during(0, 260, ["deployments"], { kind: "lag", seconds: 60 }),
    ],
  ),
  // Nothing could show such a machine to be a refused launch's: each error is looked for.
  story("refused-without-a-marker", { ...AGGREGATOR, launchesAtMost: 1 }, [
    meets(0, "launch", { kind: "errorAfter", status: 400 }),
    ...during(0, 600, ["deployments"], { kind: "lag", seconds: 60 }),
  ]),
  // Sold out, by a code and without a wait: its combination cools as after the specification's own.
  story("sold-out-by-a-code", { wire: "marker", ...AGGREGATOR, launchesAtMost: 2 }, [cools(0, NORTH, 50)]),
  // The service refuses launches that come faster. An agent and Pulumi keep the pace together.
  story("launches-apart", { wire: "marker", ...AGGREGATOR, ...WEB0, fleets: fleetOf(4), launchesAtMost: 5 }, [
    run(5, "up"),
  ]),
  story("stops-fail", {}, [
    ...[0, 0, 0].map((at) => meets(at, "stop", { kind: "errorBefore", status: 500 })),
    edit(200, 0),
  ]),
  // Each is answered as done. What was wanted again meanwhile is launched beside it, and it stops in the end.
  story("stops-do-nothing", { noisyMs: 40 * MINUTE }, [
    ...Array.from({ length: 7 }, () => meets(0, "stop", { kind: "ignore" })),
    edit(200, 0),
    edit(1_500, 1),
  ]),
  story("seen-before-its-answer", {}, [slow(0, 150), take(60)]),
  // An agent that stood still ends by itself where another one keeps its account: it is no agent that stands still here.
  ...Array.from({ length: 8 }, (_, skip) =>
    story("paused-before-the-stamp", { seed: `paused-before-the-stamp ${skip}`, noisyMs: 20 * MINUTE }, [
      pause(0, "once", "commit", 600, { skip }),
      { at: 1, kind: "tickOnce" },
    ]),
  ),
  story("paused-before-the-post", { noisyMs: 20 * MINUTE }, [
    pause(BEFORE, "agent", "post", 600),
    { at: 60, kind: "secondAgent", forMs: 15 * MINUTE },
  ]),
  story("slow-to-answer", {}, [
    pause(0, "agent", "post", 60, { when: "after" }),
    late(0, 108),
    ...during(0, 260, ["deployments"], { kind: "lag", seconds: 60 }),
    ...every(10, 20, 260, tick),
  ]),
  story("slow-to-answer-and-listed", {}, [slow(190, 60), edit(191, 2), ...every(200, 10, 240, take)]),
  // Two hosts list in turn while a launch is looked for. The second one's wall clock is ahead.
  story("looked-for-by-two-hosts", TWO_HOSTS, [
    late(0, 118),
    ...lagging(0, 330, 75),
    ...every(10, 5, 400, tick),
  ]),
  // A person launches and stops a machine of the same kind while the first host waits for its answer, and lists
  // do not show its machine yet.
  story("slow-to-answer-on-another-host", { ...TWO_HOSTS, tenure: "shared" }, [
    slow(0, 100),
    lack(1, "hide", 90),
    hand(20),
    ...every(10, 25, 200, tick),
    { at: 50, kind: "handStop", pick: 0 },
  ]),
  // The second host asks for lists, and stands still. The database's clock is set, and a launch has no answer.
  // Then those old lists are taken.
  story("lists-of-an-older-epoch", TWO_HOSTS, [
    ...every(15, 20, 300, (at) => pause(at, "once", "get", 330 - at, { skip: 1, when: "after" })),
    ...every(15, 20, 300, tick),
    { at: 305, kind: "ledgerJump", ms: 60 * MINUTE },
    late(306, 110),
    edit(306, 2),
  ]),
  // The agent stands still for longer than its lease, before it stores something.
  story("stands-still-before-a-commit", { ...WITH_LEASES, fleets: fleetOf(2) }, [
    { at: 5, kind: "secondAgent", forMs: 15 * MINUTE },
    edit(100, 3),
    pause(100, "agent", "commit", 60),
  ]),
  // The agent cannot renew its lease, and stands still with a stop that is about to leave. It is not old enough to
  // be held back by the age of its stamp.
  story("cannot-renew-before-a-stop", { ...WITH_LEASES, fleets: fleetOf(2) }, [
    { at: 5, kind: "secondAgent", forMs: 15 * MINUTE },
    edit(100, 1),
    ...every(1, 101, 111, renewalFails),
    pause(100, "agent", "stop", 4.9),
  ]),
  // The ledger cannot be written while a refusal comes that says how long its place cools.
  story("refused-while-the-ledger-is-locked", { noisyMs: 20 * MINUTE }, [
    cools(99, NORTH, 900),
    edit(100, 2),
    slow(100, 20),
    { at: 110, kind: "lockLedger", forMs: 60 * SECOND },
  ]),
  // A command stands still with its launch written down. One of the other host gives that up, and launches. Then the
  // first one goes on, and the ledger fails its last look.
  story("last-look-fails", { ...WEB0, otherHost: OTHER_HOST, noisyMs: 20 * MINUTE, launchesAtMost: 1 }, [
    pause(0, "pulumi", "commit", 500, { skip: 4, when: "after" }),
    run(5, "up"),
    run(30, "up"),
    {
      at: 504,
      kind: "blow",
      who: "pulumi",
      on: "commit",
      skip: 0,
      blow: { kind: "ledgerError", when: "before" },
    },
  ]),
  // Each Pulumi command runs on the other host. The first one dies with the answer.
  story("goes-on-elsewhere", { ...WEB0, otherHost: OTHER_HOST, launchesAtMost: 1 }, [
    HOST_DIES,
    run(5, "up"),
    run(20, "up"),
  ]),
  story("answers-an-old-id", { quirk: "oldId", fleets: fleetOf(3), halts: true, launchesAtMost: 2 }, []),
  story(
    "answers-ids-that-are-none",
    { quirk: "ghostId", fleets: fleetOf(2), halts: true, launchesAtMost: 1 },
    [],
  ),
  ...(
    [
      ["offers-show-the-price-of-one-gpu", "gpuPrice", 6, []],
      ["only-the-balance-shows-the-price", "gpuPrices", 2, [edit(300, 6)]],
    ] as const
  ).map(([name, quirk, gpus, events]) =>
    story(
      name,
      {
        wire: "marker",
        quirk,
        offers: [PAIR],
        fleets: fleetOf(gpus, { candidates: [PAIR], noPrices: true, perHour: "8.0000" }),
        halts: true,
        launchesAtMost: 1,
      },
      events,
    ),
  ),
  story("restarted-while-cooling", {}, [cools(0, NORTH, 170), { at: 20, kind: "kill", who: "agent" }]),
  story("lists-fail-while-it-settles", { strict: true }, [
    late(0, 20),
    lack(36, "hide", 310),
    ...during(140, 285, ["deployments"], { kind: "errorBefore", status: 500 }),
    ...[290, 300, 310, 311, 312].map(tick),
  ]),
  story("commits-late", {}, [late(0, 600)]),
  // The slot's first launch is called absent, its second fills it. Then the fleet's machine precedes its
  // answer.
  story("late-and-listed-late", {}, [late(BEFORE, 185), ...lagging(150, 230, 40)]),
  story(
    "late-beside-open",
    { fleets: fleetOf(0), deployments: [{ name: "web0", offer: SOUTH }], noisyMs: 32 * MINUTE },
    [
      dropped(0),
      run(5, "up"),
      cools(99, NORTH, 1500),
      edit(100, 1),
      slow(1590, 100),
      ...[1630, 1640].map(take),
    ],
  ),
  story("stranger-in-our-place", { tenure: "shared", fleets: fleetOf(2) }, [
    ...losing(290, 335),
    interrupt(300),
    hand(340),
    edit(500, 0),
  ]),
  story("down-and-up-again", { settings: STOPS_SLOWLY }, [edit(200, 0), edit(230, 1)]),
  // Lists still show it, with an id that nobody can read. A GET by its own id does not find it.
  story("ids-that-nobody-can-read", { wire: "marker", fleets: fleetOf(2) }, [
    ...during(200, 500, ["deployments"], { kind: "unreadable", how: "halfIds" }),
    ...during(200, 500, ["deployment"], { kind: "errorBefore", status: 404 }),
  ]),
  // Lists lack both for longer than it takes to be gone. A GET shows each, and at last denies them for a moment.
  story("denied-for-a-moment-beside-cut-lists", { wire: "marker", fleets: fleetOf(2) }, [
    ...during(200, 320, ["deployments"], { kind: "cut", keep: 0 }),
    ...during(285, 320, ["deployment"], { kind: "errorBefore", status: 404 }),
  ]),
  story("made-a-machine-that-nobody-can-read", { wire: "marker", noisyMs: 20 * MINUTE }, [
    edit(200, 2),
    lost(199),
    ...during(198, 900, ["deployments"], { kind: "unreadable", how: "halfIds" }),
  ]),
  // Only its id can be read, and a GET by it finds nothing. It is there, unchanged.
  story("states-that-nobody-can-read", { wire: "marker", fleets: fleetOf(2) }, [
    ...during(200, 500, ["deployments"], { kind: "unreadable", how: "noStates" }),
    ...during(200, 500, ["deployment"], { kind: "errorBefore", status: 404 }),
  ]),
  story("shows-thousands-of-gpus", { wire: "marker", quirk: "manyGpus", fleets: fleetOf(3) }, []),
  story("halted-and-billed", { ...HALTING, fleets: fleetOf(2), launchesAtLeast: 3 }, [halts(300)]),
  story("halted-with-surge", { ...HALTING, fleets: fleetOf(2, { surge: 1 }), launchesAtLeast: 3 }, [
    halts(300),
  ]),
  story(
    "halted-within-an-hourly-limit",
    { ...HALTING, fleets: fleetOf(1, { surge: 1, perHour: "2.60" }), launchesAtLeast: 2 },
    [halts(300)],
  ),
  story(
    "halted-together",
    { ...HALTING, wire: "marker", fleets: fleetOf(3), launchesAtLeast: 5, noisyMs: 40 * MINUTE },
    [halts(300), halts(301, 1)],
  ),
  story("a-deployment-halts", { ...HALTING, ...WEB0, launchesAtLeast: 2 }, [
    run(10, "up"),
    halts(300),
    run(600, "up"),
  ]),
  story(
    "a-serving-state-to-replace",
    {
      ...HALTING,
      halting: "wrongly",
      fleets: fleetOf(3),
      halts: true,
      launchesAtMost: 4,
      stopsAtMost: 2,
      tells: ["notServing", "halted"],
      noisyMs: 90 * MINUTE,
    },
    [],
  ),
  story("warms-up", { quirk: "warming", settings: { connectingSeconds: [300, 300] } }, []),
  // The surplus is stopped while it warms up, and old lists still show it so. Then more is wanted, twice.
  // With surge, more may be there before it is gone: then only what was learned from it does harm.
  ...[0, 1].map((surge) =>
    story(
      surge ? "learned-from-old-lists" : "stopped-while-it-warms-up",
      {
        fleets: fleetOf(1, { surge }),
        quirk: "warming",
        settings: { ...AT_ONCE, ...STOPS_SLOWLY, connectingSeconds: [100, 100] },
        noisyMs: 30 * MINUTE,
      },
      [edit(300, 2), edit(340, 1), ...lagging(340, 420, 60), edit(380, 2), edit(900, 3)],
    ),
  ),
  story("born-beside-a-launch", { wire: "combination" }, [
    slow(0, 100),
    { at: 20, kind: "declare", fleet: FLEET_B },
    ...[30, 40, 50, 60].map(tick),
  ]),
  story("destroyed-before-its-answer", WEB0, [late(0, 60), HOST_DIES, run(5, "up"), run(20, "destroy")]),
  // The ledger holds its machine, and Pulumi makes another slot.
  story("taken-out-of-the-state", { ...WEB0, launchesAtMost: 1 }, [
    run(5, "up"),
    { at: 200, kind: "stateDelete", deployment: "web0" },
    run(201, "up"),
  ]),
  story("replaced-by-pulumi", WEB0, [run(5, "up"), run(200, "replace")]),
  story("down-while-unknown", { fleets: fleetOf(2) }, [...losing(190, 570), interrupt(200), edit(560, 1)]),
  story("prices-not-known", { fleets: fleetOf(1, { noPrices: true, perHour: "1.00" }) }, [
    {
      ...{ at: 0, kind: "faults", target: "offers" },
      chances: [{ fault: { kind: "errorBefore", status: 500 }, probability: 1 }],
    },
  ]),
  // What rounds to 0 is no price, and the machine costs more than an hour may.
  story(
    "offers-show-a-price-of-zero",
    {
      wire: "marker",
      quirk: "freeOffers",
      offers: [PAIR],
      fleets: fleetOf(2, { candidates: [PAIR], noPrices: true, perHour: "4.0000" }),
      halts: true,
      launchesAtMost: 0,
    },
    [],
  ),
  story("just-above-the-floor", { fleets: fleetOf(5, { floor: "994" }) }, []),
  // More is wanted while the surplus still stops. Surge says how much may be paid for beside it.
  ...[0, 1].map((surge) =>
    story(
      "wanted-again-while-it-stops",
      {
        seed: `wanted-again-while-it-stops ${surge}`,
        settings: STOPS_SLOWLY,
        fleets: fleetOf(3, { surge }),
      },
      [edit(240, 1), edit(300, 3)],
    ),
  ),
  story("past-its-deadline", { fleets: fleetOf(2, { untilMs: 5 * MINUTE }) }, []),
  ...Array.from({ length: 12 }, (_, skip) =>
    story(
      "deadline-before-the-post",
      { seed: `deadline-before-the-post ${skip}`, fleets: fleetOf(1, { untilMs: 17 * SECOND }) },
      [pause(10, "agent", "commit", 4, { skip })],
    ),
  ),
  story("paused-by-an-operator", {}, [
    { at: 200, kind: "pauseFleet", name: "fleet-a", paused: true },
    interrupt(230),
  ]),
  story("held-by-a-person", { fleets: fleetOf(2) }, [
    { at: 200, kind: "holdOne", pick: 1, forMs: 5 * MINUTE },
    edit(210, 1),
    edit(260, 0),
    { at: 300, kind: "kill", who: "agent" },
  ]),
  // Its work is saved within 2 minutes; not at all; never; and its agent dies meanwhile, and waits for the deadline.
  story("saved-before-a-stop", { fleets: fleetOf(3, { saveMs: 2 * MINUTE }), noisyMs: 25 * MINUTE }, [
    edit(400, 2),
    edit(900, 1),
  ]),
  story("saved-in-vain", { fleets: fleetOf(2, { saveMs: 0, saveFails: true }), noisyMs: 20 * MINUTE }, [
    edit(400, 1),
  ]),
  story("saved-for-ever", { fleets: fleetOf(2, { saveMs: HOUR }), noisyMs: 25 * MINUTE }, [edit(400, 1)]),
  story("saved-after-a-restart", { fleets: fleetOf(2, { saveMs: 3 * MINUTE }), noisyMs: 25 * MINUTE }, [
    edit(400, 1),
    { at: 460, kind: "kill", who: "agent" },
  ]),
  story(
    "saved-before-a-deadline",
    { fleets: fleetOf(2, { saveMs: HOUR, untilMs: 15 * MINUTE }), noisyMs: 25 * MINUTE },
    [{ at: 590, kind: "kill", who: "agent" }],
  ),
  story("given-back", { fleets: fleetOf(3) }, [
    { at: 200, kind: "giveBackOne", pick: 0 },
    { at: 205, kind: "kill", who: "agent" },
    interrupt(400),
    { at: 500, kind: "giveBackOne", pick: 1 },
  ]),
  // The first commits after a machine runs: before and after a try is stored, and the program of its command.
  ...(["before", "after"] as const).flatMap((when) =>
    Array.from({ length: 8 }, (_, skip) =>
      story(
        "set-up-and-killed",
        { seed: `set-up-and-killed ${when} ${skip}`, settings: AT_ONCE, ...SETTING_UP },
        [
          { at: 10, kind: "blow", who: "agent", on: "commit", skip, blow: { kind: "crash", when } },
          { at: 90, kind: "kill", who: "agent" },
          { at: 240, kind: "terminate", who: "agent" },
          { at: 420, kind: "reboot", jumpMs: 0 },
        ],
      ),
    ),
  ),
  ...[60, 120].map((at) =>
    story(
      "set-up-on-two-hosts",
      { seed: `set-up-on-two-hosts ${at}`, settings: AT_ONCE, ...WITH_LEASES, ...SETTING_UP },
      [
        { at: 30, kind: "secondAgent", forMs: 25 * MINUTE },
        { at, kind: "kill", who: "agent" },
      ],
    ),
  ),
  // Longer than its check may take.
  story(
    "set-up-slowly",
    {
      settings: AT_ONCE,
      ...SETTING_UP,
      fleets: fleetOf(2, { setupMs: 11 * MINUTE, isChecked: true }),
      launchesAtMost: 2,
    },
    [],
  ),
  // Three machines: one is idle, one says nothing for a minute, one is busy again before its paid hour ends. In the next
  // hour all are idle, and one stays.
  story(
    "idle-machines",
    {
      noisyMs: 125 * MINUTE,
      settings: { ...AT_ONCE, billing: "perHour" },
      fleets: fleetOf(3, { idle: { for: "20m", then: "stop", keep: 1 } }),
    },
    [
      ...[0, 1, 2].map((which) => use(600, which, "idle")),
      pause(1_500, "agent", "commit", 60),
      { at: 2_000, kind: "kill", who: "agent" },
      use(2_400, 1, "unknown"),
      use(2_460, 1, "idle"),
      use(2_700, 2, "busy"),
      use(4_200, 1, "idle"),
    ],
  ),
  story(
    "idle-while-nobody-asks",
    {
      noisyMs: 75 * MINUTE,
      settings: { ...AT_ONCE, billing: "perHour" },
      fleets: fleetOf(2, { idle: { for: "20m", then: "stop", keep: 1 } }),
    },
    [use(600, 0, "idle"), pause(1_500, "agent", "commit", 1_200)],
  ),
  // Two windows: what the first leaves stays until its hour is paid for, and the second is open at the end.
  ...(["UTC", "Asia/Kathmandu"] as const).map((zone) =>
    story(
      "windows-of-a-schedule",
      {
        seed: `windows-of-a-schedule ${zone}`,
        noisyMs: 100 * MINUTE,
        settings: { ...AT_ONCE, billing: "perHour" },
        fleets: inWindows(1, zone, [5, 12, 4], [95, 600, 3]),
      },
      [
        { at: 400, kind: "kill", who: "agent" },
        { at: 3_000, kind: "terminate", who: "agent" },
      ],
    ),
  ),
  // The first window has all of it, the second one only a part, which is given back, and the third one ends in the middle of an attempt, of
  // which the fourth one finds one machine.
  story(
    "a-whole-in-windows",
    {
      noisyMs: 175 * MINUTE,
      wire: "marker",
      settings: { ...AT_ONCE, billing: "perHour" },
      fleets: fleetOf(0, {
        allOrNothing: "5m",
        schedule: {
          zone: "UTC",
          weekly: true,
          windows: [
            [2, 10],
            [75, 95],
            [120, 123],
            [148, 900],
          ].map(([from = 0, to = 0]) => ({ fromMs: from * MINUTE, toMs: to * MINUTE, gpus: 3 })),
        },
      }),
    },
    [
      { at: 4_200, kind: "capacity", combination: NORTH, capacity: 2 },
      { at: 5_000, kind: "kill", who: "agent" },
      interrupt(8_400),
    ],
  ),
  story(
    "a-person-asks-for-a-while",
    {
      noisyMs: 100 * MINUTE,
      settings: { ...AT_ONCE, billing: "perHour" },
      fleets: fleetOf(1, { isRanged: true }),
    },
    [
      { at: 300, kind: "ask", name: FLEET.name, gpus: 4, forMs: 10 * MINUTE },
      { at: 500, kind: "kill", who: "agent" },
      { at: 2_400, kind: "ask", name: FLEET.name, gpus: 0, forMs: 20 * MINUTE },
      { at: 5_000, kind: "ask", name: FLEET.name, gpus: 3, forMs: 30 * MINUTE },
      { at: 5_200, kind: "ask", name: FLEET.name, gpus: 2, forMs: 5 * MINUTE },
    ],
  ),
  story(
    "a-window-that-is-over",
    {
      noisyMs: 20 * MINUTE,
      settings: { ...AT_ONCE, billing: "perHour" },
      fleets: inWindows(1, "America/Phoenix", [2, 6, 4]),
    },
    [],
  ),
  // Its agent comes back just before its window ends. The first launch is answered after that, and others are left.
  story(
    "a-window-ends-between-two-launches",
    { settings: AT_ONCE, wire: "marker", fleets: inWindows(1, "UTC", [1, 2, 5]) },
    [
      { at: 50, kind: "away", forMs: 67 * SECOND },
      ...during(60, 300, ["launch"], { kind: "slow", seconds: 14 }),
    ],
  ),
  // One is lost, and the buffer takes its place and is filled again. Then the file asks for more.
  story(
    "a-buffer-and-a-loss",
    {
      settings: AT_ONCE,
      wire: "marker",
      noisyMs: 40 * MINUTE,
      fleets: fleetOf(2, { buffer: { gpus: 2, price: "2.5" } }),
    },
    [interrupt(400), { at: 700, kind: "kill", who: "agent" }, edit(1_200, 3)],
  ),
  // All that can be had once the count is reached is dearer than the buffer may be.
  story(
    "a-buffer-that-is-too-dear",
    {
      settings: AT_ONCE,
      wire: "marker",
      noisyMs: 20 * MINUTE,
      offers: [{ ...NORTH, capacity: 1 }, SOUTH],
      fleets: fleetOf(2, { select: true, buffer: { gpus: 2, price: "2.6" } }),
    },
    [interrupt(400)],
  ),
  // The last size is the same again, or another one. It fails, and says what is no number, while much is wanted.
  ...([2, 5] as const).map((last) =>
    story(
      "a-size-by-a-metric",
      {
        seed: `a-size-by-a-metric ${last}`,
        noisyMs: 100 * MINUTE,
        settings: { ...AT_ONCE, billing: "perHour" },
        fleets: byMetric(last, [
          [0, "7"],
          [6, "12"],
          [9, "fails"],
          [15, "12"],
          [20, "hangs"],
          [24, "12"],
          [27, "NaN"],
          [30, "1e9"],
          [36, "-1"],
          [40, "0"],
          [47, "12"],
          [50, "4"],
        ]),
      },
      [
        { at: 700, kind: "kill", who: "agent" },
        { at: 1_300, kind: "terminate", who: "agent" },
        { at: 1_450, kind: "away", forMs: 2 * MINUTE },
      ],
    ),
  ),
  // Less is wanted for good: what the metric leaves goes at the end of its paid hour.
  story(
    "a-metric-that-falls",
    {
      noisyMs: 15 * MINUTE,
      settings: { ...AT_ONCE, billing: "perHour" },
      fleets: byMetric(1, [
        [0, "8"],
        [8, "2"],
      ]),
    },
    [],
  ),
  // Machines are lost all the time until two hours before the deadline, and the agent is killed.
  story(
    "work-by-its-deadline",
    {
      noisyMs: 301 * MINUTE,
      wire: "marker",
      settings: { ...AT_ONCE, billing: "perHour" },
      fleets: fleetOf(4, { work: { gpuHours: 6, byMs: 300 * MINUTE } }),
    },
    [
      ...every(1_500, 1_200, 10_000, (at) => ({ at, kind: "loseOne", pick: at % 7, now: true })),
      { at: 4_000, kind: "kill", who: "agent" },
      { at: 7_000, kind: "away", forMs: 25 * MINUTE },
    ],
  ),
  // All machines are lost while no agent is there: what nobody saw is no work.
  story(
    "work-while-nobody-looks",
    {
      noisyMs: 421 * MINUTE,
      wire: "marker",
      settings: { ...AT_ONCE, billing: "perHour" },
      fleets: fleetOf(4, { work: { gpuHours: 10, byMs: 420 * MINUTE } }),
    },
    [
      { at: 1_200, kind: "away", forMs: 150 * MINUTE },
      ...[NORTH, SOUTH, WEST].map(
        ({ provider }) => ({ at: 1_260, kind: "lose", provider, now: true }) as const,
      ),
    ],
  ),
  // It is done early. What runs then goes before another hour is paid for.
  story(
    "work-that-is-done",
    {
      noisyMs: 361 * MINUTE,
      wire: "marker",
      settings: { ...AT_ONCE, billing: "perHour" },
      fleets: fleetOf(1, { work: { gpuHours: 1, byMs: 360 * MINUTE } }),
    },
    [{ at: 1_800, kind: "kill", who: "agent" }],
  ),
  // The host boots anew, with its clock set back by hours: neither a command that is cut short nor a paid hour waits for that to pass.
  story(
    "booted-into-the-past-while-saving",
    { fleets: fleetOf(2, { saveMs: 2 * MINUTE }), noisyMs: 20 * MINUTE, settings: AT_ONCE },
    [
      { at: 300, kind: "remove", name: "fleet-a" },
      { at: 330, kind: "reboot", jumpMs: -3 * HOUR },
    ],
  ),
  story(
    "booted-into-the-past-with-a-buffer",
    {
      fleets: fleetOf(1, { select: true, buffer: { gpus: 1, price: "3" } }),
      noisyMs: 20 * MINUTE,
      settings: { ...AT_ONCE, billing: "perHour" },
    },
    [{ at: 200, kind: "reboot", jumpMs: -3 * HOUR }, edit(400, 0)],
  ),
  story(
    "booted-into-the-past-as-a-metric-falls",
    {
      noisyMs: 15 * MINUTE,
      settings: { ...AT_ONCE, billing: "perHour" },
      fleets: byMetric(1, [
        [0, "8"],
        [8, "2"],
      ]),
    },
    [{ at: 510, kind: "reboot", jumpMs: -3 * HOUR }],
  ),
  // What is new is not ready within its time.
  story(
    "booted-into-the-past-in-an-update",
    {
      ...UPDATED,
      fleets: updating(2, { setupMs: 3 * HOUR, update: { most: 1, within: "5m" } }),
      tells: ["updateFailed"],
    },
    [allow(300, SOUTH), { at: 330, kind: "reboot", jumpMs: -3 * HOUR }],
  ),
  // The clock of the ledger begins anew after two of its three hours: what is done stays done.
  story(
    "work-across-a-failover",
    {
      noisyMs: 241 * MINUTE,
      wire: "marker",
      otherHost: OTHER_HOST,
      fleets: fleetOf(1, { work: { gpuHours: 3, byMs: 240 * MINUTE } }),
    },
    [{ at: 125 * 60, kind: "ledgerJump", ms: -60 * MINUTE }],
  ),
  // After six hours everything costs three times as much, and all machines are lost: it waits, and not for ever.
  story(
    "work-that-waits",
    {
      noisyMs: 721 * MINUTE,
      wire: "marker",
      settings: { ...AT_ONCE, billing: "perHour" },
      fleets: fleetOf(4, { work: { gpuHours: 24, byMs: 720 * MINUTE } }),
    },
    [NORTH, SOUTH, WEST].flatMap(({ offer, provider, location, pricePerHour }): Moment[] => [
      {
        ...{ at: 21_800, kind: "price", combination: { offer, provider, location } },
        pricePerHour: (3 * Number(pricePerHour)).toFixed(4),
      },
      { at: 21_900, kind: "lose", provider, now: true },
    ]),
  ),
  // Nothing is to be had for so long that all of it is needed at the end.
  story(
    "work-at-the-end",
    {
      noisyMs: 241 * MINUTE,
      wire: "marker",
      settings: { ...AT_ONCE, billing: "perHour" },
      fleets: fleetOf(4, { work: { gpuHours: 8, byMs: 240 * MINUTE } }),
    },
    [
      ...[NORTH, SOUTH, WEST].flatMap(({ offer, provider, location }): Moment[] => [
        { at: BEFORE, kind: "capacity", combination: { offer, provider, location }, capacity: 0 },
        { at: 4_500, kind: "capacity", combination: { offer, provider, location }, capacity: 8 },
      ]),
    ],
  ),
  // Two are sick at once, for causes that change; the third one flaps, and says nothing for long.
  story(
    "sick-machines",
    { noisyMs: 40 * MINUTE, settings: AT_ONCE, fleets: fleetOf(3, { health: { bad: "5m" } }) },
    [
      ...[0, 1].map((which) => ail(300, which, "bad")),
      ail(300, 2, "bad"),
      ail(540, 2, "unknown"),
      ail(1_500, 2, "bad"),
      ail(1_530, 2, "good"),
      ail(1_600, 2, "bad"),
    ],
  ),
  story(
    "sick-while-nobody-asks",
    { noisyMs: 30 * MINUTE, settings: AT_ONCE, fleets: fleetOf(2, { health: { bad: "5m" } }) },
    [
      ail(300, 0, "bad"),
      ail(480, 0, "unknown"),
      pause(490, "agent", "commit", 600),
      ail(700, 0, "good"),
      ail(1_000, 0, "bad"),
      ail(1_200, 0, "good"),
    ],
  ),
  // Whatever comes in their place is sick, too: the check is wrong, and no machine.
  story(
    "all-are-sick",
    { noisyMs: 90 * MINUTE, settings: AT_ONCE, fleets: fleetOf(1, { health: { bad: "5m" } }) },
    [...Array(80).keys()].map((minute) => ail(120 + minute * 60, 0, "bad")),
  ),
  story("drained-by-an-operator", {}, [
    { at: 200, kind: "drainFleet", name: "fleet-a", drained: true },
    interrupt(230),
  ]),
  story(
    "total-of-one-hour",
    {
      noisyMs: 75 * MINUTE,
      settings: { ...AT_ONCE, billing: "perHour" },
      fleets: fleetOf(1, { total: "2.50" }),
    },
    [],
  ),
  // Each costs exactly the most that its plan says: both of its begun hours; and the GPU that its machine has beside the one asked for.
  ...[
    fleetOf(1, { candidates: [NORTH], perGpuHour: NORTH.pricePerHour, untilMs: 90 * MINUTE }),
    fleetOf(1, { candidates: [PAIR], overshoot: 1, perGpuHour: "2.4000" }),
  ].map((fleets, index) =>
    story(
      "as-dear-as-its-plan-says",
      {
        seed: `as-dear-as-its-plan-says ${index}`,
        offers: [NORTH, PAIR],
        noisyMs: 110 * MINUTE,
        settings: { ...AT_ONCE, billing: "perHour" },
        fleets,
        launchesAtLeast: 1,
      },
      [],
    ),
  ),
  // Time is billed by the minute, and ten of them at least, of a machine that is stopped or fails sooner, too.
  ...(["minute", "second"] as const).map((by) =>
    story(
      `machines-that-cost-their-least-by-the-${by}`,
      {
        wire: "marker",
        billing: { by, minimum: "10m" },
        settings: AT_ONCE,
        fleets: fleetOf(2, { total: "3" }),
        noisyMs: 45 * MINUTE,
      },
      [interrupt(120), edit(200, 0), edit(500, 1), edit(700, 0), edit(1000, 2)],
    ),
  ),
  // A launch takes half an hour in advance: the balance proves the price by that.
  story(
    "half-an-hour-in-advance",
    {
      wire: "marker",
      billing: { by: "minute", minimum: "5m", reserved: "30m" },
      settings: AT_ONCE,
      balance: "12.0000",
      fleets: fleetOf(2, { floor: "9.50" }),
    },
    [],
  ),
  // The first offer shows 2.48 of another money, and costs 3.10.
  story(
    "an-offer-in-another-money",
    {
      wire: "marker",
      quirk: "otherMoney",
      offers: [WEST, SOUTH],
      fleets: fleetOf(1, { select: true, perGpuHour: "2.80" }),
    },
    [],
  ),
  // The agent dies while it waits for a price that does not come, and one is lost once all run.
  story(
    "patience-with-a-price",
    {
      wire: "marker",
      offers: [SOUTH, WEST],
      fleets: fleetOf(2, { select: true, patience: { price: "2.00", forMs: 6 * MINUTE } }),
      noisyMs: 30 * MINUTE,
    },
    [{ at: 200, kind: "kill", who: "agent" }, interrupt(900)],
  ),
  // One of three is lost, and only pairs are to be had: a pair comes, and one of the others goes. The agent dies in between.
  story(
    "a-pair-for-one-that-is-lost",
    {
      wire: "marker",
      offers: [NORTH, PAIR],
      fleets: fleetOf(3, { select: true, surge: 1, otherSizes: "2m" }),
      noisyMs: 30 * MINUTE,
    },
    [
      soldOut(BEFORE, PAIR),
      soldOut(290, NORTH),
      soldOut(290, PAIR, 8),
      interrupt(300),
      { at: 560, kind: "kill", who: "agent" },
    ],
  ),
  story("total-for-one-machine", { fleets: fleetOf(2, { total: "4" }) }, []),
  story("day-for-one-machine", { fleets: fleetOf(2, { perDay: "4" }) }, []),
  // Two fleets of one team, and a limit that pays for one machine.
  ...(["perDay", "total"] as const).map((limit) =>
    story(
      "limit-of-a-team",
      {
        seed: `limit-of-a-team ${limit}`,
        wire: "marker",
        fleets: [OF_A_TEAM, { ...OF_A_TEAM, name: FLEET_B.name, owner: FLEET_B.owner }],
        shared: { team: "vision", [limit]: "4" },
        launchesAtLeast: 1,
      },
      [],
    ),
  ),
  story("machines-that-do-not-live", { fleets: fleetOf(1, { churn: "0.10" }) }, [
    interrupt(300),
    interrupt(720),
  ]),
  story("dear-gpus", { fleets: fleetOf(1, { candidates: [WEST], perGpuHour: "3" }) }, []),
  story("marker-not-echoed", { wire: "marker", quirk: "noEcho", tenure: "shared" }, [lost(0)]),
  // A machine that connects for longer than its launch is looked for, and shows no marker meanwhile.
  ...TENURES.map((tenure) =>
    story(
      "marker-shown-once-it-runs",
      {
        seed: `marker-shown-once-it-runs ${tenure}`,
        wire: "marker",
        tenure,
        quirk: "lateEcho",
        settings: CONNECTS_SLOWLY,
        noisyMs: 30 * MINUTE,
      },
      [lost(890), edit(900, 2)],
    ),
  ),
  // The second machine of A's launch shows no marker yet. Only B's lost launch seems to explain it.
  story(
    "twin-taken-before-it-shows-its-marker",
    {
      wire: "marker",
      quirk: "lateEcho",
      settings: { ...AT_ONCE, connectingSeconds: [285, 285] },
      fleets: [FLEET, { ...FLEET_B, gpus: 0 }],
      noisyMs: 30 * MINUTE,
    },
    [meets(0, "launch", { kind: "commitTwice", seconds: 330 }), dropped(310), edit(320, 1, "fleet-b")],
  ),
  ...TENURES.map((tenure) =>
    story(
      "places-shown-once-they-run",
      {
        seed: `places-shown-once-they-run ${tenure}`,
        wire: "combination",
        tenure,
        quirk: "lateEcho",
        settings: CONNECTS_SLOWLY,
        fleets: [FLEET, { ...FLEET_B, candidates: [SOUTH] }],
        noisyMs: 45 * MINUTE,
      },
      [lost(1290), lost(1290), edit(1300, 2), edit(1300, 2, "fleet-b")],
    ),
  ),
  // The one that failed showed no place: it may be either launch's, and the other's own is still to come.
  ...TENURES.map((tenure) =>
    story(
      "failed-before-it-showed-its-place",
      {
        seed: `failed-before-it-showed-its-place ${tenure}`,
        wire: "combination",
        tenure,
        quirk: "lateEcho",
        fleets: [FLEET, { ...FLEET_B, candidates: [SOUTH] }],
        noisyMs: 45 * MINUTE,
      },
      [
        { at: 890, kind: "failNext", combination: SOUTH, code: "UNKNOWN", times: 1 },
        late(890, 190),
        lost(904),
        edit(895, 2),
        edit(905, 2, "fleet-b"),
      ],
    ),
  ),
  ...TENURES.map((tenure) =>
    story("sent-twice-by-a-gateway", { seed: `sent-twice-by-a-gateway ${tenure}`, wire: "marker", tenure }, [
      meets(0, "launch", { kind: "commitTwice", seconds: 300 }),
    ]),
  ),
  story("another-ledgers-marker", { wire: "marker", tenure: "shared", fleets: fleetOf(2) }, [
    ...losing(290, 335),
    interrupt(300),
    { at: 340, kind: "stranger", combination: NORTH },
    edit(600, 0),
  ]),
  story("lists-lack-another-half-each-time", { wire: "marker", strict: true, fleets: fleetOf(4) }, [
    late(190, 3),
    edit(200, 5),
    lack(214, "hide", 406, 4),
    ...[0, 1].flatMap((half) =>
      every(15, 329, 599, (at) => lack(at, "hide", 14.9, (Math.floor(at / 15) % 2) * 2 + half)),
    ),
  ]),
  // A person launches by mistake while a launch of ours has no answer. It is claimed; then our machine comes.
  story("one-more-than-was-launched", {}, [late(0, 20), hand(20)]),
  ...[20, 28].map((second) =>
    story("two-for-one-launch", { seed: `two-for-one-launch ${second}`, tenure: "shared" }, [
      late(0, 10),
      hand(second),
    ]),
  ),
  story(
    "answered-after-it-was-called-absent",
    { ...WEB0, tenure: "shared", strict: true, noisyMs: 25 * MINUTE },
    [
      pause(0, "pulumi", "post", 600, { when: "after" }),
      run(5, "up"),
      lack(6, "hide", 640),
      run(1000, "destroy"),
    ],
  ),
  story("commits-after-twenty-hours", {}, [late(0, 20 * 3600)]),
  story("stops-for-ever", { settings: NEVER_STOPS, noisyMs: 25 * MINUTE }, [edit(200, 0), edit(300, 1)]),
  // It bills while it stops, so the budget has no room for another. That needs a person.
  story(
    "stops-for-ever-within-a-budget",
    { settings: NEVER_STOPS, fleets: fleetOf(1, { perHour: "4.00" }), noisyMs: 25 * MINUTE, halts: true },
    [edit(200, 0), edit(300, 1)],
  ),
  // The list before its stop shows an earlier state. The next shows the state it warmed up in.
  story(
    "began-to-warm-up-when-it-was-stopped",
    {
      quirk: "warming",
      settings: {
        ...STOPS_SLOWLY,
        initializingSeconds: [0, 0],
        provisioningSeconds: [188, 188],
        connectingSeconds: [300, 300],
      },
    },
    [...lagging(180, 250, 20), edit(207, 0), edit(212, 1)],
  ),
  story(
    "stopping-when-it-was-born",
    { wire: "combination", before: [NORTH], settings: NEVER_STOPS, noisyMs: 2 * MINUTE },
    [{ at: BEFORE, kind: "handStop", pick: 0 }],
  ),
  story("booted-anew-before-it-is-there", {}, [late(0, 185), { at: 18, kind: "reboot", jumpMs: 0 }]),
  // The agent stands still with its list while a person launches. Then the agent's own launch is lost.
  story("launched-by-hand-after-the-list", { tenure: "shared", noisyMs: 20 * MINUTE }, [
    edit(200, 2),
    pause(205, "agent", "get", 240, { when: "after" }),
    dropped(205),
    hand(300),
  ]),
  // One launch is late and the next has no answer. A list shows both machines at once: two for two.
  story("late-and-lost-at-once", { tenure: "shared", fleets: fleetOf(2) }, [
    late(BEFORE, 195),
    ...lagging(150, 260, 75),
    lost(100),
  ]),
  // The late machine is shown during the next launch. When that is answered, nobody has judged it yet.
  story("late-before-the-next-launch", { noisyMs: 20 * MINUTE }, [
    late(190, 195),
    edit(191, 3),
    ...lagging(300, 438, 75),
    slow(300, 12),
    take(440),
  ]),
  story(
    "a-launch-of-another-place-while-one-may-be-late",
    {
      wire: "combination",
      fleets: [FLEET, { ...FLEET_B, candidates: [SOUTH] }],
      noisyMs: 25 * MINUTE,
    },
    [dropped(190), edit(200, 2), slow(600, 100), edit(601, 2, "fleet-b"), ...[630, 640, 650].map(take)],
  ),
  story(
    "refused-here-and-then-there",
    { wire: "marker", fleets: fleetOf(1, { candidates: [NORTH, SOUTH] }), launchesAtMost: 9 },
    [{ at: 198, kind: "capacity", combination: SOUTH, capacity: 0 }, cools(199, NORTH, 60), edit(200, 7)],
  ),
  story("denied-before-it-was-shown", { wire: "marker", strict: true }, [
    edit(200, 2),
    lack(211, "forget", 150, 1),
  ]),
  // Pages that shift: each machine stands there twice, as it is and as failed. Nobody can ask by id for the first minute.
  story("listed-twice", { wire: "marker", fleets: fleetOf(2), strict: true, launchesAtMost: 2 }, [
    ...during(200, 320, ["deployments"], { kind: "unreadable", how: "twice" }),
    ...during(200, 260, ["deployment"], { kind: "errorBefore", status: 500 }),
  ]),
  // Null is an empty list only where nothing is known to live, whatever a GET says meanwhile.
  story("a-list-of-null", { wire: "combination", strict: true, launchesAtMost: 1 }, [
    ...during(200, 400, ["deployments"], { kind: "unreadable", how: "nullList" }),
    ...during(200, 400, ["deployment"], { kind: "errorBefore", status: 404 }),
  ]),
  story("left-out-of-lists", { wire: "marker" }, [lack(200, "hide", 300)]),
  // It is answered by other words than a 404 that there is no such machine: gone once they are proven, and replaced.
  ...(["byStatus", "byNull"] as const).map((absence) =>
    story(
      `gone-in-other-words-${absence}`,
      { wire: "marker", absence, fleets: fleetOf(2), noisyMs: 30 * MINUTE, launchesAtLeast: 3 },
      [lack(200, "forget", 1_500)],
    ),
  ),
  // The same words are said of everything for a while, as to a wrong path, while lists leave one machine out.
  story(
    "denied-to-all-in-other-words",
    { ...FORGETFUL, fleets: fleetOf(2), strict: true, launchesAtMost: 2 },
    [lack(200, "hide", 780), ...during(200, 960, ["deployment"], { kind: "errorBefore", status: 400 })],
  ),
  story("denied-to-the-only-one-in-other-words", { ...FORGETFUL, strict: true, launchesAtMost: 1 }, [
    lack(200, "hide", 540),
    ...during(200, 720, ["deployment"], { kind: "errorBefore", status: 400 }),
  ]),
  // The profile does not say what the words mean: nothing is concluded, and people are told.
  story(
    "gone-in-words-that-nobody-names",
    {
      ...FORGETFUL,
      absence: "untold",
      fleets: fleetOf(2),
      strict: true,
      launchesAtMost: 2,
      tells: ["unshown"],
    },
    [lack(200, "forget", 36_000)],
  ),
  // Accepted, and nothing is ever made: another launch follows. Made after that: it is ours, and one too many.
  ...TENURES.map((tenure) =>
    story(
      `accepted-and-vanished-${tenure}`,
      {
        ...FORGETFUL,
        tenure,
        noisyMs: 35 * MINUTE,
        launchesAtLeast: 3,
        launchesAtMost: 3,
      },
      [edit(200, 2), meets(201, "launch", { kind: "vanish" })],
    ),
  ),
  ...TENURES.map((tenure) =>
    story(
      `accepted-and-made-too-late-${tenure}`,
      {
        ...FORGETFUL,
        wire: "combination",
        tenure,
        noisyMs: 60 * MINUTE,
        launchesAtLeast: 3,
        launchesAtMost: 3,
        tellsNot: ["unclaimed"],
      },
      [edit(200, 2), meets(201, "launch", { kind: "vanish", seconds: 1_800 })],
    ),
  ),
  // A lost database shows it in the end: the machine in its place is one too many then.
  story("never-shown-for-an-hour", { wire: "marker", noisyMs: 85 * MINUTE, launchesAtLeast: 3 }, [
    edit(200, 2),
    lack(211, "forget", 4_500, 1),
  ]),
  story("never-shown-and-told-by-nothing", { fleets: fleetOf(2), noisyMs: 85 * MINUTE, launchesAtLeast: 4 }, [
    edit(200, 3),
    lack(211, "forget", 4_500, 2),
  ]),
  ...TENURES.flatMap((tenure) => [
    // A retired endpoint: an empty list, and 404 for each id. The agent is killed meanwhile, and starts anew.
    story(
      `the-account-is-hidden-${tenure}`,
      { tenure, wire: "marker", fleets: fleetOf(6), noisyMs: 80 * MINUTE, launchesAtMost: 7 },
      [vanish(300, "account", 4_200), { at: 700, kind: "kill", who: "agent" }],
    ),
    story(
      `the-history-is-hidden-${tenure}`,
      { tenure, wire: "marker", fleets: fleetOf(6), noisyMs: 60 * MINUTE, launchesAtMost: 7 },
      [vanish(300, "machines", 3_000)],
    ),
  ]),
  // Nothing shows what the probe's launch made, either: it is not sent anew.
  // Lists show only what lives, so an end is an absence: one after the other each is replaced, two or half an hour.
  atCloud(
    story(
      "ended-and-unlisted",
      { wire: "marker", fleets: fleetOf(4), noisyMs: 120 * MINUTE, launchesAtLeast: 8 },
      [0, 1, 2, 3].map((pick) => interrupt(300 + pick * 400 + (pick > 1 ? 3_600 : 0), pick)),
    ),
    UNLISTED,
  ),
  // A half that one list lacks is no end of each: one is rented in its place.
  atCloud(
    story(
      "half-hidden-where-ends-are-unlisted",
      { wire: "marker", fleets: fleetOf(6), noisyMs: 60 * MINUTE, launchesAtMost: 7, tells: ["halted"] },
      [0, 1, 2].map((pick) => lack(300, "forget", 3_000, pick)),
    ),
    UNLISTED,
  ),
  // All that live are hidden, one by one, and what was rented in their place after them. All of it bills.
  atCloud(
    story(
      "hidden-one-by-one-where-ends-are-unlisted",
      { wire: "marker", fleets: fleetOf(6), noisyMs: 80 * MINUTE, launchesAtMost: 9, tells: ["halted"] },
      [
        { at: BEFORE, kind: "capacity", combination: NORTH, capacity: 30 },
        ...Array.from({ length: 12 }, (_, pick) =>
          lack(300 + pick * 120, "forget", 4_000 - pick * 120, pick),
        ),
      ],
    ),
    UNLISTED,
  ),
  atCloud(
    story(
      "hidden-where-ends-are-unlisted",
      { wire: "marker", fleets: fleetOf(6), noisyMs: 80 * MINUTE, launchesAtMost: 7 },
      [vanish(300, "account", 4_200)],
    ),
    UNLISTED,
  ),
  story("hidden-and-an-answer-lost", { fleets: fleetOf(4), noisyMs: 60 * MINUTE, launchesAtMost: 5 }, [
    vanish(300, "account", 3_000),
    lost(310),
  ]),
  story(
    "vanished-one-after-the-other",
    { wire: "marker", fleets: fleetOf(4), noisyMs: 60 * MINUTE, launchesAtMost: 5 },
    [0, 1, 2, 3].map((pick) => lack(300 + pick * 40, "forget", 2_400 - pick * 40, pick)),
  ),
  // The probe is smaller than what it stands for, since nothing as large is left: that is refused once, too.
  story(
    "the-probe-is-smaller",
    {
      wire: "marker",
      offers: [NORTH, PAIR],
      fleets: fleetOf(4, { candidates: [PAIR, NORTH] }),
      noisyMs: 60 * MINUTE,
      launchesAtMost: 4,
    },
    [{ at: 100, kind: "capacity", combination: PAIR, capacity: 0 }, vanish(300, "account", 2_400)],
  ),
  // An hour of lists that show a new machine, and not the others, is believed.
  story(
    "hidden-for-longer-than-an-hour",
    { wire: "marker", fleets: fleetOf(3), noisyMs: 90 * MINUTE, launchesAtLeast: 6, launchesAtMost: 6 },
    [vanish(300, "machines", 5_000)],
  ),
  story(
    "a-deployment-is-hidden-with-others",
    {
      wire: "marker",
      fleets: [],
      deployments: [0, 1, 2].map((each) => ({ name: `web${each}`, offer: NORTH })),
      noisyMs: 60 * MINUTE,
      launchesAtMost: 4,
    },
    [
      ...[0, 1, 2].map((each) => run(5, "up", `web${each}`)),
      vanish(300, "account", 3_000),
      ...[400, 480, 700, 1_500].flatMap((at) => [0, 1, 2].map((each) => run(at + each, "up", `web${each}`))),
    ],
  ),
  story("denied-for-less-than-a-minute", { wire: "marker" }, [lack(200, "forget", 55)]),
  // The lists before show it, with an id that nobody can read: they lack nothing, whatever a GET says meanwhile.
  story("denied-after-ids-that-nobody-can-read", { wire: "marker" }, [
    ...during(200, 265, ["deployments"], { kind: "unreadable", how: "halfIds" }),
    ...during(200, 265, ["deployment"], { kind: "errorBefore", status: 404 }),
    lack(266, "forget", 31),
  ]),
  story("first-list-is-empty", { wire: "combination", before: [NORTH], launchesAtMost: 0 }, [emptyList(1)]),
  story("first-lists-are-empty", { wire: "combination", latencyMs: 50, before: [NORTH], launchesAtMost: 0 }, [
    emptyList(1),
    emptyList(2),
  ]),
  story(
    "born-where-lists-lag",
    { wire: "combination", latencyMs: 50, before: [NORTH], launchesAtMost: 0 },
    lagging(BEFORE, 4, 3),
  ),
  story("grown-beside-what-fits", { wire: "combination" }, [hand(100), edit(200, 2)]),
  story(
    "grown-beside-what-fits",
    {
      wire: "combination",
      settings: STOPS_SLOWLY,
      fleets: fleetOf(1, { surge: 1 }),
      launchesAtMost: 1,
    },
    [hand(60), edit(150, 0), edit(180, 1)],
  ),
  // Nobody can say whose the older machine is. The fleet waits for a person, who does not come.
  story(
    "born-where-others-launch",
    { wire: "combination", tenure: "shared", before: [NORTH], halts: true, launchesAtMost: 0 },
    [],
  ),
  story("renamed", {}, [{ at: 200, kind: "rename", name: "fleet-a", to: "fleet-b" }]),
  story("destroyed-and-only-inferred", { ...WEB0, tenure: "shared", latencyMs: 1_000 }, [
    lost(0),
    run(5, "up"),
    run(300, "destroy"),
  ]),
  // Its host dies with the answer. The next command gets another ledger, or another account's key.
  ...(["newLedger", "otherKey"] as const).map((kind) =>
    story(kind === "newLedger" ? "destroyed-by-another-ledger" : "destroyed-by-another-key", WEB0, [
      HOST_DIES,
      run(5, "up"),
      { at: 200, kind },
      run(201, "destroy"),
    ]),
  ),
  // Both, for a machine that is in the state: only the state names its account.
  story("destroyed-by-another-ledger-and-key", WEB0, [
    run(5, "up"),
    { at: 200, kind: "newLedger" },
    { at: 200, kind: "otherKey" },
    run(201, "destroy"),
  ]),
  // One of six is refused, then six succeed: with the first machine 8 in all.
  story("six-more-where-it-cools", { wire: "marker", launchesAtMost: 8 }, [
    cools(199, NORTH, 60),
    edit(200, 7),
  ]),
  // Long after its first launches: how much room there is then, nobody knows.
  story(
    "less-room-than-is-missing",
    { wire: "marker", fleets: fleetOf(7, { candidates: [NORTH, SOUTH] }), launchesAtMost: 17 },
    [
      { at: 590, kind: "capacity", combination: SOUTH, capacity: 1 },
      { at: 600, kind: "lose", provider: NORTH.provider, now: true },
    ],
  ),
  story(
    "a-place-that-goes-on-losing",
    { fleets: fleetOf(1, { candidates: [NORTH, SOUTH] }), launchesAtMost: 2 },
    every(30, 200, 500, (at) => ({ at, kind: "lose", provider: NORTH.provider, now: true })),
  ),
  // In the second one a reboot sets the clock back. An attempt that began in the future would never be late.
  ...(
    [
      ["half-of-it-is-to-be-had", []],
      ["half-of-it-across-a-reboot", [{ at: 180, kind: "reboot", jumpMs: -120 * MINUTE }]],
    ] as const
  ).map(([name, events]) =>
    story(name, { wire: "marker", fleets: fleetOf(2, { allOrNothing: "5m" }), noisyMs: 20 * MINUTE }, [
      { at: 0, kind: "capacity", combination: NORTH, capacity: 1 },
      ...events,
    ]),
  ),
  // While its replacement is looked for, old lists show it as before. Two first hours are above the total.
  story("shown-as-before-it-was-interrupted", { wire: "marker", fleets: fleetOf(1, { total: "4.50" }) }, [
    interrupt(200),
    ...losing(205, 215),
    ...during(215, 260, ["deployments"], { kind: "lag", seconds: 40 }),
  ]),
  // The look before its stop is so slow that it runs by then. Its first hour is paid, and leaves no room.
  story(
    "ran-by-the-time-it-was-stopped",
    { settings: { ...AT_ONCE, connectingSeconds: [210, 210] }, fleets: fleetOf(1, { perDay: "4.00" }) },
    [
      meets(190, "deployment", { kind: "slow", seconds: 60 }),
      ...during(200, 258, ["deployments"], { kind: "dropBefore" }),
      edit(190, 0),
      edit(500, 1),
    ],
  ),
  // No limit, and no prices. A fleet whose machines die within an hour stops launching after some.
  story(
    "none-lives-for-an-hour",
    {
      wire: "marker",
      settings: AT_ONCE,
      fleets: fleetOf(1, { noPrices: true }),
      noisyMs: 500 * MINUTE,
      halts: true,
      launchesAtMost: 6,
    },
    every(3000, 3000, 28_800, (at) => interrupt(at)),
  ),
  // It runs, and every second list says that it ended. Without the rule each end rents another machine.
  ...(["stopped", "interrupted"] as const).map((state) =>
    story(
      "ends-in-every-second-list",
      {
        wire: "marker",
        seed: `ends-in-every-second-list ${state}`,
        // Its replacement does not run yet when it comes back: that one is stopped, and this one goes on.
        settings: { ...AT_ONCE, connectingSeconds: [300, 300] },
        noisyMs: 40 * MINUTE,
        launchesAtMost: 2,
      },
      every(30, 400, 2100, (at) => ({ at, kind: "showAs", pick: 0, state, forMs: 15 * SECOND })),
    ),
  ),
  // It came back once, so it ends only by two lists and time between them. Then it must be replaced. The noise ends
  // between those lists, and with it the process that saw the first.
  story(
    "ends-for-good-after-a-return",
    { wire: "marker", settings: { ...AT_ONCE, connectingSeconds: [300, 300] }, noisyMs: 16 * MINUTE },
    [
      { at: 400, kind: "showAs", pick: 0, state: "interrupted", forMs: 100 * SECOND },
      { at: 900, kind: "lose", provider: "north", now: true },
    ],
  ),
  // So slowly that each end is believed: a person has to look.
  story(
    "ends-again-and-again",
    { wire: "marker", settings: AT_ONCE, noisyMs: 130 * MINUTE, launchesAtMost: 3 },
    every(600, 200, 7200, (at) => ({ at, kind: "showAs", pick: 0, state: "interrupted", forMs: 5 * MINUTE })),
  ),
  // Every answer says that it ended, until long after it was archived. It comes back, and is one too many.
  story(
    "archived-and-back",
    { wire: "marker", archivesSoon: true, settings: AT_ONCE, noisyMs: 20 * MINUTE },
    [{ at: 200, kind: "showAs", pick: 0, state: "interrupted", forMs: 10 * MINUTE }],
  ),
  // While a launch without an answer is looked for, its record cannot be read, and says nothing of its end.
  story("archived-beside-a-late-one", { archivesSoon: true, settings: AT_ONCE, noisyMs: 20 * MINUTE }, [
    interrupt(200),
    late(339, 90),
    edit(340, 2),
    ...during(350, 365, ["deployments"], { kind: "unreadable", how: "noStates" }),
  ]),
  // The hour of a machine that ran and was stopped is paid. Two of them leave no room for a third.
  story(
    "total-with-archived-machines",
    {
      wire: "marker",
      archivesSoon: true,
      settings: AT_ONCE,
      fleets: fleetOf(1, { total: "6" }),
      noisyMs: 20 * MINUTE,
    },
    [edit(200, 0), edit(500, 1), edit(600, 0), edit(900, 1)],
  ),
  // Taken out of its file and put back, it is the same fleet: its total goes on.
  story(
    "total-of-a-fleet-that-comes-back",
    {
      wire: "marker",
      settings: AT_ONCE,
      fleets: fleetOf(1, { total: "6" }),
      noisyMs: 30 * MINUTE,
    },
    [
      { at: 200, kind: "remove", name: "fleet-a" },
      { at: 500, kind: "declare", fleet: fleetOf(1, { total: "6" })[0] as FleetSpec },
      { at: 700, kind: "remove", name: "fleet-a" },
      { at: 1000, kind: "declare", fleet: fleetOf(1, { total: "6" })[0] as FleetSpec },
    ],
  ),
  // Other triggers: each machine of the fleet makes room before another is launched in its place.
  story(
    "other-triggers-of-a-fleet",
    {
      wire: "marker",
      fleets: fleetOf(3, { triggers: "one" }),
      launchesAtLeast: 6,
      launchesAtMost: 6,
      noisyMs: 40 * MINUTE,
    },
    [{ at: 300, kind: "triggers", name: "fleet-a", triggers: "two" }],
  ),
  story("other-triggers-of-a-deployment", { ...WEB0, launchesAtLeast: 2, launchesAtMost: 2 }, [
    run(5, "up"),
    { at: 200, kind: "program", deployment: "web0", triggers: "two" },
    run(201, "up"),
  ]),
  // HTTP says of a 401 that nothing was applied: the next launch need not look for it, even without a marker.
  story(
    "refused-for-its-credential",
    { ...AGGREGATOR, launchesAtLeast: 3, launchesAtMost: 3, tells: ["refused"], tellsNot: ["unknown"] },
    [edit(200, 2), meets(200, "launch", { kind: "errorBefore", status: 401 })],
  ),
  // The service takes its tokens for less long than the profile says. Another one is asked for, and no launch is repeated.
  atCloud(
    story(
      "a-token-that-ends-before-its-time",
      { wire: "marker", quirk: "shortTokens", noisyMs: 30 * MINUTE, launchesAtLeast: 3, launchesAtMost: 3 },
      [interrupt(1_300), meets(1_300, "launch", { kind: "errorBefore", status: 401 })],
    ),
    BY_TOKEN,
  ),
  // The list has more than its first page, so nothing can show that a launch without an answer made nothing.
  story(
    "pages-that-the-profile-does-not-say",
    {
      ...{ wire: "marker", quirk: "unsaidPages", fleets: fleetOf(2), halts: true, launchesAtMost: 3 },
      tells: ["unreadable"],
    },
    [lost(199), edit(200, 3)],
  ),
  // Either may be had by a launch.
  story(
    "two-offers-of-one-combination",
    {
      ...{ wire: "marker", quirk: "twinOffers", offers: [NORTH], fleets: fleetOf(2, { select: true }) },
      ...{ halts: true, launchesAtMost: 0 },
    },
    [],
  ),
  // A list leaves out what was launched, though its id is found.
  story(
    "records-that-leave-out-what-was-launched",
    {
      ...{ wire: "marker", quirk: "otherKind", fleets: fleetOf(2), halts: true, launchesAtMost: 1 },
      tells: ["halted"],
    },
    [],
  ),
  // No call shows whose the key is, and its list is empty: that is not what became of our machine.
  atCloud(
    story("another-key-where-no-account-is-shown", { wire: "marker", launchesAtMost: 1 }, [
      { at: 200, kind: "otherKey" },
      { at: 201, kind: "kill", who: "agent" },
    ]),
    NAMELESS,
  ),
  // What a profile that ships says by now is told before anything is launched by it.
  story(
    "an-upgrade-changes-the-profile",
    { wire: "marker", launchesAtLeast: 4, launchesAtMost: 4, tells: ["profileChanged"] },
    [{ at: 200, kind: "upgrade" }, { at: 201, kind: "kill", who: "agent" }, edit(400, 4)],
  ),
  // The launch never sends this parameter, so no other machine is needed.
  story("other-parameters-that-are-not-sent", { ...WEB0, launchesAtMost: 1 }, [
    run(5, "up"),
    { at: 200, kind: "program", deployment: "web0", parameters: { note: "another one" } },
    run(201, "up"),
  ]),
  // The ledger cannot be written when the deadline comes, or when a stop is answered.
  story("ledger-locked-across-a-deadline", { fleets: fleetOf(2, { untilMs: 5 * MINUTE }) }, [
    { at: 240, kind: "lockLedger", forMs: 6 * MINUTE },
  ]),
  story("ledger-locked-across-a-stop", { fleets: fleetOf(2) }, [
    meets(200, "stop", { kind: "errorBefore", status: 500 }),
    meets(200, "stop", { kind: "slow", seconds: 20 }),
    edit(200, 0),
    { at: 220, kind: "lockLedger", forMs: 3 * MINUTE },
  ]),
  // The agent starts with the account of its ledger and another account's key. Those lists do not count.
  story("starts-into-an-outage-with-another-key", { launchesAtMost: 1 }, [
    { at: 200, kind: "otherKey" },
    ...during(200, 900, ["account"], { kind: "dropBefore" }),
    { at: 201, kind: "kill", who: "agent" },
  ]),
  // A person's machine gets the id of ours, which ended unseen or long ago. Our stop must not end theirs.
  story(
    "given-anew-while-it-lives",
    { wire: "combination", tenure: "shared", offers: [NORTH, PAIR], launchesAtMost: 1 },
    [{ at: 300, kind: "giveAnew", pick: 0, combination: PAIR }, edit(480, 0)],
  ),
  story("given-anew-after-it-ended", { wire: "combination", tenure: "shared", offers: [NORTH, PAIR] }, [
    interrupt(300),
    { at: 420, kind: "giveAnew", pick: "ended", combination: PAIR },
    edit(720, 0),
  ]),
  // No trace is played from there on: that nothing is sent twice is seen at the borders of the product alone.
  story(
    "lost-after-an-id-was-given-anew",
    { wire: "combination", tenure: "shared", offers: [NORTH, PAIR], noisyMs: 25 * MINUTE },
    [
      interrupt(300),
      { at: 420, kind: "giveAnew", pick: "ended", combination: PAIR },
      dropped(500),
      edit(510, 2),
    ],
  ),
  // The first launch is lost, and a person's machine is claimed for it. The next launch proves the marker.
  story("taken-before-the-marker-was-proven", { wire: "marker", tenure: "shared" }, [
    dropped(0),
    hand(20),
    edit(300, 2),
  ]),
  // The first of the services is out for hours, with machines that nobody can see, and another one loses its own.
  story(
    "a-service-out-for-hours",
    {
      ...SEVERAL,
      offers: [{ ...NORTH, capacity: 4 }, SOUTH, WEST],
      fleets: fleetOf(6, { select: true }),
      staysOut: "north",
      noisyMs: 120 * MINUTE,
      launchesAtLeast: 8,
    },
    [
      ...outFrom(400, "north"),
      soldOut(600, SOUTH),
      { at: 3_600, kind: "lose", provider: "south", now: true },
    ],
  ),
  story("a-service-drained", { ...SEVERAL, launchesAtMost: 8, launchesAtLeast: 8, stopsAtMost: 4 }, [
    { at: 300, kind: "drainFleet", name: "fleet-a", drained: true, service: "north" },
  ]),
  story("a-loss-replaced-elsewhere", { ...SEVERAL, launchesAtMost: 6 }, [
    soldOut(300, NORTH),
    { ...interrupt(301), service: "north" },
  ]),
  // Its share stays where it may have made a machine, though lists do not show it.
  story(
    "an-answer-lost-at-one-of-several",
    { ...SEVERAL, fleets: fleetOf(1, { select: true }), launchesAtMost: 1 },
    [
      { ...lost(0), service: "north" },
      ...lagging(0, 240, 120).map((each) => ({ ...each, service: "north" })),
      soldOut(60, NORTH),
    ],
  ),
  story(
    "one-limit-for-several-services",
    {
      ...SEVERAL,
      offers: [{ ...NORTH, capacity: 2 }, SOUTH, WEST],
      fleets: fleetOf(4, { select: true, perHour: "8.00" }),
      noisyMs: 20 * MINUTE,
    },
    [soldOut(0, NORTH, 2)],
  ),
  story("a-smaller-wish-over-services", { ...SEVERAL, stopsAtMost: 2 }, [soldOut(0, NORTH, 2), edit(400, 2)]),
  story(
    "a-smaller-wish-beside-what-is-free",
    {
      ...SEVERAL,
      services: ["north", "south"],
      offers: [
        { ...NORTH, capacity: 1 },
        { ...SOUTH, capacity: 2 },
      ],
      stopsAtMost: 0,
    },
    [edit(600, 3)],
  ),
  story(
    "spread-beside-one-that-is-sold-out",
    { ...SEVERAL, services: ["north", "south"], offers: [NORTH, SOUTH], atLeast: 2 },
    [soldOut(0, SOUTH)],
  ),
  // A window opens while the first service is out, and ends while another one's machines are lost.
  story(
    "windows-over-services",
    {
      ...SEVERAL,
      settings: { ...AT_ONCE, billing: "perHour" },
      noisyMs: 110 * MINUTE,
      fleets: inWindows(2, "Asia/Kolkata", [10, 30, 6], [95, 105, 4]).map((fleet) => ({
        ...fleet,
        select: true,
      })),
      launchesAtLeast: 6,
    },
    [
      ...outFrom(500, "north"),
      ...outFrom(900, "north").map((each) => ({ ...each, chances: [] })),
      { at: 1_770, kind: "lose", provider: "south", now: true },
      { at: 1_790, kind: "kill", who: "agent-west" },
      {
        at: 5_690,
        kind: "blow",
        who: "agent",
        on: "commit",
        skip: 3,
        blow: { kind: "crash", when: "after" },
      },
    ],
  ),
  // Whoever chooses is killed before a window ends. Where it chose, launches are answered slowly, and others are left after the end.
  story(
    "a-window-ends-over-services",
    {
      ...SEVERAL,
      settings: AT_ONCE,
      offers: [{ ...NORTH, capacity: 1 }, SOUTH, WEST],
      noisyMs: 20 * MINUTE,
      fleets: inWindows(1, "UTC", [4, 5, 5]).map((fleet) => ({ ...fleet, select: true })),
    },
    [
      { at: 285, kind: "away", forMs: 120 * SECOND, service: "north" },
      ...during(125, 400, ["launch"], { kind: "slow", seconds: 26 }).map((each) => ({
        ...each,
        service: "south",
      })),
    ],
  ),
  story(
    "a-metric-over-services",
    {
      ...SEVERAL,
      noisyMs: 80 * MINUTE,
      fleets: byMetric(3, [
        [0, "4"],
        [5, "10"],
        [12, "fails"],
        [20, "99"],
        [40, "2"],
      ]).map((fleet) => ({ ...fleet, select: true })),
    },
    [
      { at: 420, kind: "kill", who: "agent" },
      soldOut(300, NORTH, 2),
      { at: 2_500, kind: "lose", provider: "north", now: true },
    ],
  ),
  story(
    "a-person-asks-over-services",
    {
      ...SEVERAL,
      noisyMs: 100 * MINUTE,
      settings: { ...AT_ONCE, billing: "perHour" },
      fleets: fleetOf(1, { isRanged: true, select: true }),
    },
    [
      { at: 300, kind: "ask", name: FLEET.name, gpus: 6, forMs: 10 * MINUTE },
      { at: 500, kind: "kill", who: "agent-south" },
      { at: 2_400, kind: "ask", name: FLEET.name, gpus: 0, forMs: 20 * MINUTE },
      { at: 5_000, kind: "ask", name: FLEET.name, gpus: 3, forMs: 30 * MINUTE },
    ],
  ),
  // Whoever dies between giving, taking and forgetting.
  ...Array.from({ length: 16 }, (_, skip) =>
    story("killed-while-portions-move", { ...SEVERAL, seed: `killed-while-portions-move ${skip}` }, [
      { at: 300, kind: "drainFleet", name: "fleet-a", drained: true, service: "north" },
      { at: 331, kind: "blow", who: "agent", on: "commit", skip, blow: { kind: "crash", when: "after" } },
    ]),
  ),
  // New machines first, then the old ones: each time one more than the count.
  story(
    "a-drain-with-surge",
    {
      ...SEVERAL,
      fleets: fleetOf(4, { select: true, surge: 1 }),
      staysLeft: true,
      launchesAtMost: 8,
      launchesAtLeast: 8,
      stopsAtMost: 4,
      noisyMs: 40 * MINUTE,
    },
    [leaves(300, "north")],
  ),
  // One of the old ones is being stopped by then: as many of the new ones take its place.
  story(
    "a-drain-taken-back",
    { ...SEVERAL, fleets: fleetOf(4, { select: true, surge: 2 }), noisyMs: 30 * MINUTE },
    [
      leaves(300, "north"),
      {
        at: 415,
        kind: "faults",
        target: "stop",
        chances: [{ fault: { kind: "ignore" }, probability: 1 }],
        service: "north",
      },
      leaves(440, "north", false),
      { at: 600, kind: "faults", target: "stop", chances: [], service: "north" },
    ],
  ),
  story("a-smaller-wish-with-overshoot", { ...SEVERAL, fleets: fleetOf(3, { select: true, overshoot: 1 }) }, [
    soldOut(0, NORTH),
    { at: 200, kind: "away", forMs: 20 * MINUTE, service: "north" },
    edit(400, 0),
  ]),
  // Whoever chooses stands still before it gives, goes on when the wish is another one, and dies at its next step.
  ...Array.from({ length: 2 }, (_, index) =>
    story("a-choice-that-is-old", { ...SEVERAL, seed: `a-choice-that-is-old ${index}`, stopsAtMost: 1 }, [
      soldOut(0, NORTH, 2),
      edit(425, 1),
      still(426, 1, 120_000),
      {
        at: 427,
        kind: "blow",
        who: "agent#",
        on: "commit",
        skip: 1,
        blow: { kind: "crash", when: "before" },
      },
      edit(460, 4),
    ]),
  ),
  // Or when another agent keeps its account.
  ...Array.from({ length: 3 }, (_, skip) =>
    story(
      "a-choice-after-the-lease",
      { ...SEVERAL, hasLeases: true, seed: `a-choice-after-the-lease ${skip}` },
      [
        { at: 60, kind: "secondAgent", forMs: 20 * MINUTE, service: "north" },
        soldOut(0, NORTH, 2),
        { ...interrupt(420), service: "south" },
        still(420, skip + 9, 40_000),
      ],
    ),
  ),
  story("lost-once-more-over-services", SEVERAL, [
    soldOut(0, NORTH, 2),
    { ...interrupt(420), service: "south" },
    { ...interrupt(900), service: "south" },
  ]),
  // By the work that they do those of the south are the cheapest, then the larger ones of the north.
  story(
    "cheapest-by-work-over-services",
    {
      ...SEVERAL,
      offers: [
        { ...NORTH, pricePerHour: "2.0000" },
        { ...NORTH, offer: "h200-1", gpuModel: "H200", pricePerHour: "2.6000" },
        { ...SOUTH, offer: "h200-1", gpuModel: "H200", pricePerHour: "2.5000", capacity: 1 },
        { ...WEST, pricePerHour: "2.2000" },
      ],
      fleets: fleetOf(3, { select: true, worth: { H100: "1", H200: "1.4" } }),
    },
    [],
  ),
  // Other combinations are allowed: each new machine first, as far as the surge goes.
  story("an-update-ahead", { ...UPDATED, launchesAtLeast: 4, launchesAtMost: 4, stopsAtMost: 2 }, [
    allow(300, SOUTH),
  ]),
  story(
    "an-update-behind",
    { ...UPDATED, fleets: updating(2, { surge: 0 }), launchesAtLeast: 4, launchesAtMost: 4, stopsAtMost: 2 },
    [allow(300, SOUTH)],
  ),
  story(
    "an-update-of-two-at-a-time",
    {
      ...UPDATED,
      fleets: updating(4, { surge: 4, update: { most: 2 } }),
      ...{ launchesAtLeast: 8, launchesAtMost: 8, stopsAtMost: 4 },
    },
    [allow(300, SOUTH)],
  ),
  // Without update what runs stays, and only a loss is replaced by what is allowed now.
  story(
    "another-wish-without-an-update",
    { ...UPDATED, fleets: fleetOf(2), launchesAtLeast: 3, launchesAtMost: 3, stopsAtMost: 0 },
    [allow(300, SOUTH), interrupt(900, 0)],
  ),
  // What is new fails as often as it is launched, until the update pauses.
  story(
    "an-update-whose-new-machine-fails",
    {
      ...UPDATED,
      fleets: updating(2, { update: { most: 1, within: "5m" } }),
      ...{ launchesAtMost: 7, noisyMs: 90 * MINUTE },
    },
    [allow(300, SOUTH), { at: 0, kind: "failNext", combination: SOUTH, code: "UNKNOWN", times: 99 }],
  ),
  // A person says that it goes on, once what was wrong is mended.
  story(
    "an-update-that-is-resumed",
    {
      ...UPDATED,
      fleets: updating(2, { update: { most: 1, within: "5m" } }),
      ...{ launchesAtLeast: 8, launchesAtMost: 8, stopsAtMost: 3, noisyMs: 90 * MINUTE },
    },
    [
      allow(300, SOUTH),
      { at: 0, kind: "failNext", combination: SOUTH, code: "UNKNOWN", times: 3 },
      { at: 2_400, kind: "pauseFleet", name: "fleet-a", paused: false },
    ],
  ),
  // The wish goes back while what is new starts, and when it runs.
  ...[310, 340, 450].map((at) =>
    story(
      "an-update-that-is-taken-back",
      {
        ...UPDATED,
        fleets: updating(2, { setupMs: 3 * MINUTE }),
        ...{ seed: `an-update-that-is-taken-back ${at}`, launchesAtMost: 3, stopsAtMost: 1 },
      },
      [allow(300, SOUTH), allow(at, NORTH)],
    ),
  ),
  story("a-machine-that-is-held-beside-an-update", { ...UPDATED, launchesAtMost: 4 }, [
    { at: 200, kind: "holdOne", pick: 0, forMs: 30 * MINUTE },
    allow(300, SOUTH),
  ]),
  // The one that goes, the other one, or what is new.
  ...[0, 1, 2].map((index) =>
    story(
      "a-loss-in-the-middle-of-an-update",
      {
        ...UPDATED,
        fleets: updating(2, { setupMs: 5 * MINUTE }),
        ...{ seed: `a-loss-in-the-middle-of-an-update ${index}`, noisyMs: 60 * MINUTE },
      },
      [allow(300, SOUTH), interrupt(325, index)],
    ),
  ),
  // Whoever dies in the middle leaves the update to the next agent, on this host or on the other one.
  ...Array.from({ length: 10 }, (_, skip) =>
    story(
      "killed-in-the-middle-of-an-update",
      {
        ...UPDATED,
        seed: `killed-in-the-middle-of-an-update ${skip}`,
        launchesAtLeast: 4,
        launchesAtMost: 4,
      },
      [
        allow(300, SOUTH),
        { at: 300, kind: "blow", who: "agent", on: "commit", skip, blow: { kind: "crash", when: "after" } },
      ],
    ),
  ),
  ...[310, 330, 350].map((at) =>
    story(
      "an-update-that-another-host-goes-on-with",
      {
        ...UPDATED,
        ...WITH_LEASES,
        seed: `an-update-that-another-host-goes-on-with ${at}`,
        launchesAtMost: 4,
      },
      [
        allow(300, SOUTH),
        { at: 60, kind: "secondAgent", forMs: 20 * MINUTE },
        { at, kind: "away", forMs: 15 * MINUTE },
      ],
    ),
  ),
  // What is cheap is lost every five minutes. Once that is sure, what is lost is replaced by what is dearer and stays, up to a price.
  ...(
    [
      ["2.9000", { launchesAtLeast: 5, launchesAtMost: 5 }],
      ["3.1000", { launchesAtLeast: 9, launchesAtMost: 9 }],
    ] as const
  ).map(([dearer, launches]) =>
    story(
      "steadier-than-the-cheapest",
      {
        ...{
          wire: "marker",
          seed: `steadier-than-the-cheapest ${dearer}`,
          noisyMs: 45 * MINUTE,
          ...launches,
        },
        offers: [
          { ...NORTH, capacity: 1 },
          { ...SOUTH, pricePerHour: dearer },
        ],
        fleets: fleetOf(2, { select: true, steadier: "20%" }),
      },
      every(300, 300, 2_400, (at) => ({ at, kind: "lose", provider: "north", now: true })),
    ),
  ),
  // What is too old goes near the end of its paid hour, one after the other, and goes on in the quiet after that.
  story(
    "too-old",
    {
      ...UPDATED,
      fleets: fleetOf(2, { surge: 1, maxAge: "30m" }),
      ...{ launchesAtLeast: 8, launchesAtMost: 8, stopsAtMost: 6, noisyMs: 75 * MINUTE },
    },
    [],
  ),
  story(
    "too-old-without-surge",
    {
      ...UPDATED,
      fleets: fleetOf(2, { maxAge: "30m" }),
      ...{ launchesAtLeast: 8, launchesAtMost: 8, stopsAtMost: 6, noisyMs: 75 * MINUTE },
    },
    [],
  ),
  // Right before the end of its paid hour another one would begin while what is new starts: it goes at the next end.
  story(
    "too-old-right-before-an-end",
    {
      ...UPDATED,
      fleets: fleetOf(2, { surge: 1, maxAge: "55m" }),
      ...{ launchesAtLeast: 4, launchesAtMost: 4, stopsAtMost: 2 },
    },
    [],
  ),
  // A life begins once all of it runs, and not anew with a loss, another size, a restart, or another name.
  story("a-life", { ...UPDATED, fleets: fleetOf(2, { life: "30m" }), noisyMs: 50 * MINUTE }, [
    soldOut(BEFORE, NORTH, 1),
    soldOut(600, NORTH, 8),
    interrupt(900),
    { at: 1_200, kind: "kill", who: "agent" },
    edit(1_500, 3),
    { at: 1_800, kind: "rename", name: "fleet-a", to: "fleet-b" },
  ]),
  // One that was removed, and is declared again, lives anew.
  story("a-life-anew", { ...UPDATED, fleets: fleetOf(2, { life: "30m" }), noisyMs: 45 * MINUTE }, [
    { at: 900, kind: "remove", name: "fleet-a" },
    { at: 1_200, kind: "declare", fleet: fleetOf(2, { life: "30m" })[0] as FleetSpec },
  ]),
  // A fleet that is whole or not at all moves as one. Where not all of it can be had elsewhere, what came goes, and nothing is tried again within a day.
  story(
    "a-gang-that-moves",
    {
      ...MOVING,
      fleets: moving(2, { surge: 2, allOrNothing: "10m" }),
      ...{ launchesAtLeast: 4, launchesAtMost: 4, stopsAtMost: 2 },
    },
    roomFrom(300),
  ),
  story(
    "a-gang-with-room-for-a-part",
    {
      ...MOVING,
      fleets: moving(2, { surge: 2, allOrNothing: "10m" }),
      ...{ launchesAtLeast: 4, launchesAtMost: 4, stopsAtMost: 1 },
    },
    [soldOut(BEFORE, NORTH), soldOut(300, NORTH, 1)],
  ),
  story(
    "a-gang-of-which-a-part-is-cheap",
    { ...MOVING, fleets: moving(2, { surge: 2, allOrNothing: "10m" }), stopsAtMost: 0 },
    [soldOut(BEFORE, NORTH, 1), soldOut(300, NORTH, 8)],
  ),
  // One of the old machines is lost while what is new is set up: of that one stays, and the other one goes.
  story(
    "a-loss-in-a-gang-that-moves",
    {
      ...MOVING,
      fleets: moving(2, { surge: 2, allOrNothing: "10m", setupMs: 3 * MINUTE }),
      ...{ launchesAtLeast: 4, launchesAtMost: 4, stopsAtMost: 1 },
    },
    [soldOut(BEFORE, NORTH), soldOut(400, NORTH, 8), interrupt(460)],
  ),
  // Two machines, one after the other: each new one first, as far as the surge goes.
  story("a-move-ahead", { ...MOVING, launchesAtLeast: 4, launchesAtMost: 4, stopsAtMost: 2 }, roomFrom(300)),
  story(
    "a-move-behind",
    { ...MOVING, fleets: moving(2, { surge: 0 }), launchesAtLeast: 4, launchesAtMost: 4, stopsAtMost: 2 },
    roomFrom(300),
  ),
  // Moves are a quarter of an hour apart.
  story(
    "moves-at-their-pace",
    {
      ...MOVING,
      fleets: moving(3, { surge: 2, improve: { saves: "10%", per: "15m", restart: "1m" } }),
      ...{ launchesAtLeast: 6, launchesAtMost: 6, noisyMs: 60 * MINUTE },
    },
    roomFrom(300),
  ),
  // A tenth is saved, and 50 minutes that are paid for would be lost: at the end of the hour it pays.
  story(
    "a-move-at-the-end-of-a-paid-hour",
    {
      wire: "marker",
      settings: { billing: "perHour" },
      offers: [NORTH, { ...SOUTH, pricePerHour: "2.8000" }],
      fleets: moving(1),
      ...{ launchesAtLeast: 2, launchesAtMost: 2, noisyMs: 80 * MINUTE },
    },
    roomFrom(600),
  ),
  // What is cheap comes right before the end of the hour: the next one would be paid for, too, until what is new runs.
  story(
    "a-move-too-late-for-a-paid-hour",
    {
      wire: "marker",
      settings: { billing: "perHour" },
      offers: [NORTH, { ...SOUTH, pricePerHour: "2.8000" }],
      fleets: moving(1, { setupMs: 3 * MINUTE }),
      ...{ launchesAtLeast: 2, launchesAtMost: 2, noisyMs: 130 * MINUTE },
    },
    roomFrom(3_540),
  ),
  // Its window opens 20 minutes later.
  story(
    "a-move-in-its-window",
    {
      ...MOVING,
      fleets: moving(1, { improve: { saves: "10%", per: "1m", fromMs: 25 * MINUTE } }),
      ...{ launchesAtLeast: 2, launchesAtMost: 2 },
    },
    roomFrom(300),
  ),
  story("a-move-for-too-little", { ...MOVING, offers: [NORTH, SOUTH], launchesAtMost: 2 }, roomFrom(300)),
  // What is new fails, as often as it is launched.
  story("a-move-whose-new-machine-fails", { ...MOVING, noisyMs: 60 * MINUTE }, [
    ...roomFrom(300),
    { at: 0, kind: "failNext", combination: NORTH, code: "UNKNOWN", times: 99 },
  ]),
  // The one that is left, the other one, or what is new.
  ...[0, 1, 2].map((index) =>
    story(
      "a-loss-in-the-middle-of-a-move",
      { ...MOVING, seed: `a-loss-in-the-middle-of-a-move ${index}`, noisyMs: 50 * MINUTE },
      [...roomFrom(300), interrupt(325, index)],
    ),
  ),
  // There is room for one of the two: it takes the place of one. The other one stays until there is room for it.
  story(
    "a-move-of-which-a-part-can-be-had",
    {
      ...MOVING,
      fleets: moving(2, { surge: 2 }),
      ...{ launchesAtLeast: 5, launchesAtMost: 5, stopsAtMost: 2, noisyMs: 50 * MINUTE },
    },
    [soldOut(BEFORE, NORTH), soldOut(300, NORTH, 1)],
  ),
  // Two are to be left, and another one is lost before what is new is ready: that takes its place, and one of theirs.
  story(
    "a-loss-beside-a-move-of-two",
    {
      ...MOVING,
      offers: [...MOVING.offers, WEST],
      fleets: moving(3, { surge: 2, setupMs: 6 * MINUTE }),
      ...{ launchesAtLeast: 6, launchesAtMost: 6, stopsAtMost: 2, noisyMs: 50 * MINUTE },
    },
    [
      ...[NORTH, SOUTH].map((offer) => soldOut(BEFORE, offer)),
      soldOut(BEFORE, WEST, 1),
      soldOut(120, WEST),
      soldOut(120, SOUTH, 2),
      soldOut(660, NORTH, 2),
      { at: 720, kind: "lose", provider: "west", now: true },
    ],
  ),
  story("a-machine-that-is-held-beside-a-move", { ...MOVING, noisyMs: 40 * MINUTE }, [
    ...roomFrom(300),
    { at: 200, kind: "holdOne", pick: 0, forMs: 30 * MINUTE },
  ]),
  // The launch fails until what was cheap is dear again.
  story("a-price-that-goes-back-in-the-middle", MOVING, [
    ...roomFrom(300),
    ...during(290, 400, ["launch"], { kind: "errorBefore", status: 500 }),
    price(340, NORTH, "3.9000"),
  ]),
  // Whoever dies in the middle leaves the move to the next agent, on this host or on the other one.
  ...Array.from({ length: 12 }, (_, skip) =>
    story(
      "killed-in-the-middle-of-a-move",
      { ...MOVING, seed: `killed-in-the-middle-of-a-move ${skip}`, launchesAtLeast: 4, launchesAtMost: 4 },
      [
        ...roomFrom(300),
        { at: 300, kind: "blow", who: "agent", on: "commit", skip, blow: { kind: "crash", when: "after" } },
      ],
    ),
  ),
  ...[310, 330, 350].map((at) =>
    story(
      "a-move-that-another-host-goes-on-with",
      { ...MOVING, ...WITH_LEASES, seed: `a-move-that-another-host-goes-on-with ${at}`, launchesAtMost: 4 },
      [
        ...roomFrom(300),
        { at: 60, kind: "secondAgent", forMs: 20 * MINUTE },
        { at, kind: "away", forMs: 15 * MINUTE },
      ],
    ),
  ),
  // What came with a move stays for six hours, though another one gets cheaper still.
  story(
    "what-came-with-a-move-stays",
    { ...MOVING, offers: [...MOVING.offers, WEST], launchesAtLeast: 6, noisyMs: 8 * HOUR },
    [...roomFrom(300), price(3_600, WEST, "1.5000")],
  ),
  // Two days. One machine is lost where only the dearest is to be had. What was left first costs what it did: it is taken again a day later.
  story(
    "two-days-of-moves",
    {
      ...MOVING,
      offers: [...MOVING.offers, { ...WEST, pricePerHour: "6.0000" }],
      ...{ launchesAtLeast: 7, launchesAtMost: 7, noisyMs: 48 * HOUR },
    },
    [
      ...roomFrom(300),
      soldOut(4 * 3_600, NORTH),
      soldOut(4 * 3_600, SOUTH),
      interrupt(4 * 3_600 + 60),
      soldOut(5 * 3_600, SOUTH, 8),
    ],
  ),
];

/** The scenarios of this name: several if the story depends on the moment. */
export function directed(name: string): readonly Scenario[] {
  const found = STORIES.filter((each) => each.name === name);
  if (found.length === 0) throw new Error(`there is no directed scenario ${name}`);
  return found;
}

export const DIRECTED_NAMES: readonly string[] = [...new Set(STORIES.map(({ name }) => name))];
