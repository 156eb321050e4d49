import type { Combination } from "../../service/contract/contract.ts";
import type { FleetSpec, Moment, Scenario } from "../scenario/scenario.ts";
import {
  BEFORE,
  during,
  fleetOf,
  HOUR,
  interrupt,
  MINUTE,
  NORTH,
  PAIR,
  SOUTH,
  soldOut,
  story,
  WEST,
  WITH_LEASES,
} from "./moments.ts";

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

/** Cheaper machines for dear ones, and another size for a hole. */
export const MOVES: readonly Scenario[] = [
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
