import { FLEET } from "../scenario/plain.ts";
import type { FleetSpec, Scenario } from "../scenario/scenario.ts";
import {
  AT_ONCE,
  edit,
  FLEET_B,
  fleetOf,
  interrupt,
  MINUTE,
  NORTH,
  PAIR,
  SOUTH,
  story,
  WEST,
} from "./moments.ts";

const OF_A_TEAM: FleetSpec = { ...FLEET, gpus: 1, team: "vision" };

/** Prices, limits and balances. */
export const MONEY: readonly Scenario[] = [
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
  // What is left is a tenth dearer than usual. The agent dies while all run, and while it waits.
  story(
    "patience-without-a-price",
    {
      wire: "marker",
      offers: [SOUTH, WEST],
      fleets: fleetOf(2, { select: true, patience: { above: "10%", forMs: 20 * MINUTE } }),
      noisyMs: 50 * MINUTE,
      launchesAtMost: 3,
      launchesAtLeast: 3,
    },
    [
      { at: 700, kind: "capacity", combination: SOUTH, capacity: 0 },
      { at: 800, kind: "kill", who: "agent" },
      interrupt(900),
      { at: 1500, kind: "kill", who: "agent" },
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
];
