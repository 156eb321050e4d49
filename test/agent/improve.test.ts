import { expect, test } from "vitest";
import { lowerCount } from "../../agent/fleet/size/lowered-count.ts";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { parseWish } from "../../agent/fleet/wish/wish.ts";
import { storeCheck } from "../../agent/planning/machines/readiness.ts";
import { leftInPart } from "../../agent/planning/moves/in-part.ts";
import type { Situation } from "../../agent/planning/moves/move.ts";
import { preview } from "../../agent/reconcile/preview.ts";
import { contextOf } from "../../launch/keeper.ts";
import { HOUR_MS } from "../../ledger/instant.ts";
import type { CatalogueOffer } from "../../simulator/index.ts";
import { H100, H100_SINGLE, H100_SOUTH, type Stage, type StageOptions } from "../support/stage.ts";
import { draftOf, MINUTE, nextAgent, onStage, reasonsOf, watch } from "./on-stage.ts";

const NORTH: CatalogueOffer = { ...H100, pricePerHour: "12.0000" };
const SOUTH: CatalogueOffer = { ...H100_SOUTH, pricePerHour: "20.0000" };

const WISH = {
  gpus: 16,
  surge: 8,
  select: { gpuModel: "H100" },
  improve: { saves: "10%" },
} satisfies WishInput;

const places = (on: Stage): readonly string[] => on.alive().map(({ place }) => place);

/** Two machines in the south, as the north was sold out; by now it has room. */
async function inTheSouth(
  wish: WishInput = WISH,
  offers = [NORTH, SOUTH],
  alter?: StageOptions["alter"],
): Promise<Stage> {
  const on = await onStage({ offers, settings: { emptyBalance: "owe" }, alter });
  on.simulator.control.setCapacity(NORTH, 0);
  await on.declare({ training: wish });
  on.start();
  await on.clock.advance(20 * MINUTE);
  expect(places(on)).toEqual(["south/rome", "south/rome"]);
  on.simulator.control.setCapacity(NORTH, 8);
  return on;
}

test("dear machines are left for cheap ones, one after the other, new ones first, at the end of their paid hours", async () => {
  const on = await inTheSouth();
  const begun = on.clock.now();
  const seen = await watch(on, 20);
  expect(places(on)).toEqual(["south/rome", "south/rome"]);
  await watch(on, 6 * 60, seen);
  expect(places(on)).toEqual(["north/oslo", "north/oslo"]);
  expect(seen).toEqual({ most: 24, fewest: 16 });
  const [first = 0, second = 0, ...more] = on.simulator
    .truth()
    .launches.filter(({ at, outcome }) => at > begun && outcome.kind !== "refused")
    .map(({ at }) => at);
  expect(more).toEqual([]);
  expect(second - first).toBeGreaterThanOrEqual(HOUR_MS);
});

test("an all-or-nothing fleet moves as a whole, near the end of its paid hours, and not where only a part of it fits elsewhere", async () => {
  const wish = { ...WISH, surge: 16, allOrNothing: { within: "20m" } };
  const on = await inTheSouth(wish);
  const seen = await watch(on, 20);
  expect(places(on)).toEqual(["south/rome", "south/rome"]);
  await watch(on, 60, seen);
  expect(places(on)).toEqual(["north/oslo", "north/oslo"]);
  expect(seen).toEqual({ most: 32, fewest: 16 });
  expect(on.launches()).toBe(4);
  const other = await inTheSouth(wish, [{ ...NORTH, capacity: 1 }, SOUTH]);
  other.simulator.control.setCapacity(NORTH, 1);
  await other.clock.advance(4 * HOUR_MS);
  expect(places(other)).toEqual(["south/rome", "south/rome"]);
});

test("plan says what moves, before it does", async () => {
  const on = await inTheSouth();
  await on.stop();
  await on.clock.advance(30 * MINUTE);
  const { plans } = await preview(on.keeper, undefined, AbortSignal.timeout(10_000));
  const [old] = on.alive();
  expect(plans[0]?.launches.map(({ option }) => option.provider)).toEqual(["north"]);
  expect(plans[0]?.launches[0]?.why).toBe(
    `h100-8 @ north/oslo saves 8.00 USD an hour in the place of ${old?.id}`,
  );
});

test("moves begin only in their windows, and it is said when the next one begins", async () => {
  const within = { timeZone: "UTC", entries: [{ from: "05:00", to: "23:00" }] };
  const on = await inTheSouth({ ...WISH, improve: { saves: "10%", within } });
  await on.clock.advance(4 * HOUR_MS);
  expect(places(on)).toEqual(["south/rome", "south/rome"]);
  expect(reasonsOf(on)).toMatch(
    /^improve: .* saves 8.00 USD .*, and moves begin from 2030-01-01 05:00 on \(UTC\)$/m,
  );
  await on.clock.advance(4 * HOUR_MS);
  expect(places(on)).toEqual(["north/oslo", "north/oslo"]);
});

test("at constant prices nothing moves any more", async () => {
  const on = await inTheSouth();
  await on.clock.advance(6 * HOUR_MS);
  const launches = on.launches();
  await on.clock.advance(8 * HOUR_MS);
  expect(places(on)).toEqual(["north/oslo", "north/oslo"]);
  expect(on.launches()).toBe(launches);
});

test("without surge the old ones go first, and never more GPUs are paid for than asked for", async () => {
  const on = await inTheSouth({ ...WISH, surge: 0 });
  const seen = await watch(on, 6 * 60);
  expect(places(on)).toEqual(["north/oslo", "north/oslo"]);
  expect(seen).toEqual({ most: 16, fewest: 8 });
});

test("nothing moves for less than it has to save, and nothing without improve", async () => {
  const { improve: _, ...without } = WISH;
  for (const wish of [
    { ...WISH, improve: { saves: "41%" } },
    { ...WISH, improve: { saves: 8.5 } },
    without,
  ]) {
    const on = await inTheSouth(wish);
    // Two ends of paid hours, and more.
    await on.clock.advance(3 * HOUR_MS);
    expect(places(on)).toEqual(["south/rome", "south/rome"]);
  }
});

test("a new machine that fails leaves the old one, and the pace of moves holds for what was given up", async () => {
  const on = await inTheSouth();
  on.simulator.control.failNext(NORTH, {}, { times: 99 });
  const seen = await watch(on, 5 * 60);
  expect(seen.fewest).toBe(16);
  expect(places(on).filter((place) => place === "south/rome")).toHaveLength(2);
  expect(on.simulator.truth().machines.length).toBeLessThan(8);
});

test("several small machines are left for a large one", async () => {
  const single = { ...H100_SINGLE, pricePerHour: "2.5000" };
  const on = await onStage({ offers: [NORTH, single], settings: { emptyBalance: "owe" } });
  on.simulator.control.setCapacity(NORTH, 0);
  await on.declare({ training: { ...WISH, gpus: 8 } });
  on.start();
  await on.clock.advance(20 * MINUTE);
  expect(on.alive()).toHaveLength(8);
  on.simulator.control.setCapacity(NORTH, 8);
  const seen = await watch(on, 3 * 60);
  expect(on.alive().map(({ gpus }) => gpus)).toEqual([8]);
  expect(seen).toEqual({ most: 16, fewest: 8 });
});

test("what a person holds is not left", async () => {
  const on = await inTheSouth();
  const [held] = on.alive();
  await on.keeper.ledger.decide(on.keeper.account, (draft) => {
    const row = draft.deployments.ever(held?.id ?? "");
    if (row) draft.putDeployment({ ...row, hold: { until: on.clock.now() + 100 * HOUR_MS, why: "a demo" } });
  });
  await on.clock.advance(8 * HOUR_MS);
  expect(places(on)).toEqual(["south/rome", "north/oslo"]);
  expect(on.alive()[0]?.id).toBe(held?.id);
});

test("what was left is not taken again for a day at the price at which it was left, and is at a lower one", async () => {
  const east = { ...H100, offer: "h100-8-east", provider: "east", location: "riga", pricePerHour: "30.0000" };
  const on = await inTheSouth(WISH, [NORTH, SOUTH, east]);
  const { control } = on.simulator;
  await on.clock.advance(4 * HOUR_MS);
  expect(places(on)).toEqual(["north/oslo", "north/oslo"]);
  for (const offer of [NORTH, SOUTH]) control.setCapacity(offer, 0);
  control.interrupt(on.alive()[0]?.id ?? "");
  await on.clock.advance(HOUR_MS);
  expect(places(on)).toEqual(["north/oslo", "east/riga"]);
  control.setCapacity(SOUTH, 8);
  await on.clock.advance(8 * HOUR_MS);
  expect(places(on)).toEqual(["north/oslo", "east/riga"]);
  control.setPrice(SOUTH, "19.0000");
  await on.clock.advance(2 * HOUR_MS);
  expect(places(on)).toEqual(["north/oslo", "south/rome"]);
});

test("a machine that is lost in the middle of a move ends it: what is new takes its place", async () => {
  const on = await inTheSouth();
  await untilAhead(on);
  const [lost] = on.alive();
  on.simulator.control.interrupt(lost?.id ?? "");
  const { most } = await watch(on, 30);
  expect(most).toBe(24);
  await on.clock.advance(6 * HOUR_MS);
  expect(places(on)).toEqual(["north/oslo", "north/oslo"]);
});

test("another machine that is lost in the middle of a move ends it, too: the old one stays", async () => {
  const on = await inTheSouth();
  await untilAhead(on);
  const left = (await draftOf(on)).fleets.get("training")?.improving?.left.map(({ id }) => id) ?? [];
  await on.clock.advance(MINUTE / 2);
  const other = on.alive().find(({ id, place }) => place === "south/rome" && !left.includes(id));
  on.simulator.control.interrupt(other?.id ?? "", { now: true });
  await watch(on, 20);
  expect(places(on)).toEqual(["south/rome", "north/oslo"]);
  expect(on.alive()[0]?.id).toBe(left[0]);
});

test("of a move of which a part can be had the dearest goes for what came, and not what is nearer to its paid end", async () => {
  const { on, cheap } = await oneCheapTwoDear();
  on.simulator.control.setCapacity(NORTH, 1);
  const seen = await watch(on, 90);
  expect(places(on)).toEqual(["east/riga", "south/rome", "north/oslo"]);
  expect(on.alive()[0]?.id).toBe(cheap);
  expect(seen.fewest).toBe(24);
  const [move] = (await draftOf(on)).fleets.get("training")?.improved ?? [];
  expect(move?.left.map(({ location }) => location)).toEqual(["rome"]);
});

test("what came and has no known price takes the place of none that works", async () => {
  const { on } = await oneCheapTwoDear();
  on.simulator.control.setCapacity(NORTH, 8);
  await untilAhead(on);
  await on.clock.advance(MINUTE);
  const draft = await draftOf(on);
  const { improving, wish } = draft.fleets.get("training") ?? {};
  if (!improving) throw new Error("no move is under way");
  const living = [...draft.deployments.of("life", "living")];
  const isOld = ({ id }: { readonly id: string }) => improving.left.some((each) => each.id === id);
  const came = living.filter((row) => row.location === NORTH.location);
  const of = { draft, wish: parseWish(wish ?? {}), context: contextOf(on.keeper) } as unknown as Situation;
  const left = (pricePerHour: string | null) =>
    leftInPart(
      of,
      improving,
      living.filter(isOld),
      came.map((row) => ({ ...row, pricePerHour })),
      24,
    );
  expect(left("16.0000")).not.toEqual([]);
  expect(left(null)).toEqual([]);
});

test("what came of a move and would replace nothing goes before it runs, and is paid for", async () => {
  const single = { ...H100_SINGLE, pricePerHour: "1.0000" };
  const on = await onStage({ offers: [SOUTH, single], settings: { emptyBalance: "owe" } });
  on.simulator.control.setCapacity(single, 0);
  await on.declare({ training: { ...WISH, gpus: 8 } });
  on.start();
  await on.clock.advance(20 * MINUTE);
  on.simulator.control.setCapacity(single, 4);
  await watch(on, 90);
  expect(places(on)).toEqual(["south/rome"]);
  const small = on.simulator.truth().machines.filter(({ gpus }) => gpus === 1);
  expect(small.length).toBeGreaterThan(0);
  expect(small.filter(({ states }) => states.some(({ state }) => state === "running"))).toEqual([]);
});

test("where one is lost in the middle of a move, what came takes its place and that of the dearest", async () => {
  const { on, cheap } = await oneCheapTwoDear();
  on.simulator.control.setCapacity(NORTH, 8);
  await untilAhead(on);
  await on.clock.advance(MINUTE / 2);
  on.simulator.control.setCapacity(NORTH, 0);
  on.simulator.control.interrupt(cheap, { now: true });
  const seen = await watch(on, 20);
  expect(places(on)).toEqual(["south/rome", "north/oslo", "north/oslo"]);
  expect(seen).toEqual({ most: 32, fewest: 16 });
});

test("what is not ready in time goes, and not what works", async () => {
  const on = await inTheSouth({
    ...WISH,
    ready: { address: "host", tcp: 22, within: "35m" },
    improve: { saves: "10%", per: "3h" },
  });
  const works = on.alive().map(({ id }) => id);
  await on.keeper.ledger.decide(on.keeper.account, (draft) => {
    for (const id of works) storeCheck(draft, id, { kind: "good" }, contextOf(on.keeper));
  });
  await untilAhead(on);
  const { most } = await watch(on, 75);
  expect(most).toBe(24);
  expect(on.alive().map(({ id }) => id)).toEqual(works);
});

test("a limit that does not pay for the new machine keeps the old one, surge or not", async () => {
  for (const surge of [0, 8]) {
    const on = await inTheSouth({ ...WISH, surge, budget: { perDay: "49" } });
    await on.clock.advance(38 * MINUTE);
    expect(reasonsOf(on)).toMatch(
      /^improve: .* saves 8.00 USD .*, but the budget does not pay for what is new$/m,
    );
    await on.clock.advance(3 * HOUR_MS);
    expect(places(on)).toEqual(["south/rome", "south/rome"]);
  }
});

test("no machine is left whose loss would be churn: it goes once it is no longer young", async () => {
  const on = await inTheSouth({ ...WISH, budget: { churn: "10" } });
  await on.clock.advance(38 * MINUTE);
  expect(reasonsOf(on)).toMatch(/^improve: .*, but with that too much would be lost .*\(churn\)$/m);
  expect(places(on)).toEqual(["south/rome", "south/rome"]);
  await on.clock.advance(4 * HOUR_MS);
  expect(places(on)).toEqual(["north/oslo", "north/oslo"]);
});

test("where records show no price, a machine costs what its launch expected", async () => {
  const alter = (profile: string): string => profile.replace(/^ +pricePerHour: .*\n/m, "");
  const on = await inTheSouth(WISH, [NORTH, SOUTH], alter);
  const [record] = (await on.keeper.service.deployments(AbortSignal.timeout(10_000))) ?? [];
  expect(record).toMatchObject({ provider: "south" });
  expect(record).not.toHaveProperty("pricePerHour");
  await on.clock.advance(6 * HOUR_MS);
  expect(places(on)).toEqual(["north/oslo", "north/oslo"]);
});

test.each(["float", "asLaunched"] as const)(
  "where the prices of what runs %s, its record says what it costs now, and that is what a move saves",
  async (runningPrices) => {
    const on = await onStage({
      offers: [NORTH, SOUTH],
      settings: { emptyBalance: "owe", runningPrices },
    });
    await on.declare({ training: { ...WISH, budget: { perHour: "1000" } } });
    on.start();
    await on.clock.advance(20 * MINUTE);
    on.simulator.control.setPrice(NORTH, "30.0000");
    await on.clock.advance(6 * HOUR_MS);
    const place = runningPrices === "float" ? "south/rome" : "north/oslo";
    expect(places(on)).toEqual([place, place]);
    on.simulator.control.interrupt(on.alive()[0]?.id ?? "");
    await on.clock.advance(20 * MINUTE);
    expect(places(on)).toHaveLength(2);
  },
);

test("beside a floor of the balance machines move, too, as it is read for that", async () => {
  const on = await inTheSouth({ ...WISH, budget: { floor: "10" } });
  await on.clock.advance(4 * HOUR_MS);
  expect(places(on)).toEqual(["north/oslo", "north/oslo"]);
});

test("nothing moves where the fleet ends within the time in which that has to pay", async () => {
  const on = await onStage({ offers: [NORTH, SOUTH], settings: { emptyBalance: "owe" } });
  on.simulator.control.setCapacity(NORTH, 0);
  await on.declare({ training: { ...WISH, until: new Date(on.clock.now() + 6.5 * HOUR_MS).toISOString() } });
  on.start();
  await on.clock.advance(HOUR_MS);
  on.simulator.control.setCapacity(NORTH, 8);
  await on.clock.advance(4 * HOUR_MS);
  expect(places(on)).toEqual(["south/rome", "south/rome"]);
});

test("a fleet that wants less in the middle of a move ends it, and has no more than that", async () => {
  const on = await inTheSouth();
  await untilAhead(on);
  await on.keeper.ledger.decide(on.keeper.account, (draft) =>
    lowerCount(draft, "training", 8, contextOf(on.keeper)),
  );
  await on.clock.advance(5 * MINUTE);
  expect(on.alive().filter(({ state }) => state !== "stopping")).toHaveLength(1);
});

test("what became dearer before it could be launched is not launched for a move", async () => {
  const on = await inTheSouth();
  on.simulator.control.faults.chance("launch", [
    { fault: { kind: "errorBefore", status: 500 }, probability: 1 },
  ]);
  await untilAhead(on);
  on.simulator.control.setPrice(NORTH, "19.0000");
  on.simulator.control.faults.clear();
  await on.clock.advance(8 * HOUR_MS);
  expect(places(on)).toEqual(["south/rome", "south/rome"]);
});

test("limits that do not pay for both let the old ones go first", async () => {
  const on = await inTheSouth({ ...WISH, budget: { perHour: "43" } });
  const seen = await watch(on, 6 * 60);
  expect(places(on)).toEqual(["north/oslo", "north/oslo"]);
  expect(seen).toEqual({ most: 16, fewest: 8 });
});

test("an agent that dies in the middle of a move leaves it to the next one", async () => {
  const on = await inTheSouth();
  await untilAhead(on);
  await on.stop();
  await on.clock.advance(5 * MINUTE);
  const { stop } = nextAgent(on);
  const seen = await watch(on, 6 * 60);
  await stop();
  expect(places(on)).toEqual(["north/oslo", "north/oslo"]);
  expect(seen).toEqual({ most: 24, fewest: 16 });
});

/** A cheap machine that is nearer to the end of its paid hour than two dear ones, which may be left for others together. */
async function oneCheapTwoDear(): Promise<{ readonly on: Stage; readonly cheap: string }> {
  const east = { ...H100, offer: "h100-8-east", provider: "east", location: "riga", pricePerHour: "11.0000" };
  const on = await onStage({ offers: [NORTH, SOUTH, east], settings: { emptyBalance: "owe" } });
  const { control } = on.simulator;
  control.setCapacity(NORTH, 0);
  control.setCapacity(SOUTH, 0);
  control.setCapacity(east, 1);
  await on.declare({ training: { ...WISH, gpus: 24, surge: 16 } });
  on.start();
  await on.clock.advance(6 * MINUTE);
  control.setCapacity(east, 0);
  control.setCapacity(SOUTH, 2);
  await on.clock.advance(14 * MINUTE);
  expect(places(on)).toEqual(["east/riga", "south/rome", "south/rome"]);
  return { on, cheap: on.alive()[0]?.id ?? "" };
}

/** Until the first move has begun. */
async function untilAhead(on: Stage): Promise<void> {
  for (let at = 0; at < 60 * 6; at++) {
    await on.clock.advance(MINUTE / 6);
    if ((await draftOf(on)).fleets.get("training")?.improving) return;
  }
  throw new Error("no move has begun");
}
