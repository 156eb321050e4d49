import { afterEach, expect, test } from "vitest";
import { H100, type Stage, stage } from "../support/stage.ts";

let on: Stage | undefined;
afterEach(async () => on?.stop());

test("while an offer cools down, another one is chosen from GET /api/v1/offers", async () => {
  on = await stage();
  on.simulator.control.cooldown(H100, 90);
  await on.declare({
    web: { gpus: 8, select: { gpuModel: "H100", providers: ["north", "south"] }, overshoot: 0 },
  });
  // The single machines at the same place would be a mix of their own.
  on.simulator.control.cooldown({ offer: "h100-1", provider: "north", location: "oslo" }, 90);
  on.start();
  await on.clock.advance(60_000);
  expect(on.alive().map(({ place }) => place)).toEqual(["south/rome"]);
  expect(on.simulator.truth().requests.offers).toBeGreaterThan(0);
  const refused = on.simulator.truth().launches.filter(({ outcome }) => outcome.kind === "refused");
  expect(refused.length).toBeLessThanOrEqual(2);
});
