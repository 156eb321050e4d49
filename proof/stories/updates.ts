import type { FleetSpec, Scenario } from "../scenario/scenario.ts";
import {
  allow,
  BEFORE,
  edit,
  every,
  fleetOf,
  interrupt,
  MINUTE,
  NORTH,
  SOUTH,
  soldOut,
  story,
  UPDATED,
  updating,
  WITH_LEASES,
} from "./moments.ts";

/** Another wish for what runs: updates, machines that are too old, a life; and steadier places. */
export const UPDATES: readonly Scenario[] = [
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
];
