import { expect, test } from "vitest";
import { H100, H100_SOUTH } from "../support/stage.ts";
import { candidate, launchTimes, MINUTE, onStage, reasonsOf } from "./on-stage.ts";

const priced = [H100, H100_SOUTH].map((offer) => ({ ...candidate(offer), pricePerHour: offer.pricePerHour }));

test("no launch takes the balance below the floor, and it goes on when there is money again", async () => {
  const on = await onStage({ balance: "60.0000" });
  await on.declare({ training: { gpus: 32, candidates: priced, budget: { floor: "20" } } });
  on.start();
  await on.clock.advance(5 * MINUTE);
  expect(on.alive()).toHaveLength(2);
  expect(reasonsOf(on)).toBe(
    "the balance of 28.0000 USD, less the floor of 20, does not pay for any of the 16 missing GPUs: the cheapest mix of them costs 32 an hour",
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
    "the budget of 33.5 USD an hour (32 are spent) does not pay for any of the 16 missing GPUs: the cheapest mix of them costs 32 an hour",
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
  expect(reasonsOf(on)).toBe("a budget is set, and the price of unlisted @ north/oslo is not known");
});

test("the catalogue gives the prices that candidates lack, where a budget needs them", async () => {
  const on = await onStage();
  await on.declare({ training: { gpus: 32, candidates: [candidate(H100)], budget: { perHour: "33" } } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(on.alive()).toHaveLength(2);
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
