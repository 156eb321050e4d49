import { expect, test } from "vitest";
import type { CatalogueOffer } from "../../simulator/index.ts";
import type { Stage } from "../support/stage.ts";
import { H100 } from "../support/stage.ts";
import { candidate, draftOf, launchTimes, MINUTE, onStage, reasonsOf, requestsBetween } from "./on-stage.ts";

const HOUR = 60 * MINUTE;
const MANY: readonly CatalogueOffer[] = Array.from({ length: 60 }, (_, index) => ({
  ...H100,
  offer: `offer-${index}`,
  pricePerHour: `${16 + index}.0000`,
}));

/** A fleet that may take any of 60 offers, on a service that has this trouble for ever. */
async function inTrouble(trouble: (on: Stage) => void, gpus = 64): Promise<Stage> {
  const on = await onStage({ offers: MANY, balance: "100000.0000" });
  trouble(on);
  await on.declare({ training: { gpus, select: { gpuModel: "H100" } } });
  on.start();
  await on.clock.advance(HOUR);
  return on;
}

test("an empty balance: a few launches are refused, not one for each offer, and never faster", async () => {
  const on = await inTrouble((each) => each.simulator.control.setBalance("1.0000"));
  const times = launchTimes(on, on.simulator.truth().launches[0]?.at ?? 0);
  // Three at once, then 30 s, 60 s, ... up to a quarter of an hour.
  expect(times.slice(0, 8)).toEqual([0, 0, 0, 30, 90, 210, 450, 930]);
  expect(times.length).toBeLessThan(12);
  expect(reasonsOf(on)).toContain("insufficient_balance");
  on.simulator.control.setBalance("100000.0000");
  await on.clock.advance(30 * MINUTE);
  expect(on.alive()).toHaveLength(8);
});

test("a server error at each launch: each is money until it is resolved, and the next ones wait", async () => {
  const on = await inTrouble((each) =>
    each.simulator.control.faults.chance("launch", [
      { fault: { kind: "errorBefore", status: 500 }, probability: 1 },
    ]),
  );
  expect(on.launches()).toBeLessThan(20);
  on.simulator.control.faults.clear();
  await on.clock.advance(90 * MINUTE);
  expect(on.alive()).toHaveLength(8);
});

test("everything cools at once: some are asked, the rest waits for the next poll", async () => {
  const on = await inTrouble((each) => {
    for (const offer of MANY) each.simulator.control.setCapacity(offer, 0);
  });
  const times = launchTimes(on, 0);
  const most = Math.max(
    ...times.map((time) => times.filter((other) => other >= time && other < time + 15).length),
  );
  expect(most).toBeLessThanOrEqual(9);
});

test("cooldowns of a second, for ever: one launch a poll", async () => {
  const on = await onStage({ settings: { cooldownSeconds: 0.000001 } });
  on.simulator.control.setCapacity(H100, 0);
  await on.declare({ training: { gpus: 8, candidates: [candidate(H100)] } });
  on.start();
  const before = on.simulator.truth();
  await on.clock.advance(10 * MINUTE);
  const asked = requestsBetween(before, on.simulator.truth());
  expect(asked.launch).toBeLessThanOrEqual(43);
  expect(asked.deployments).toBeLessThanOrEqual(90);
});

test("cooldowns that name no wait, for ever: one launch a poll", async () => {
  const on = await onStage();
  on.simulator.control.setCapacity(H100, 0);
  const { launch } = on.keeper.service;
  const service = {
    ...on.keeper.service,
    launch: async (...args: Parameters<typeof launch>) => ({ ...(await launch(...args)), retryAfter: 0 }),
  };
  Object.assign(on.keeper, { service });
  await on.declare({ training: { gpus: 8, candidates: [candidate(H100)] } });
  on.start();
  const before = on.simulator.truth();
  await on.clock.advance(10 * MINUTE);
  const asked = requestsBetween(before, on.simulator.truth());
  expect(asked.launch).toBeLessThanOrEqual(41);
  expect(asked.deployments).toBeLessThanOrEqual(90);
});

test("launches that are accepted and fail at once", async () => {
  const on = await inTrouble((each) =>
    each.simulator.control.failNext({}, {}, { during: "initializing", times: 1000 }),
  );
  expect(on.launches()).toBeLessThan(80);
});

test.each([
  // Not one for each of the 60 offers: one a minute, which sends nothing.
  ["nothing gets through", { kind: "refuse" } as const, 66, 10],
  ["the network drops each launch", { kind: "dropBefore" } as const, 30, 90],
])("%s: few intents are written", async (_, fault, intents, minutes) => {
  const on = await inTrouble((each) =>
    each.simulator.control.faults.chance("launch", [{ fault, probability: 1 }]),
  );
  expect((await draftOf(on)).intents.size).toBeLessThan(intents);
  on.simulator.control.faults.clear();
  await on.clock.advance(minutes * MINUTE);
  expect(on.alive()).toHaveLength(8);
});

test("what could not be sent is tried again after 5 s, then after 10 s: a connection that was refused says little", async () => {
  const on = await onStage();
  on.simulator.control.faults.next("launch", { kind: "refuse" }, { times: 2 });
  await on.declare({ training: { gpus: 8, candidates: [candidate(H100)] } });
  const begun = on.clock.now();
  on.start();
  await on.clock.advance(5 * MINUTE);
  // The fleet is born, and launches for the first time, at the second list: after 15 s.
  expect(launchTimes(on, begun)).toEqual([15, 20, 30]);
  expect(on.alive()).toHaveLength(1);
});

test("a parameter that nobody gave: it is said, no intent is written, and the corrected fleet launches at once", async () => {
  const on = await onStage({ dialect: "link" });
  const wish = { gpus: 8, candidates: [candidate(H100)] };
  await on.declare({ training: wish });
  on.start();
  await on.clock.advance(4 * HOUR);
  expect(on.launches()).toBe(0);
  expect((await draftOf(on)).intents.size).toBe(0);
  expect(reasonsOf(on)).toContain("a launch sends image, and the fleet does not give that");
  await on.declare({ training: { ...wish, parameters: { image: "ubuntu" } } });
  await on.clock.advance(15_000);
  expect(on.launches()).toBe(1);
});
