import { afterEach, expect, test } from "vitest";
import { H100, type Stage, stage } from "../support/stage.ts";

let on: Stage | undefined;
afterEach(async () => on?.stop());

test("the first hour of a failed launch comes back and pays for the next launch, with nothing else charged", async () => {
  on = await stage({ balance: "16.0000" });
  on.simulator.control.failNext(H100);
  const { offer, provider, location, gpus, pricePerHour } = H100;
  const candidates = [{ offer, provider, location, gpus, pricePerHour }];
  await on.declare({ web: { gpus: 8, candidates, budget: { floor: "0", perHour: "16" } } });
  on.start();
  await on.clock.advance(20 * 60_000);
  const [failed, next] = on.simulator.truth().machines;
  expect(failed?.statement).toMatchObject({ refunded: "16.0000", charged: "0.0000" });
  expect(next?.states.at(-1)?.state).toBe("running");
});
