import { describe, expect, test } from "vitest";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import type { CatalogueOffer } from "../../simulator/index.ts";
import { H100_SINGLE, type Stage } from "../support/stage.ts";
import { MINUTE, onStage, reasonsOf } from "./on-stage.ts";

const HOUR = 60 * MINUTE;
const CHEAP: CatalogueOffer = { ...H100_SINGLE, capacity: 8, pricePerHour: "2.0000" };
const DEAR: CatalogueOffer = { ...CHEAP, location: "milan", pricePerHour: "4.0000" };

function wishOf(more: Partial<WishInput> = {}): WishInput {
  const buffer = { gpus: 2, maxPricePerGpuHour: "2.50" };
  return { gpus: 4, buffer, select: { gpuModel: "H100" }, ...more };
}

const there = (on: Stage): number => on.alive().reduce((sum, { gpus }) => sum + gpus, 0);
const desired = (on: Stage): number | undefined => on.reports.at(-1)?.plans[0]?.desired;

async function bufferedStage(offers: readonly CatalogueOffer[], wish = wishOf()): Promise<Stage> {
  const on = await onStage({ offers });
  await on.declare({ training: wish });
  on.start();
  await on.clock.advance(30 * MINUTE);
  return on;
}

describe("a buffer", () => {
  test("is there beside the count, counts when a machine is lost, and is filled again", async () => {
    const on = await bufferedStage([CHEAP]);
    expect([there(on), desired(on), on.launches()]).toEqual([6, 6, 6]);
    expect(reasonsOf(on)).toContain("buffer: 2 of 2 GPUs beside the 4 without it");
    on.simulator.control.interrupt(on.alive()[0]?.id ?? "");
    await on.clock.advance(20 * MINUTE);
    expect([there(on), on.launches()]).toEqual([6, 7]);
    await on.clock.advance(5 * HOUR);
    expect([there(on), on.launches(), on.errors]).toEqual([6, 7, []]);
  });

  test("is not launched above its price, which the count may cost", async () => {
    const on = await bufferedStage([{ ...CHEAP, capacity: 1 }, DEAR]);
    expect([there(on), desired(on)]).toEqual([4, 4]);
    expect(reasonsOf(on)).toContain(
      "buffer: 0 of 2 GPUs beside the 4 without it, where one costs at most 2.50 USD an hour",
    );
  });

  test("is not filled again in the last hour of its fleet", async () => {
    const on = await onStage({ offers: [CHEAP] });
    const until = new Date(on.clock.now() + 2 * HOUR).toISOString();
    await on.declare({ training: wishOf({ until }) });
    on.start();
    await on.clock.advance(70 * MINUTE);
    on.simulator.control.interrupt(on.alive()[0]?.id ?? "");
    await on.clock.advance(15 * MINUTE);
    expect([there(on), on.launches()]).toEqual([5, 6]);
    expect(reasonsOf(on)).toContain("none is launched in the fleet's last hour");
  });

  test("that is smaller than each machine says so", async () => {
    const on = await bufferedStage([{ ...CHEAP, gpus: 4, pricePerHour: "8.0000" }]);
    expect([there(on), desired(on)]).toEqual([4, 4]);
    expect(reasonsOf(on)).toContain(
      "at most 2.50 USD an hour; each machine at that price is larger than the 2 that it lacks: 4 GPUs or more",
    );
  });

  test("keeps no machine that is more than all of it, as none is small enough to be stopped for what is above", async () => {
    const on = await bufferedStage([{ ...CHEAP, gpus: 2, pricePerHour: "4.0000" }]);
    expect(there(on)).toBe(6);
    await on.declare({ training: wishOf({ gpus: 3 }) });
    await on.clock.advance(70 * MINUTE);
    expect([there(on), on.launches()]).toEqual([4, 3]);
  });

  test("never goes above gpus.max, nor beside a count of 0", async () => {
    const range = { min: 0, max: 5, at: 4 };
    const entries = [{ from: "2020-01-01 00:00", to: "2020-01-02 00:00", gpus: 5 }];
    const on = await bufferedStage([CHEAP], wishOf({ schedule: { timeZone: "UTC", entries, ...range } }));
    expect(there(on)).toBe(5);
    const none = await bufferedStage([CHEAP], wishOf({ gpus: 0 }));
    expect([there(none), none.launches()]).toEqual([0, 0]);
  });

  test("stays within the budget", async () => {
    const on = await bufferedStage([CHEAP], wishOf({ budget: { perHour: "10" } }));
    expect(there(on)).toBe(5);
  });

  test("that has become too dear goes at the end of what is paid for it, and comes no more", async () => {
    const on = await bufferedStage([CHEAP]);
    await on.declare({ training: wishOf({ buffer: { gpus: 2, maxPricePerGpuHour: "1.50" } }) });
    await on.clock.advance(10 * MINUTE);
    expect([there(on), desired(on)]).toEqual([6, 4]);
    await on.clock.advance(HOUR);
    expect([there(on), on.launches()]).toEqual([4, 6]);
  });

  test("is not paid for twice after the ledger was lost", async () => {
    const on = await onStage({ offers: [CHEAP, DEAR] });
    for (const offer of [CHEAP, CHEAP, CHEAP, CHEAP, DEAR, DEAR]) on.simulator.control.launchByHand(offer);
    await on.clock.advance(5 * MINUTE);
    await on.declare({ training: wishOf() });
    on.start();
    await on.clock.advance(30 * MINUTE);
    expect([there(on), desired(on), on.launches()]).toEqual([6, 6, 0]);
  });

  test("comes beside a floor, too, once it can be had", async () => {
    const on = await bufferedStage([{ ...CHEAP, capacity: 4 }, DEAR], wishOf({ budget: { floor: "10" } }));
    await on.clock.advance(30 * MINUTE);
    expect(there(on)).toBe(4);
    on.simulator.control.setCapacity(CHEAP, 8);
    await on.clock.advance(30 * MINUTE);
    expect(there(on)).toBe(6);
  });

  test("is not replaced by what costs more than it may", async () => {
    const wish = wishOf({ gpus: 2, surge: 1, update: {}, parameters: { image: "one" } });
    const on = await onStage({ dialect: "link", offers: [CHEAP] });
    await on.declare({ training: wish });
    on.start();
    await on.clock.advance(30 * MINUTE);
    on.simulator.control.setPrice(CHEAP, "4.0000");
    await on.declare({ training: { ...wish, parameters: { image: "two" } } });
    await on.clock.advance(90 * MINUTE);
    expect([there(on), desired(on), on.launches()]).toEqual([2, 2, 6]);
  });

  test("does not move to what costs more than it may, though that does more work for its price", async () => {
    const a100: CatalogueOffer = { ...CHEAP, offer: "a100-1", gpuModel: "A100" };
    const select = { gpuModel: ["A100", "H100"], worth: { A100: 1, H100: 4 } };
    const buffer = { gpus: 1, maxPricePerGpuHour: "2.50" };
    const on = await onStage({ offers: [a100, { ...CHEAP, pricePerHour: "4.0000" }] });
    await on.declare({ training: { gpus: 2, surge: 1, buffer, select, improve: { saves: "10%" } } });
    on.start();
    await on.clock.advance(2 * HOUR);
    expect([there(on), desired(on), on.launches()]).toEqual([3, 3, 3]);
  });
});
