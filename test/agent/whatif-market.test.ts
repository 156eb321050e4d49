import { expect, test } from "vitest";
import { wishSchema } from "../../agent/fleet/wish/wish.ts";
import { seenMarket } from "../../agent/whatif/history-tape.ts";
import { lossesBy } from "../../agent/whatif/losses.ts";
import { playable } from "../../agent/whatif/playable.ts";
import { costOf } from "../../agent/whatif/runs.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../ledger/instant.ts";
import type { MarketHistory, OfferHistory } from "../../ledger/market-history.ts";
import { combinationKey } from "../../service/contract/contract.ts";

const FROM = 20_000 * DAY_MS;
const OFFER: OfferHistory = {
  ...{ offer: "h100-x8", provider: "north", location: "oslo", gpus: 8, gpuModel: "H100" },
  changes: [{ at: FROM, price: "16.0000", room: 2 }],
  refused: [],
};
const KEY = combinationKey(OFFER);

const seen = (
  offers: readonly OfferHistory[],
  held: Parameters<typeof seenMarket>[1] = [],
  looked = [[FROM, FROM + 2 * DAY_MS]],
) =>
  seenMarket(
    { looked: looked as unknown as MarketHistory["looked"], offers },
    held,
    FROM,
    FROM + 2 * DAY_MS,
    "a ledger",
  );

const rooms = ({ tape }: ReturnType<typeof seen>) =>
  tape.events.filter(([, kind]) => kind === "c").map(([at, , , room]) => [at / HOUR_MS, room]);

test("what this ledger held itself was there to be had, beside what others were offered", () => {
  const held = [
    [KEY, 20_000, { ms: 3 * DAY_MS }],
    [KEY, 20_001, { ms: DAY_MS / 4 }],
  ] as const;
  expect(rooms(seen([OFFER], held))).toEqual([
    [0, 5],
    [24, 2],
  ]);
});

test("where no count is shown some room is assumed, and none for ten minutes after a refusal; what is sold out has none", () => {
  const uncounted = {
    ...OFFER,
    changes: [{ at: FROM, price: "16.0000", room: null }],
    refused: [{ at: FROM + HOUR_MS, seconds: 60 }],
  };
  const market = seen([uncounted]);
  expect(market.uncounted).toBe(1);
  expect(rooms(market)).toEqual([
    [0, 4],
    [1, 0],
    [1 + 10 / 60, 4],
  ]);
  const over = { ...OFFER, changes: [...OFFER.changes, { at: FROM + HOUR_MS, price: null, room: 0 }] };
  expect(rooms(seen([over]))).toEqual([
    [0, 2],
    [1, 0],
  ]);
});

test("an unknown price is none: such an offer is left out, and counted; a gap is what nobody looked at", () => {
  const unpriced = { ...OFFER, offer: "h100-x1", changes: [{ at: FROM, price: null, room: 5 }] };
  const looked = [
    [FROM, FROM + DAY_MS],
    [FROM + DAY_MS + 6 * HOUR_MS, FROM + 2 * DAY_MS],
  ];
  const market = seen([OFFER, unpriced], [], looked);
  expect(market.tape.offers.map(({ offer }) => offer)).toEqual(["h100-x8"]);
  expect(market).toMatchObject({ unpriced: 1, gaps: { count: 1, hours: 6 } });
});

test("what is billed of a machine that was stopped, of one that was lost, and of one that is there at the end", () => {
  const { tape } = seen([{ ...OFFER, changes: [{ at: FROM, price: "16.0000", room: 2 }] }]);
  const run = (minutes: number, lost = false) => {
    const from = 2 * DAY_MS - 2 * HOUR_MS;
    return { owner: null, offer: 0, gpus: 8, from, to: from + minutes * MINUTE_MS, lost };
  };
  const billed = (billing?: Parameters<typeof costOf>[2]) =>
    [run(15), run(75), run(15, true), run(120)].map((each) => costOf(tape, [each], billing));
  expect(billed()).toEqual([16, 20, 4, 32]);
  const minutes = { unit: MINUTE_MS, minimum: 30 * MINUTE_MS, reserved: 0 };
  expect(billed({ billing: minutes })).toEqual([8, 20, 8, 32]);
  const hours = { unit: HOUR_MS, minimum: HOUR_MS, reserved: 0 };
  expect(billed({ billing: hours })).toEqual([16, 32, 16, 32]);
});

const stays = (losses: number, machineDays: number) => ({
  launches: 1,
  failures: 0,
  losses,
  ms: machineDays * DAY_MS,
  toRun: [],
});

/** Events a machine-day, over many plays. */
function rateOf(known: ReadonlyMap<string, ReturnType<typeof stays>>, index: number): number {
  const { tape } = seen([OFFER, { ...OFFER, offer: "other" }]);
  const losses = lossesBy(known, { ...tape, days: 50 }, 8);
  const plays = 300;
  const all = Array.from({ length: plays }, (_, seed) => losses?.events(seed) ?? []).flat();
  return all.filter(([, kind, offer]) => kind === "k" && offer === index).length / plays / 50;
}

test("losses come as often as this ledger saw them there; where it never was, as often as everywhere; with no machine, never", () => {
  const often = new Map([[KEY, stays(40, 100)]]);
  expect(rateOf(often, 0)).toBeGreaterThan(0.37);
  expect(rateOf(often, 0)).toBeLessThan(0.44);
  expect(rateOf(often, 1)).toBeGreaterThan(0.3);
  expect(rateOf(often, 1)).toBeLessThan(0.5);
  expect(lossesBy(often, seen([OFFER]).tape, 8)).toMatchObject({
    losses: 40,
    machineDays: 100,
    neverRented: 0,
  });
  // A place with little of its own: a tenth of a day without a loss is not ten losses a day.
  const other = combinationKey({ ...OFFER, offer: "other" });
  const little = new Map([
    [KEY, stays(1, 100)],
    [other, stays(0, 0.1)],
  ]);
  expect(rateOf(little, 1)).toBeLessThan(0.05);
  expect(lossesBy(new Map(), seen([OFFER]).tape, 8)).toBeUndefined();
});

test("each play has losses of its own, and the same seed has the same", () => {
  const known = new Map([[KEY, stays(40, 100)]]);
  const losses = lossesBy(known, { ...seen([OFFER]).tape, days: 50 }, 8);
  expect(losses?.events(1)).toEqual(losses?.events(1));
  expect(losses?.events(1)).not.toEqual(losses?.events(2));
  const moments = losses?.events(1).map(([at]) => at) ?? [];
  expect(moments).toEqual([...moments].sort((one, other) => one - other));
  expect(Math.max(...moments) - Math.min(...moments)).toBeGreaterThan(MINUTE_MS);
});

test("each deadline of a fleet is as far from the begin of a play as from now", () => {
  const wish = wishSchema.parse({
    ...{ gpus: 8, select: { gpuModel: "H100" }, until: "2026-12-05T18:00Z" },
    work: { gpuHours: 40, by: "2026-12-04T18:00Z" },
  });
  const [played] = playable([{ name: "batch", source: "file", wish }], [], -3 * DAY_MS).fleets;
  expect(played?.wish.until).toBe("2026-12-02T18:00:00.000Z");
  expect(played?.wish.work).toEqual({ gpuHours: 40, by: "2026-12-01T18:00:00.000Z" });
});
