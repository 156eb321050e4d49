import { afterEach, expect, test } from "vitest";
import { loadProfile } from "../../service/profile/profile-file.ts";
import { shippedNames } from "../../service/profile/shipped.ts";
import type { Stage } from "../support/stage.ts";
import { exampleOf, H100, stage } from "../support/stage.ts";

/* The simulator speaks by each profile that ships, so that everything may be tried there as `fleetkeeper simulate` is. */

const MINUTE = 60_000;
let on: Stage | undefined;
afterEach(async () => on?.stop());

test.each(shippedNames())("%s: 24 GPUs are kept, and what is lost is replaced", async (name) => {
  const { profile } = loadProfile(name);
  // What the service has only one of is that one.
  const fixed = (field: "provider" | "location") => {
    const place = profile.deployments?.fields[field];
    return typeof place === "object" && "value" in place ? place.value : H100[field];
  };
  // A name that is composed has its count in it.
  const { id: named, gpus: counted, gpuModel } = profile.offers?.fields ?? {};
  const composed = typeof named === "object" && "text" in named ? named.text : H100.offer;
  const called = composed.replaceAll(/\{([^{}]*)\}/g, (_whole, piece) =>
    piece === "count" || piece === counted ? String(H100.gpus) : piece === gpuModel ? H100.gpuModel : "h100",
  );
  const offer = { ...H100, offer: called, provider: fixed("provider"), location: fixed("location") };
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
