import { expect, test } from "vitest";
import { parseWish, type WishInput } from "../../agent/fleet/wish/wish.ts";
import { improveDoubts } from "../../agent/planning/choices/improve-doubts.ts";
import type { Offer } from "../../service/contract/service.ts";

const OFFER: Offer = {
  offer: "h100-8",
  provider: "north",
  location: "oslo",
  gpus: 8,
  gpuModel: "H100",
  pricePerHour: "20",
};
const NOW = Date.parse("2026-06-01T12:00:00Z");
const WISH: WishInput = { gpus: 16, surge: 8, select: { gpuModel: "H100" }, improve: { saves: "20%" } };

function doubts(wish: Partial<WishInput>, offer = OFFER): readonly string[] {
  return improveDoubts(parseWish({ ...WISH, ...wish }), [offer], NOW);
}

test("of moves that can be made nothing is said, nor of a surge of 0", () => {
  expect(doubts({})).toEqual([]);
  expect(doubts({ surge: 0 })).toEqual([]);
  expect(doubts({ surge: 4, improve: undefined })).toEqual([]);
  expect(improveDoubts(parseWish({ ...WISH, surge: 4 }), undefined, NOW)).toEqual([]);
});

test("a surge into which no move fits is told", () => {
  expect(doubts({ surge: 4 })).toEqual([
    "no machine fits into surge, which is 4: the smallest has 8 GPUs, so old machines are stopped before new ones are launched",
  ]);
});

test("that nobody knows a price is told", () => {
  const { pricePerHour: _unknown, ...offer } = OFFER;
  expect(doubts({}, offer)).toEqual([
    "nobody knows what its machines cost, so nothing moves: no offer shows a price",
  ]);
});

test("windows that are over are told", () => {
  const entries = [{ from: "2026-05-01 00:00", to: "2026-06-01 00:00" }];
  expect(doubts({ improve: { saves: "20%", within: { timeZone: "UTC", entries } } })).toEqual([
    "no window of within comes any more, so nothing moves",
  ]);
});
