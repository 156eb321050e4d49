import { afterEach, expect, test } from "vitest";
import { H100, H100_SOUTH, type Stage, stage } from "../support/stage.ts";

const MINUTE = 60_000;
let on: Stage | undefined;
afterEach(async () => on?.stop());

test("a machine lost in its provider's maintenance is kept while it is shown as running, and replaced afterwards", async () => {
  on = await stage();
  const candidates = [H100, H100_SOUTH].map(({ offer, provider, location, gpus }) => {
    return { offer, provider, location, gpus };
  });
  await on.declare({ web: { gpus: 8, candidates } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  const [machine] = on.alive();
  on.simulator.control.maintenance("north", true);
  on.simulator.control.interrupt(machine?.id ?? "");
  await on.clock.advance(60 * MINUTE);
  expect(on.alive()).toEqual([machine]);
  expect(on.launches()).toBe(1);
  on.simulator.control.maintenance("north", false);
  await on.clock.advance(10 * MINUTE);
  expect(on.alive().map(({ place, state }) => `${place} ${state}`)).toEqual(["south/rome running"]);
  expect(on.launches()).toBe(2);
});
