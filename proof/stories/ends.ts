import type { SettingsInput } from "../../simulator/index.ts";
import type { Moment, Scenario } from "../scenario/scenario.ts";
import {
  AT_ONCE,
  BEFORE,
  dropped,
  during,
  edit,
  every,
  fleetOf,
  interrupt,
  lagging,
  late,
  losing,
  MINUTE,
  meets,
  NORTH,
  PAIR,
  run,
  SECOND,
  STOPS_SLOWLY,
  story,
  WEB0,
} from "./moments.ts";

/** The service halts one of the machines that live, and bills it on. */
function halts(at: number, pick = 0): Moment {
  return { at, kind: "haltOne", pick };
}

const HALTING: Partial<Scenario> = {
  halting: "rightly",
  settings: { stoppingSeconds: [200, 200] },
  noisyMs: 20 * MINUTE,
};

const NEVER_STOPS: SettingsInput = { stoppingSeconds: [100_000, 100_000] };

/** Stops, ends and states that nobody knows; ids that are given anew. */
export const ENDS: readonly Scenario[] = [
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
  story("down-and-up-again", { settings: STOPS_SLOWLY }, [edit(200, 0), edit(230, 1)]),
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
  story("down-while-unknown", { fleets: fleetOf(2) }, [...losing(190, 570), interrupt(200), edit(560, 1)]),
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
];
