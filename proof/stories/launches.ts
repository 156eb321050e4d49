import { atCloud, BY_TOKEN, NAMELESS } from "../scenario/clouds.ts";
import { FLEET } from "../scenario/plain.ts";
import type { Moment, Scenario } from "../scenario/scenario.ts";
import { LAUNCH_EVERY_S } from "../scenario/wires.ts";
import {
  BEFORE,
  cools,
  dropped,
  during,
  edit,
  every,
  FLEET_B,
  FORGETFUL,
  fleetOf,
  hand,
  interrupt,
  lack,
  lagging,
  late,
  lost,
  MINUTE,
  meets,
  NORTH,
  PAIR,
  pause,
  run,
  SOUTH,
  slow,
  story,
  TENURES,
  tick,
  WEB0,
} from "./moments.ts";

/** A service whose errors may have made a machine, and which refuses launches that come too fast. */
const AGGREGATOR = {
  aggregator: "byStatus",
  settings: { launchEverySeconds: LAUNCH_EVERY_S },
} as const;

function take(at: number): Moment {
  return { at, kind: "take" };
}

/** How a launch is answered: not, late, by a refusal or by what nobody understands; and where there is room for it. */
export const LAUNCHES: readonly Scenario[] = [
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
  story("seen-before-its-answer", {}, [slow(0, 150), take(60)]),
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
];
