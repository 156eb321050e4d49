import { afterEach, expect, test } from "vitest";
import { DIALECT_NAMES } from "../../simulator/index.ts";
import type { Stage } from "../support/stage.ts";
import { H100, H100_SOUTH, stage } from "../support/stage.ts";

const MINUTE = 60_000;
let on: Stage | undefined;
afterEach(async () => on?.stop());

const candidates = [H100, H100_SOUTH].map(({ offer, provider, location, gpus }) => ({
  offer,
  provider,
  location,
  gpus,
}));

const everyWire = DIALECT_NAMES.flatMap((dialect) =>
  (["exclusive", "shared"] as const).map((account) => ({ dialect, account })),
);

test.each(everyWire)(
  "rents what is asked for, once, and then only lists: $dialect, $account",
  async (wire) => {
    on = await stage(wire);
    await on.declare({ training: { gpus: 24, candidates, parameters: { image: "ubuntu" } } });
    on.start();
    await on.clock.advance(10 * MINUTE);
    expect(on.alive().map(({ state, gpus }) => [state, gpus])).toEqual([
      ["running", 8],
      ["running", 8],
      ["running", 8],
    ]);
    const before = on.simulator.truth();
    await on.clock.advance(10 * MINUTE);
    const after = on.simulator.truth();
    expect(on.errors).toEqual([]);
    expect(difference(before.requests, after.requests)).toEqual({ deployments: 40 });
    expect(on.reports.at(-1)?.plans[0]).toMatchObject({
      desired: 24,
      running: 24,
      launches: [],
      stops: [],
      reasons: [],
    });
    expect(before.launches.length).toBe(3);
  },
);

function difference(before: object, after: object): Record<string, number> {
  const old = new Map(Object.entries(before));
  const rows = Object.entries(after).map(([name, count]) => [name, count - (old.get(name) ?? 0)]);
  return Object.fromEntries(rows.filter(([, count]) => count !== 0));
}

test("replaces what was interrupted, elsewhere if it can", async () => {
  on = await stage();
  await on.declare({ training: { gpus: 16, candidates } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  const [first] = on.alive();
  on.simulator.control.interrupt(first?.id ?? "", { now: true });
  await on.clock.advance(10 * MINUTE);
  expect(
    on
      .alive()
      .map(({ place, state }) => `${place} ${state}`)
      .sort(),
  ).toEqual(["north/oslo running", "south/rome running"]);
});

test("a launch whose answer is lost is found, not sent again", async () => {
  on = await stage();
  on.simulator.control.faults.next("launch", { kind: "dropAfter" });
  await on.declare({ training: { gpus: 8, candidates } });
  on.start();
  await on.clock.advance(20 * MINUTE);
  expect(on.launches()).toBe(1);
  expect(on.alive()).toHaveLength(1);
});

test("a launch that was lost before it took effect is sent again only after the settle time", async () => {
  on = await stage();
  on.simulator.control.faults.next("launch", { kind: "dropBefore" });
  await on.declare({ training: { gpus: 8, candidates } });
  on.start();
  await on.clock.advance(3.5 * MINUTE);
  expect(on.launches()).toBe(1);
  await on.clock.advance(5 * MINUTE);
  expect(on.launches()).toBe(2);
  expect(on.alive()).toHaveLength(1);
});

test("a combination that cools is not asked again before its Retry-After, and another is taken", async () => {
  on = await stage();
  on.simulator.control.cooldown(H100, 90);
  await on.declare({ training: { gpus: 8, candidates } });
  on.start();
  await on.clock.advance(MINUTE);
  expect(on.alive().map(({ place }) => place)).toEqual(["south/rome"]);
});

test("what was there before is matched first on an exclusive account", async () => {
  on = await stage();
  on.simulator.control.launchByHand(H100);
  await on.clock.advance(10 * MINUTE);
  await on.declare({ training: { gpus: 8, candidates } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(on.launches()).toBe(0);
  expect(on.alive()).toHaveLength(1);
});

test("a fleet that is scaled down stops the surplus, and one that is removed stops all", async () => {
  on = await stage();
  await on.declare({ training: { gpus: 24, candidates } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  await on.declare({ training: { gpus: 8, candidates } });
  await on.clock.advance(10 * MINUTE);
  expect(on.alive()).toHaveLength(1);
  await on.declare({});
  await on.clock.advance(10 * MINUTE);
  expect(on.alive()).toHaveLength(0);
});
