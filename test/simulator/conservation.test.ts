import Big from "big.js";
import { describe, expect, test } from "vitest";
import type { SettingsInput, Truth } from "../../simulator/index.ts";
import { Prng } from "../../simulator/prng.ts";
import { ELSEWHERE, HERE, SimulatorBench, THERE } from "./bench.ts";

const SETTINGS: readonly SettingsInput[] = [
  {},
  { refundOnStop: true },
  { billing: "perHour" },
  { billing: "perHour", refundOnStop: true, emptyBalance: "owe" },
  { runningPrices: "float" },
  { runningPrices: "float", billing: "perHour", refundOnStop: true },
  { emptyBalance: "owe", interruptionsPerDay: 20, failureRate: 0.3, coolAfterFailure: true },
];

/** Checks the books from the outside, by decimal arithmetic over what truth says in text. */
function audit(truth: Truth): void {
  for (const account of truth.accounts) {
    const { initial, adjustments, refunds, reservations, usage, balance } = account;
    const expected = Big(initial).plus(adjustments).plus(refunds).minus(reservations).minus(usage);
    expect(balance).toBe(expected.toFixed(4));
    const statements = truth.machines.filter((one) => one.account === account.id).map((one) => one.statement);
    const sum = (part: "firstHour" | "usage" | "refunded" | "charged"): string =>
      statements.reduce((total, statement) => total.plus(statement[part]), Big(0)).toFixed(4);
    expect([sum("firstHour"), sum("usage"), sum("refunded")]).toEqual([reservations, usage, refunds]);
    expect(Big(initial).plus(adjustments).minus(sum("charged")).toFixed(4)).toBe(balance);
  }
  for (const { statement, states } of truth.machines) {
    expect(Number(statement.charged)).toBeGreaterThanOrEqual(0);
    const ran = states.some(({ state }) => state === "running");
    const ended = ["failed", "stopped"].includes(String(states.at(-1)?.state));
    if (!ran && ended) expect(statement.charged).toBe("0.0000");
  }
}

/** Anything that anybody can do, at any time. */
async function act(bench: SimulatorBench, random: Prng): Promise<void> {
  const { control, truth } = bench;
  const place = random.pick([HERE, THERE, ELSEWHERE]);
  const any = truth.machines.length === 0 ? undefined : random.pick(truth.machines).id;
  await random.pick([
    () => bench.launch(place),
    () => bench.launch(place),
    () => any && bench.stop(any),
    () => any && control.interrupt(any, { now: random.next() < 0.3 }),
    () => control.loseMachinesIn({ location: place.location }),
    () => control.cooldown(place, random.integer(1, 100)),
    () => control.failNext(place),
    () => control.maintenance(place.provider, random.next() < 0.5),
    () => control.setPrice(place, `${random.integer(0, 9)}.${random.integer(1000, 9999)}`),
    () => control.setBalance(`${random.integer(0, 60)}.${random.integer(1000, 9999)}`),
    () => control.addCredits(`${random.integer(0, 60)}.0001`),
    () => bench.balance(),
  ])();
}

describe.each(SETTINGS)("with %j", (settings) => {
  test.each([1, 2, 3])("no cent is made or lost in 700 random acts (seed %i)", async (seed) => {
    const bench = new SimulatorBench({ seed, settings });
    const random = new Prng(`acts ${seed}`);
    for (let number = 0; number < 700; number += 1) {
      await act(bench, random);
      if (random.next() < 0.5) await bench.seconds(random.exponential(random.pick([10, 600, 20_000])));
      if (number % 10 === 0) audit(bench.truth);
    }
    await bench.seconds(30 * 86_400);
    audit(bench.truth);
    expect(bench.truth.machines.length).toBeGreaterThan(50);
  });
});

test("looking at the balance each second changes no sum", async () => {
  const price = { ...HERE, gpus: 1, gpuModel: "g", pricePerHour: "1.0001", capacity: 9 };
  const [watched, unwatched] = [
    new SimulatorBench({ offers: [price] }),
    new SimulatorBench({ offers: [price] }),
  ];
  for (const bench of [watched, unwatched]) await bench.launched();
  await watched.seconds(3660);
  for (let second = 0; second < 500; second += 1) {
    await watched.seconds(1);
    await watched.balance();
  }
  await unwatched.seconds(4160);
  expect(await unwatched.balance()).toBe(await watched.balance());
});
