import { expect, onTestFinished, test } from "vitest";
import { MarketSampler } from "../../agent/reconcile/market-sampler.ts";
import { DAY_MS, HOUR_MS } from "../../ledger/instant.ts";
import { dayOf, marketHistory } from "../../ledger/market-history.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import type { Sample } from "../../ledger/sample.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { readable } from "../../service/contract/unread.ts";
import { VirtualClock } from "../../simulator/index.ts";
import { H100, H100_SOUTH, type StageOptions, stage } from "../support/stage.ts";
import { MINUTE, SECOND } from "./on-stage.ts";

/** The ledger, with the samples that were put, and what that throws. */
class CountingLedger extends MemoryLedger {
  readonly put: Sample[] = [];
  calls = 0;
  fails = false;

  override async putSamples(...of: Parameters<MemoryLedger["putSamples"]>): Promise<void> {
    this.calls += 1;
    if (this.fails) throw new FleetkeeperError("LEDGER_BUSY", "locked");
    this.put.push(...of[1]);
    await super.putSamples(...of);
  }

  override async samples(...of: Parameters<MemoryLedger["samples"]>) {
    this.calls += 1;
    return super.samples(...of);
  }
}

const placeOf = ({ offer, provider, location }: typeof H100) => ({ offer, provider, location });

/** An account whose offers are sampled each 15 seconds, as an agent's ticks do. */
async function world(options: StageOptions = {}) {
  const clock = new VirtualClock();
  const ledger = new CountingLedger("testledger00");
  const on = await stage({ clock, ledger, offers: [H100, H100_SOUTH], ...options });
  onTestFinished(() => on.stop());
  const { signal } = new AbortController();
  let sampler = new MarketSampler(on.keeper, ledger);
  const now = () => on.keeper.clock.now().wall;
  return {
    ...on,
    ledger,
    now,
    restart: () => {
      sampler = new MarketSampler(on.keeper, ledger);
    },
    /** `reads`: as where a plan reads the offers at each tick. */
    pass: async (ms: number, { reads = false, every = 15 * SECOND } = {}) => {
      for (const end = now() + ms; now() < end; await clock.advance(every)) {
        if (reads) sampler.saw(readable(await clock.run(on.keeper.service.offers(signal))));
        await clock.run(sampler.record(signal).catch(() => undefined));
      }
    },
    history: (from = 0) => marketHistory(ledger, on.keeper.account, from, now() + 1),
    asked: () => on.simulator.truth().requests.offers,
  };
}

test("where no plan reads offers they are read each quarter of an hour, and a quiet tick asks neither ledger nor service", async () => {
  const on = await world();
  await on.pass(20 * SECOND);
  expect([on.asked(), on.ledger.put.length]).toEqual([1, 1]);
  const { calls } = on.ledger;
  await on.pass(14 * MINUTE);
  expect([on.asked(), on.ledger.calls]).toEqual([1, calls]);
  await on.pass(50 * MINUTE);
  expect(on.asked()).toBe(4 + 1);
  // All that is offered was said once. Since then one row says how long that was seen.
  expect(on.ledger.put.filter(({ whole }) => whole)).toHaveLength(1);
  expect(await on.ledger.samples(on.keeper.account, 0, on.now())).toHaveLength(2);
  expect((await on.history()).looked).toEqual([[expect.any(Number), expect.any(Number)]]);
});

test("what a plan reads is kept as it changes, once a minute at most, and nothing more is asked", async () => {
  const on = await world();
  await on.pass(5 * MINUTE, { reads: true });
  expect(on.ledger.put).toHaveLength(1);
  const asked = on.asked();
  on.simulator.control.setPrice(H100, "15.0000");
  await on.pass(30 * SECOND, { reads: true });
  on.simulator.control.setCapacity(H100, 0);
  await on.pass(2 * MINUTE, { reads: true });
  expect(on.asked() - asked).toBe(10);
  const { offers } = await on.history();
  const oslo = offers.find(({ location }) => location === "oslo");
  expect(oslo?.changes.at(-1)).toMatchObject({ price: "15.0000", room: 0 });
  expect(offers.find(({ location }) => location === "rome")?.changes).toHaveLength(1);
});

test("a restarted agent goes on with the day's samples, and what it reads again is not written again", async () => {
  const on = await world();
  await on.pass(MINUTE);
  on.restart();
  await on.pass(20 * MINUTE);
  expect(on.ledger.put.filter(({ whole }) => whole)).toHaveLength(1);
  on.simulator.control.setPrice(H100, "15.0000");
  on.restart();
  await on.pass(20 * MINUTE);
  expect((await on.history()).offers.map(({ changes }) => changes.length)).toEqual([2, 1]);
});

test("launches that were refused are kept with the seconds that their place cools", async () => {
  const on = await world();
  await on.pass(20 * SECOND);
  on.simulator.control.cooldown(H100, 90);
  await on.declare({ training: { gpus: 8, candidates: [{ ...placeOf(H100), gpus: 8 }] } });
  on.start();
  await on.pass(5 * MINUTE, { reads: true });
  const { offers } = await on.history();
  expect(offers.map(({ location, refused }) => [location, refused.map(({ seconds }) => seconds)])).toEqual([
    // The agent asked a poll after it began to cool.
    ["oslo", [75]],
    ["rome", []],
  ]);
});

test("samples older than thirty days are one an hour, and none is older than half a year", async () => {
  const on = await world();
  const { account } = on.keeper;
  const today = dayOf(on.now());
  const half = (day: number): readonly Sample[] =>
    Array.from({ length: 48 }, (_, index) => ({
      at: day * DAY_MS + (index * HOUR_MS) / 2,
      until: day * DAY_MS + ((index + 1) * HOUR_MS) / 2,
      ...(index === 0 && { whole: true as const, offers: [["h100-8", "north", "oslo", 8, "H100"]] as const }),
      said: [[0, String(index), 1]] as const,
    }));
  for (const ago of [181, 180, 31, 30]) {
    const day = today - ago;
    await on.ledger.putSamples(account, half(day), day * DAY_MS, (day + 1) * DAY_MS);
  }
  await on.pass(MINUTE);
  const counts = await Promise.all(
    [181, 180, 31, 30].map(async (ago) => {
      const day = today - ago;
      return (await on.ledger.samples(account, day * DAY_MS, (day + 1) * DAY_MS)).length;
    }),
  );
  expect(counts).toEqual([0, 24, 24, 48]);
  // From then on the day that has become old enough is thinned, each day one.
  await on.pass(DAY_MS + HOUR_MS, { every: HOUR_MS });
  const day = today - 30;
  expect(await on.ledger.samples(account, day * DAY_MS, (day + 1) * DAY_MS)).toHaveLength(24);
});

test("without offers in the profile nothing is asked and nothing is stored", async () => {
  const on = await world({ alter: (profile) => profile.replace(/^offers:\n(?: .*\n|\n)*/m, "") });
  expect(on.keeper.service.abilities.offers).toBe(false);
  await on.pass(60 * MINUTE);
  expect([on.asked(), on.ledger.calls]).toEqual([0, 0]);
});

test("a ledger that cannot be written has it after the next reading", async () => {
  const on = await world();
  await on.pass(2 * MINUTE, { reads: true });
  on.ledger.fails = true;
  on.simulator.control.setPrice(H100, "15.0000");
  await on.pass(2 * MINUTE, { reads: true });
  on.ledger.fails = false;
  await on.pass(2 * MINUTE, { reads: true });
  const { offers } = await on.history();
  expect(offers[0]?.changes.map(({ price }) => price)).toEqual(["16.0000", "15.0000"]);
});
