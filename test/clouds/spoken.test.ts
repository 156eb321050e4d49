import { afterEach, expect, test } from "vitest";
import { loadProfile } from "../../service/profile/profile-file.ts";
import { shippedNames } from "../../service/profile/shipped.ts";
import { namedBy } from "../../simulator/speak/named.ts";
import type { Stage } from "../support/stage.ts";
import { exampleOf, H100, stage } from "../support/stage.ts";

/* The simulator speaks by each profile that ships, so that everything may be tried there as `fleetkeeper simulate` is. */

const MINUTE = 60_000;
let on: Stage | undefined;
afterEach(async () => on?.stop());

test.each(shippedNames())("%s: 24 GPUs are kept, and what is lost is replaced", async (name) => {
  const { profile } = loadProfile(name);
  const [offer = H100] = namedBy(profile, [H100]);
  const { offer: id, provider, location, gpus } = offer;
  const { parameters } = exampleOf(name).fleets[0]?.wish ?? {};
  on = await stage({ dialect: name, account: "exclusive", offers: [offer] });
  await on.declare({
    training: { gpus: 24, candidates: [{ offer: id, provider, location, gpus }], parameters },
  });
  on.start();
  await on.clock.advance(15 * MINUTE);
  expect(
    on.alive().map(({ state }) => state),
    on.errors.join("\n"),
  ).toEqual(["running", "running", "running"]);
  on.simulator.control.interrupt(on.alive()[0]?.id ?? "", { now: true });
  await on.clock.advance(15 * MINUTE);
  expect(
    on.alive().map(({ state }) => state),
    on.errors.join("\n"),
  ).toEqual(["running", "running", "running"]);
  expect(on.launches()).toBe(4);
});
