import { describe, expect, test } from "vitest";
import { H100, H100_SOUTH } from "../support/stage.ts";
import { candidate, draftOf, launchTimes, MINUTE, onStage, reasonsOf, requestsBetween } from "./on-stage.ts";

const priced = [H100, H100_SOUTH].map((offer) => ({ ...candidate(offer), pricePerHour: offer.pricePerHour }));

test("no launch takes the balance below the floor, and it goes on when there is money again", async () => {
  const on = await onStage({ balance: "60.0000" });
  await on.declare({ training: { gpus: 32, candidates: priced, budget: { floor: "20" } } });
  on.start();
  await on.clock.advance(5 * MINUTE);
  expect(on.alive()).toHaveLength(2);
  expect(reasonsOf(on)).toBe(
    "the balance of 28.00 USD, less the floor of 20.00, does not pay for any of the 16 missing GPUs: the cheapest mix of them costs 32.00 an hour",
  );
  on.simulator.control.addCredits("100.0000");
  await on.clock.advance(5 * MINUTE);
  expect(on.alive()).toHaveLength(4);
});

test("all machines of a fleet together cost no more an hour than its budget", async () => {
  const on = await onStage();
  await on.declare({ training: { gpus: 32, candidates: priced, budget: { perHour: "33.50" } } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(on.alive()).toHaveLength(2);
  expect(reasonsOf(on)).toBe(
    "the budget of 33.50 USD an hour (32.00 are spent) does not pay for any of the 16 missing GPUs: the cheapest mix of them costs 32.00 an hour",
  );
});

test("with a budget, a machine of unknown price is not launched", async () => {
  const on = await onStage({ dialect: "link" });
  const parameters = { image: "ubuntu" };
  const { offer, provider, location } = { ...H100, offer: "unlisted" };
  const candidates = [{ offer, provider, location, gpus: 8 }];
  await on.declare({ training: { gpus: 8, candidates, parameters, budget: { perHour: "99" } } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(on.launches()).toBe(0);
  expect(reasonsOf(on)).toBe(
    "a budget is set, and the price of unlisted @ north/oslo is not known: set its pricePerHour beside offer, provider and location, or map offers.fields.pricePerHour in the profile. A price of 0 is none",
  );
});

test("the catalogue gives the prices that candidates lack, where a budget needs them", async () => {
  const on = await onStage();
  await on.declare({ training: { gpus: 32, candidates: [candidate(H100)], budget: { perHour: "33" } } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(on.alive()).toHaveLength(2);
});

describe("a candidate costs what the service lists, whatever people wrote", () => {
  const written = (pricePerHour: string) => [{ ...candidate(H100), pricePerHour }];
  const other = { gpus: 8, select: { gpuModel: "none such" } };

  test.each([{}, { other }])("whether or not another fleet reads the offers: %o", async (others) => {
    const on = await onStage();
    const budget = { perHour: "10", perGpuHour: "1", total: "12" };
    await on.declare({ training: { gpus: 8, candidates: written("4"), budget }, ...others });
    on.start();
    await on.clock.advance(30 * MINUTE);
    expect(on.launches()).toBe(0);
    expect(reasonsOf(on)).toBe(
      "every combination costs more than 1.00 USD a GPU and hour, which is the budget " +
        "(the service lists h100-8 @ north/oslo at 16.00, not 4.00, USD an hour)",
    );
  });

  test("which may be less", async () => {
    const on = await onStage();
    await on.declare({ training: { gpus: 8, candidates: written("40"), budget: { perHour: "20" } } });
    on.start();
    await on.clock.advance(10 * MINUTE);
    expect(on.alive()).toHaveLength(1);
  });

  test.each([
    ["answer with an error", { kind: "errorBefore", status: 500 }],
    ["come too late for a launch", { kind: "slow", seconds: 60 }],
  ] as const)("but offers that %s hold no fleet whose candidates have a price", async (_, fault) => {
    const on = await onStage();
    on.simulator.control.faults.chance("offers", [{ fault, probability: 1 }]);
    await on.declare({
      training: { gpus: 8, candidates: written("16"), budget: { perHour: "20" } },
      other: { gpus: 8, candidates: [candidate(H100_SOUTH)] },
    });
    on.start();
    await on.clock.advance(10 * MINUTE);
    expect(on.alive()).toHaveLength(2);
    expect(on.errors).toEqual([]);
  });

  test("and once nothing is missing nobody asks any more", async () => {
    const on = await onStage();
    await on.declare({ training: { gpus: 8, candidates: written("4"), budget: { perHour: "20" } } });
    on.start();
    await on.clock.advance(10 * MINUTE);
    const before = on.simulator.truth();
    await on.clock.advance(10 * MINUTE);
    expect(requestsBetween(before, on.simulator.truth())).toEqual({ deployments: 40 });
  });

  test("also of a machine that was there before", async () => {
    const on = await onStage({ alter: (profile) => profile.replace(/^ *pricePerHour: .*\n/m, "") });
    on.simulator.control.launchByHand(H100);
    await on.declare({ training: { gpus: 8, candidates: written("4"), budget: { perHour: "20" } } });
    on.start();
    await on.clock.advance(10 * MINUTE);
    expect([...(await draftOf(on)).deployments.values()]).toMatchObject([{ pricePerHour: "16" }]);
  });
});

test("two fleets that share a balance keep the higher floor's money", async () => {
  const on = await onStage({ balance: "50.0000" });
  await on.declare({
    alpha: { gpus: 8, candidates: priced, budget: { floor: "20" } },
    beta: { gpus: 8, candidates: priced, budget: { floor: "20" } },
  });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(launchTimes(on, 0)).toHaveLength(1);
});
