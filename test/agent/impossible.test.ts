import Big from "big.js";
import { describe, expect, test } from "vitest";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { parseWish } from "../../agent/fleet/wish/wish.ts";
import { impossible } from "../../agent/planning/choices/impossible.ts";
import type { Offer } from "../../service/contract/service.ts";
import { EIGHT, EIGHT_IN_ROME, fleetBench, OSLO, planOn, SINGLE, wishFor } from "./on-bench.ts";

const OFFERS: readonly Offer[] = [{ ...EIGHT, gpuModel: "H100", stock: 0, available: false }, SINGLE];

function why(wish: WishInput, balance?: string, offers: readonly Offer[] | undefined = OFFERS) {
  return impossible(parseWish(wish), offers, balance === undefined ? undefined : new Big(balance), {});
}

test.each<[string, WishInput, string | undefined, string]>([
  [
    "a count that no machines make",
    { gpus: 9, candidates: [EIGHT] },
    undefined,
    "no mix of machines with 8 GPUs makes 9",
  ],
  [
    "a model that is not there",
    { gpus: 8, select: { gpuModel: "H200" } },
    undefined,
    "fits gpuModel H200 (there are H100)",
  ],
  [
    "a ceiling below every price",
    { gpus: 8, select: { maxPricePerGpuHour: "1" } },
    undefined,
    "at most 1.00 USD a GPU",
  ],
  [
    "a budget below every price",
    { gpus: 8, select: {}, budget: { perGpuHour: "1" } },
    undefined,
    "more than 1.00 USD a GPU",
  ],
  [
    "a budget an hour below the cheapest mix",
    { gpus: 16, select: {}, budget: { perHour: "31" } },
    undefined,
    "the budget of 31.00 USD an hour does not pay for 16 GPUs: the cheapest mix of them costs 32.00",
  ],
  [
    "a total below the first hour of the cheapest mix",
    { gpus: 16, select: {}, budget: { total: "31" } },
    undefined,
    "the budget of 31.00 USD in all does not pay the first hour of 16 GPUs: the cheapest mix of them costs 32.00",
  ],
  [
    "a budget a day below the first hour of every machine",
    { gpus: 16, select: {}, budget: { perDay: "2.49" } },
    undefined,
    "the budget of 2.49 USD a day does not pay the first hour of any machine: the cheapest costs 2.50",
  ],
  [
    "a floor above the balance",
    { gpus: 8, select: {}, budget: { floor: "50" } },
    "50",
    "is not above the floor of 50.00",
  ],
  [
    "a floor that leaves less than the cheapest machine",
    { gpus: 8, select: {}, budget: { floor: "50" } },
    "52.4999",
    "does not pay the first hour of any machine",
  ],
  [
    "one location for what only two have together",
    {
      gpus: 9,
      candidates: [
        EIGHT_IN_ROME,
        { ...SINGLE, offer: "h100-5", gpus: 5 },
        { ...EIGHT_IN_ROME, offer: "h100-4", gpus: 4 },
      ],
      placement: "same",
    },
    undefined,
    "all GPUs are to be in one location, and no location has machines that make 9",
  ],
  [
    "more than the locations may hold",
    { gpus: 24, candidates: [EIGHT, EIGHT_IN_ROME], placement: { mostPerLocation: 8 } },
    undefined,
    "at most 8 GPUs may be in one location",
  ],
])("told: %s", (_, wish, balance, reason) => {
  expect(why(wish, balance)).toEqual([expect.stringContaining(reason)]);
});

describe("not told, for it is none", () => {
  test.each<[string, WishInput]>([
    ["what is only sold out", { gpus: 8, select: { gpuModel: "H100" } }],
    ["what can be had", { gpus: 9, select: {}, budget: { perHour: "18.5", perDay: "2.5", total: "18.5" } }],
    ["nothing asked for", { gpus: 0, candidates: [EIGHT] }],
  ])("%s", (_, wish) => expect(why(wish, "100")).toEqual([]));

  test("what nobody can say without the offers, or the balance", () => {
    expect(
      impossible(parseWish({ gpus: 8, select: { gpuModel: "H200" } }), undefined, undefined, {}),
    ).toEqual([]);
    expect(why({ gpus: 8, select: {}, budget: { floor: "50" } })).toEqual([]);
  });
});

test("a fleet whose wish became impossible keeps what runs, and says so", () => {
  const on = fleetBench({ gpus: 8, candidates: [EIGHT] });
  on.machine("m1", { ...OSLO, gpus: 8 }, { ...OSLO, gpus: 8, status: "running" });
  expect(planOn(on)).toMatchObject({ stops: [], reasons: [] });
  wishFor(on, { gpus: 8, candidates: [EIGHT], budget: { perHour: "10" } });
  expect(planOn(on)).toMatchObject({
    stops: [],
    launches: [],
    reasons: [
      "what runs is kept, and could not be replaced: the budget of 10.00 USD an hour does not pay for 8 GPUs: the cheapest mix of them costs 16.00",
    ],
  });
});
