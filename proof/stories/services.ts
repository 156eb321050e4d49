import { FLEET } from "../scenario/plain.ts";
import type { Moment, Scenario } from "../scenario/scenario.ts";
import {
  AT_ONCE,
  byMetric,
  during,
  edit,
  fleetOf,
  interrupt,
  inWindows,
  lagging,
  lost,
  MINUTE,
  NORTH,
  OTHER_HOST,
  SECOND,
  SOUTH,
  soldOut,
  story,
  WEST,
} from "./moments.ts";

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

/** `fleetkeeper services drain`, or that is taken back. */
function leaves(at: number, service: string, isLeft = true): Moment {
  return { at, kind: "leaveService", name: "fleet-a", leaves: isLeft, service };
}

/** The agent of the first service stands still before a commit: so many others come first. */
function still(at: number, skip: number, ms: number): Moment {
  return { at, kind: "blow", who: "agent#", on: "commit", skip, blow: { kind: "pause", ms } };
}

/** One fleet over several services. */
export const SERVICES: readonly Scenario[] = [
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
];
