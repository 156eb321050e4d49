import { expect, onTestFinished, test } from "vitest";
import { daysBack, wholeSpending } from "../../agent/fleet/money/spend.ts";
import { drainFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import type { WholeStatus } from "../../agent/json/whole.ts";
import { readAll, wholesIn } from "../../agent/status/account-status.ts";
import { wholesOf } from "../../agent/status/whole-status.ts";
import { wholeText } from "../../agent/status/whole-text.ts";
import { linesOf, messageOf } from "../../agent/tell/notify/message.ts";
import { contextOf } from "../../launch/keeper.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import type { PartRow } from "../../ledger/rows.ts";
import { VirtualClock } from "../../simulator/index.ts";
import type { Stage } from "../support/stage.ts";
import { H100, stage } from "../support/stage.ts";
import { SECOND } from "./on-stage.ts";

const NAMES = ["north", "south"];

/** Two services: machines of 8 GPUs for 16 USD an hour, two of them, and for 20 USD. */
async function world(
  wish: WishInput,
  {
    capacity = 2,
    balance = "10000",
    atLeast,
  }: { capacity?: number; balance?: string; atLeast?: number } = {},
) {
  const clock = new VirtualClock();
  const ledger = new MemoryLedger("testledger00");
  const services: Stage[] = [];
  for (const [index, service] of NAMES.entries()) {
    const offer = { ...H100, provider: `of-${service}`, pricePerHour: index === 0 ? "20" : "16", capacity };
    const made = await stage({ clock, ledger, offers: [offer], seed: index + 1, balance });
    services.push(made);
    onTestFinished(() => made.stop());
    const name = index === 0 ? "training" : `training@${service}`;
    await made.declare({ [name]: wish }, { [name]: { of: "training", service, atLeast } });
  }
  const [north, south] = services as [Stage, Stage];
  return {
    north,
    south,
    play: async (minutes: number) => {
      for (let seconds = 0; seconds < minutes * 60; seconds += 5) await clock.advance(5 * SECOND);
    },
    view: async (): Promise<WholeStatus> => {
      const [whole] = wholesIn(await readAll(ledger), contextOf(north.keeper));
      if (!whole) throw new Error("there is no whole");
      return whole;
    },
  };
}

const WISH: WishInput = { gpus: 24, select: { gpuModel: "H100" }, budget: { perHour: "80", total: "500" } };

function textOf(whole: WholeStatus): readonly string[] {
  return wholeText(
    whole,
    (_, text) => text,
    (text) => text,
  ).split("\n");
}

test("a fleet over two services is one fleet with its sums, and a line for each service", async () => {
  const on = await world(WISH);
  for (const each of [on.north, on.south]) each.start();
  await on.play(10);
  const whole = await on.view();
  expect(whole).toMatchObject({
    name: "training",
    desiredGpus: 24,
    runningGpus: 24,
    startingGpus: 0,
    met: true,
  });
  expect(whole).toMatchObject({ pricePerHour: "52.0000", limits: { perHour: "80", total: "500" } });
  expect(whole.spent?.ever).toBe("52.0000");
  expect(
    whole.services.map(({ service, fleet, portion, runningGpus, state }) => [
      service,
      fleet,
      portion,
      runningGpus,
      state,
    ]),
  ).toEqual([
    ["north", "training", 8, 8, "complete"],
    ["south", "training@south", 16, 16, "complete"],
  ]);
  expect(whole.services.reduce((sum, { portion }) => sum + portion, whole.movingGpus)).toBe(24);
  // 448.00 are left of its total, at 52.00 an hour.
  expect(whole.runway).toEqual({ seconds: Math.floor((448 / 52) * 3600), ends: "total", service: null });
  expect(textOf(whole)).toEqual([
    "fleet training over 2 services: 24 of 24 GPUs running, 0 starting, 52.00 USD an hour of 80.00",
    "  about 52.00 USD today and 52.00 of 500.00 in all: an estimate",
    "  goes on for 8 h 36 min more at this cost: then its total is spent",
    "  north  8 GPUs running, 20.00 USD an hour",
    "  south  16 GPUs running, 32.00 USD an hour",
  ]);
});

test("what it has cost is said over all of its services and by each, and a part is called by both names", async () => {
  const on = await world(WISH);
  for (const each of [on.north, on.south]) each.start();
  await on.play(10);
  const { ledger } = on.south.keeper;
  const { drafts } = await readAll(ledger);
  const [spent] = wholeSpending(drafts, daysBack(1, contextOf(on.south.keeper)), contextOf(on.south.keeper));
  expect(spent).toMatchObject({
    name: "training",
    currency: "USD",
    all: { perDay: ["52.0000"], ever: "52.0000" },
  });
  expect(spent?.services.map(({ service, fleet, ever }) => [service, fleet, ever])).toEqual([
    ["north", "training", "20.0000"],
    ["south", "training@south", "32.0000"],
  ]);
  const draft = drafts.get(on.south.keeper.account);
  if (!draft) throw new Error("south has no rows");
  const owner = "fleet:training@south";
  const about = { owner, deployment: null, text: "it waits" } as const;
  const alert = { kind: "held", event: "held", sequence: 1, at: 0, ...about } as const;
  const message = messageOf("fk_1", on.south.keeper.account, [alert], draft, "testledger00", (text) => text);
  expect(linesOf(message)).toEqual(["training on south held: it waits"]);
  expect(message.alerts[0]).toMatchObject({ fleet: "training@south", name: "training on south" });
});

test("the balance that is spent first ends it, and it is that of one service", async () => {
  const on = await world({ ...WISH, budget: {} }, { balance: "100" });
  for (const each of [on.north, on.south]) each.start();
  await on.play(10);
  for (const { keeper } of [on.north, on.south])
    await keeper.ledger.decide(keeper.account, (draft) => {
      const amount = keeper === on.north.keeper ? "80.0000" : "64.0000";
      draft.putAccount({ ...draft.account, balance: { amount, begun: contextOf(keeper).now } });
    });
  // South spends 32.00 an hour, and north 20.00.
  expect((await on.view()).runway).toEqual({ seconds: 7200, ends: "balance", service: "south" });
});

test("a service that gives nothing says why: drained, sold out, away, or not asked yet", async () => {
  const on = await world({ ...WISH, gpus: 16 }, { capacity: 1 });
  const before = await on.view();
  expect(before.services.map(({ state }) => state)).toEqual(["away", "away"]);
  for (const each of [on.north, on.south]) each.start();
  await on.play(10);
  expect((await on.view()).services.map(({ runningGpus }) => runningGpus)).toEqual([8, 8]);
  const { keeper } = on.south;
  await keeper.ledger.decide(keeper.account, (draft) =>
    drainFleet(draft, "training@south", contextOf(keeper)),
  );
  await on.play(10);
  const whole = await on.view();
  // The count is still the whole's: what a drained service had is missing, and not given up.
  expect(whole).toMatchObject({ desiredGpus: 16, runningGpus: 8, met: false });
  expect(whole.services.map(({ state }) => state)).toEqual(["held", "drained"]);
  expect(whole.services[0]?.why).toContain("sold out");
  expect(textOf(whole).at(-1)).toMatch(/^ {2}south {2}nothing; drained: an operator drains the fleet/);
  await on.north.stop();
  expect((await on.view()).services[0]).toMatchObject({
    runningGpus: 8,
    state: "away",
    why: "no agent keeps its account",
  });
});

test("a service that would have more than its part of a fleet that is spread says so, and one that is dearer says what it has", async () => {
  const spread = await world({ ...WISH, gpus: 16 }, { atLeast: 2 });
  for (const each of [spread.north, spread.south]) each.start();
  await spread.play(10);
  const { keeper } = spread.north;
  await keeper.ledger.decide(keeper.account, (draft) => drainFleet(draft, "training", contextOf(keeper)));
  await spread.play(10);
  expect((await spread.view()).services[1]).toMatchObject({
    state: "held",
    why: "no service has more than 8 GPUs of it (spread)",
  });
  const on = await world({ ...WISH, gpus: 8 }, { capacity: 0 });
  for (const each of [on.north, on.south]) each.start();
  await on.play(3);
  const say = (of: Stage, name: string, more: Partial<PartRow>): Promise<unknown> =>
    of.keeper.ledger.decide(of.keeper.account, (draft) => {
      const fleet = draft.fleets.get(name);
      if (!fleet?.part) return;
      const { holds: _over, ...row } = fleet;
      draft.putFleet({ ...row, reasons: [], part: { ...fleet.part, ...more } });
    });
  // No tick may write what it finds over what is said here.
  await Promise.all([on.north.stop(), on.south.stop()]);
  const at = contextOf(on.north.keeper).now.wall;
  await say(on.north, "training", { offered: { at, costs: [[8, "20"]], sizes: [8] } });
  await say(on.south, "training@south", { chosen: at });
  const { drafts } = await readAll(on.north.keeper.ledger);
  const [seen] = wholesOf(drafts, () => true, contextOf(on.north.keeper));
  expect(seen?.services.map(({ state, why }) => [state, why])).toEqual([
    ["dearer", "8 GPUs could be had there for 20.00 USD an hour, and others were chosen"],
    ["launches", null],
  ]);
});
