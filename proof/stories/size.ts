import { FLEET } from "../scenario/plain.ts";
import type { Moment, Scenario } from "../scenario/scenario.ts";
import {
  AT_ONCE,
  allow,
  BEFORE,
  byMetric,
  during,
  edit,
  every,
  fleetOf,
  HOUR,
  interrupt,
  inWindows,
  MINUTE,
  NORTH,
  OTHER_HOST,
  SECOND,
  SOUTH,
  story,
  UPDATED,
  updating,
  WEST,
} from "./moments.ts";

/** A size in time: windows, a buffer, a metric, work by a deadline; and a clock that is set back. */
export const SIZE: readonly Scenario[] = [
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
];
