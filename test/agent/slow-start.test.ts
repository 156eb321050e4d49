import { expect, test } from "vitest";
import { Prng } from "../../simulator/prng.ts";
import { H100, H100_SINGLE, H100_SOUTH } from "../support/stage.ts";
import { candidate, draftOf, launchTimes, MINUTE, onStage, SECOND } from "./on-stage.ts";

const LATENCY = 500;

/** How many launches left at the same moment, one moment after the other. */
function batches(times: readonly number[]): readonly number[] {
  return [...Map.groupBy(times, (time) => Math.round(time * 10))].map(([, same]) => same.length);
}

test("launches leave 1, 2, 4, ... at a time, once the first one has proven the profile", async () => {
  const on = await onStage({ latencyMs: LATENCY });
  await on.declare({ training: { gpus: 8 * 15, candidates: [candidate(H100)] } });
  on.start();
  await on.clock.advance(14 * SECOND);
  expect(batches(launchTimes(on, 0))).toEqual([1, 1, 2, 4, 7]);
});

test("one at a time where no list can tell two launches apart, still within the tick", async () => {
  const on = await onStage({ dialect: "link", latencyMs: LATENCY });
  const wish = { candidates: [candidate(H100)], parameters: { image: "ubuntu" } };
  await on.declare({ alpha: { ...wish, gpus: 24 }, beta: { ...wish, gpus: 16 } });
  on.start();
  await on.clock.advance(MINUTE);
  expect(batches(launchTimes(on, 0))).toEqual([1, 1, 1, 1, 1]);
  const together = on.reports.map(({ launched }) => new Set(launched.map(({ fleet }) => fleet)).size);
  expect(Math.max(...together)).toBe(2);
  expect(on.alive()).toHaveLength(5);
});

test.each([
  ["a refusal", { kind: "errorBefore", status: 400 } as const],
  ["a cooldown", undefined],
  ["an answer that is lost", { kind: "dropAfter" } as const],
])("%s brings the pace back to 1", async (_, fault) => {
  const on = await onStage({ latencyMs: LATENCY });
  await on.declare({ training: { gpus: 8 * 7, candidates: [candidate(H100), candidate(H100_SOUTH)] } });
  on.start();
  await on.clock.advance(MINUTE);
  expect((await draftOf(on)).fleets.get("training")?.pace).toBe(8);
  if (fault) on.simulator.control.faults.next("launch", fault);
  else on.simulator.control.cooldown(H100, 60);
  on.simulator.control.interrupt(on.alive().at(-1)?.id ?? "", { now: true });
  if (!fault) on.simulator.control.cooldown(H100_SOUTH, 60);
  await on.clock.advance(17 * SECOND);
  expect((await draftOf(on)).fleets.get("training")?.pace).toBe(fault?.kind === "errorBefore" ? 2 : 1);
});

test("what is refused here, as a stale list, does not: it says nothing about the service", async () => {
  const on = await onStage({ latencyMs: 4 * SECOND });
  await on.declare({ training: { gpus: 8 * 40, candidates: [candidate(H100)] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(on.alive()).toHaveLength(40);
  expect((await draftOf(on)).fleets.get("training")?.pace).toBeGreaterThan(4);
  const times = launchTimes(on, 0);
  expect(batches(times).length).toBeLessThan(12);
  // A list and a launch, each there and back, and no poll interval beside them.
  const gaps = times.slice(2).map((time, index) => time - (times[index + 1] ?? 0));
  expect(Math.max(...gaps)).toBeLessThanOrEqual(16);
});

test("where no stock is shown a combination is asked for one machine, and then for more as they are granted, though the pace is greater", async () => {
  const on = await onStage({ latencyMs: LATENCY });
  await on.declare({ training: { gpus: 8 * 16, candidates: [candidate(H100)] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect((await draftOf(on)).fleets.get("training")?.pace).toBe(16);
  const lost = on.clock.now();
  on.simulator.control.loseMachinesIn({ provider: "north" }, { now: true });
  await on.clock.advance(25 * SECOND);
  expect(batches(launchTimes(on, lost).filter((time) => time >= 0))).toEqual([1, 2, 4, 8, 1]);
  expect(new Set(on.reports.slice(-3).map(({ launched }) => launched.length))).toEqual(new Set([0, 16]));
});

test("fewer than a tenth of the launches is refused where no stock is shown, and the fleet is whole within its first ticks", async () => {
  for (let seed = 1; seed <= 5; seed++) {
    const random = new Prng(`rooms ${seed}`);
    const offers = Array.from({ length: 12 }, (_, place) => ({
      ...H100_SINGLE,
      location: `place-${place}`,
      pricePerHour: (2 + random.integer(0, 100) / 100).toFixed(2),
      capacity: random.integer(12, 40),
    }));
    const on = await onStage({ latencyMs: 100, offers, seed });
    await on.declare({ training: { gpus: 128, select: { gpuModel: "H100" } } });
    on.start();
    await on.clock.advance(2 * MINUTE);
    expect(on.alive()).toHaveLength(128);
    const { launches } = on.simulator.truth();
    const refused = launches.filter(({ outcome }) => outcome.kind === "refused").length;
    expect(refused).toBeGreaterThan(0);
    expect(refused / launches.length).toBeLessThan(0.1);
  }
});
