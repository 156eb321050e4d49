import { expect, onTestFinished, test } from "vitest";
import { declareFleets } from "../../agent/fleet/declare/declare-fleets.ts";
import type { FleetDeclaration } from "../../agent/fleet/declare/fleets.ts";
import { wishSchema } from "../../agent/fleet/wish/wish.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { VirtualClock } from "../../simulator/index.ts";
import { H100, type Stage, stage } from "../support/stage.ts";
import { MINUTE, SECOND } from "./on-stage.ts";

const SOURCE = "file:fleet.yaml";

/** The ledger, with how often each account's offers were written, and what that throws. */
class CountingLedger extends MemoryLedger {
  writes = 0;
  fails = false;

  override async putMarket(...of: Parameters<MemoryLedger["putMarket"]>): Promise<void> {
    if (this.fails) throw new FleetkeeperError("LEDGER_BUSY", "locked");
    this.writes += 1;
    await super.putMarket(...of);
  }
}

interface World extends Stage {
  readonly ledger: CountingLedger;
  /** Declares a fleet that lacks a machine. */
  lack(): Promise<void>;
  /** What is stored of the offers. */
  market(): ReturnType<MemoryLedger["market"]>;
  /** Requests for them. */
  asked(): number;
}

/** An agent of a file with several services, or of one that has no other. `failing`: so many reads of offers fail first. */
async function world({ hasOthers = true, failing = 0 } = {}): Promise<World> {
  const clock = new VirtualClock();
  const ledger = new CountingLedger("testledger00");
  const on = await stage({ clock, ledger, offers: [H100] });
  onTestFinished(() => on.stop());
  const declare = async (fleets: readonly FleetDeclaration[]): Promise<void> => {
    const more = hasOthers ? { service: { name: "north" } } : {};
    await declareFleets(on.keeper, SOURCE, () => fleets, more);
  };
  await declare([]);
  if (failing > 0)
    on.simulator.control.faults.next("offers", { kind: "errorBefore", status: 400 }, { times: failing });
  on.start();
  await clock.advance(10 * SECOND);
  return {
    ...on,
    ledger,
    lack: () =>
      declare([{ name: "training", source: SOURCE, wish: wishSchema.parse({ gpus: 8, select: {} }) }]),
    market: () => ledger.market(on.keeper.account),
    asked: () => on.simulator.truth().requests.offers,
  };
}

test("the offers of an account that lacks nothing are in the ledger from the first tick on, and are read seldom", async () => {
  const on = await world();
  const offers = [{ offer: "h100-8", provider: "north", location: "oslo", gpus: 8, gpuModel: "H100" }];
  expect(await on.market()).toMatchObject({ can: { launch: true, offers: true }, offers });
  expect(on.asked()).toBe(1);
  await on.clock.advance(14 * MINUTE);
  expect(on.asked()).toBe(1);
  await on.clock.advance(46 * MINUTE);
  expect(on.asked()).toBe(5);
});

test("an answer that says the same is written down as seen again, and is what it was since then", async () => {
  const on = await world();
  const first = await on.market();
  await on.clock.advance(16 * MINUTE);
  expect(await on.market()).toEqual({ ...first, until: expect.any(Number) });
  expect((await on.market())?.until).toBeGreaterThan((first?.until ?? 0) + 14 * MINUTE);
  on.simulator.control.setPrice(H100, "18.0000");
  await on.clock.advance(16 * MINUTE);
  const next = await on.market();
  expect(next?.offers).toMatchObject([{ pricePerHour: "18.0000" }]);
  expect(next?.at).toBeGreaterThan(first?.at ?? 0);
});

test("what ticks read while something is missing is kept as it changes, and is not written while it does not", async () => {
  const on = await world();
  on.simulator.control.setCapacity(H100, 0);
  await on.lack();
  await on.clock.advance(30 * SECOND);
  expect((await on.market())?.offers).toMatchObject([{ available: false }]);
  const [asked, writes] = [on.asked(), on.ledger.writes];
  await on.clock.advance(3 * MINUTE);
  expect(on.asked()).toBeGreaterThan(asked + 10);
  expect(on.ledger.writes).toBe(writes);
  await on.clock.advance(10 * MINUTE);
  expect(on.ledger.writes).toBe(writes + 3);
});

test("where the file has one service, nothing more is asked than before, and nothing is stored", async () => {
  const on = await world({ hasOthers: false });
  await on.clock.advance(60 * MINUTE);
  expect(on.asked()).toBe(0);
  expect(await on.market()).toBeUndefined();
});

test("a service that gives no offers is asked again each minute, and the loop goes on", async () => {
  const on = await world({ failing: 3 });
  expect(await on.market()).toBeUndefined();
  await on.clock.advance(10 * MINUTE);
  expect(on.asked()).toBe(4);
  expect((await on.market())?.offers).toHaveLength(1);
  expect(on.errors).toEqual([]);
});

test("a ledger that cannot be written costs no reading, and has it after the next one", async () => {
  const on = await world();
  on.ledger.fails = true;
  on.simulator.control.setPrice(H100, "18.0000");
  await on.lack();
  await on.clock.advance(MINUTE);
  expect(on.alive()).toHaveLength(1);
  expect((await on.market())?.offers).toMatchObject([{ pricePerHour: "16.0000" }]);
  on.ledger.fails = false;
  await on.clock.advance(16 * MINUTE);
  expect((await on.market())?.offers).toMatchObject([{ pricePerHour: "18.0000" }]);
});
