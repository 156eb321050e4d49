import { expect, test } from "vitest";
import { leavePart } from "../../agent/fleet/phase/fleet-orders.ts";
import { portionOf } from "../../agent/fleet/phase/part.ts";
import { askForCount, endAsk } from "../../agent/fleet/size/ask-for-count.ts";
import { lowerCount } from "../../agent/fleet/size/lowered-count.ts";
import { storeMeasured } from "../../agent/fleet/size/metric.ts";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { LEDGER_ORDERS } from "../../agent/orders/ledger-orders.ts";
import { fleetVersion } from "../../agent/orders/version.ts";
import type { Context } from "../../launch/facts/context.ts";
import { contextOf } from "../../launch/keeper.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { MINUTE } from "./on-stage.ts";
import { at, sum, type World, world } from "./over-services.ts";

const RANGE = { min: 0, max: 64, at: 16 };
const WISH: WishInput = { gpus: 16, select: { gpuModel: "H100" }, range: RANGE };

/** So many more GPUs in a window that begins and ends so many minutes from the start. */
function inWindow(from: number, to: number, gpus: number): WishInput {
  const text = (minutes: number): string =>
    new Date(Date.parse("2030-01-01T00:00:00Z") + minutes * MINUTE)
      .toISOString()
      .slice(0, 16)
      .replace("T", " ");
  const entries = [{ from: text(from), to: text(to), gpus }] as const;
  const { range: _range, ...wish } = WISH;
  return { ...wish, schedule: { timeZone: "UTC", entries: [...entries], ...RANGE } };
}

async function rows(on: World): Promise<readonly FleetRow[]> {
  const all = await Promise.all(on.services.map(({ keeper }) => keeper.ledger.read(keeper.account)));
  return all.flatMap(({ fleets }) => fleets);
}

async function shares(on: World): Promise<number> {
  return sum((await rows(on)).map((row) => (row.part ? portionOf(row, row.part).gpus : 0)));
}

function decide<T>(on: World, index: number, what: (draft: Draft, context: Context) => T): Promise<T> {
  const { keeper } = on.services[index] as World["services"][number];
  return keeper.ledger.decide(keeper.account, (draft) => what(draft, contextOf(keeper)));
}

test("a window is launched where it is cheapest over all services, and what it leaves goes at the end of its paid hour", async () => {
  const on = await world([at("16", 2), at("18"), at("24", 1)], inWindow(20, 50, 32));
  await on.play(19);
  expect(on.gpus()).toEqual([16, 0, 0]);
  await on.play(10);
  expect(on.gpus()).toEqual([16, 16, 0]);
  expect(await shares(on)).toBe(32);
  await on.play(23);
  expect(await shares(on)).toBe(16);
  expect(on.gpus()).toEqual([16, 16, 0]);
  // Of those the first service's hours end first.
  await on.play(30);
  expect(on.gpus()).toEqual([0, 16, 0]);
  expect(on.most).toBe(32);
  const truths = on.services.map(({ simulator }) => simulator.truth());
  expect(sum(truths.map(({ launches }) => launches.length))).toBe(4);
});

test("what goes of a smaller whole is dearest by then, whichever part has it, where the same is paid for", async () => {
  const on = await world([at("16", 1), at("20", 1), at("18", 1)], inWindow(0, 30, 24));
  await on.play(25);
  expect(on.gpus()).toEqual([8, 8, 8]);
  await on.play(50);
  expect(on.gpus()).toEqual([8, 0, 8]);
});

test("a share that moves by itself makes no new version of the parts, and what a person or a file says does", async () => {
  const on = await world([at("20"), at("16", 1)], WISH);
  const versions = async () => (await rows(on)).map(fleetVersion);
  const wishes = async () => JSON.stringify((await rows(on)).map(({ wish }) => wish));
  const [seen, wished] = [await versions(), await wishes()];
  await on.play(15);
  expect(await wishes()).not.toBe(wished);
  expect(await versions()).toEqual(seen);
  await decide(on, 1, (draft, context) => leavePart(draft, "training@s1", context));
  await on.play(15);
  const [first, second] = await versions();
  expect([first === seen[0], second === seen[1]]).toEqual([true, false]);
  await on.declare({ ...WISH, gpus: 24 });
  expect((await versions()).map((each) => [first, second].includes(each))).toEqual([false, false]);
});

test("a metric says the size of the whole, and one that is read no more keeps it", async () => {
  const on = await world([at("16", 2), at("18")], {
    gpus: 16,
    select: { gpuModel: "H100" },
    metric: { command: ["./queue.sh"], ...RANGE, down: { stabilization: "1m" } },
  });
  const say = (value: string) =>
    decide(on, 0, (draft, context) =>
      storeMeasured(draft, "training", { kind: "value", value }, context.now, context),
    );
  await on.play(10);
  expect(sum(on.gpus())).toBe(16);
  await say("99");
  await on.play(10);
  expect(sum(on.gpus())).toBe(64);
  await on.play(10);
  expect(sum(on.gpus())).toBe(64);
  for (const _ of [1, 2, 3]) {
    await say("24");
    await on.play(1);
  }
  await on.play(60);
  expect(sum(on.gpus())).toBe(24);
  expect(on.most).toBe(64);
});

test("a person asks for GPUs of the whole within its range, and of no part", async () => {
  const on = await world([at("16", 2), at("18")], WISH);
  await on.play(5);
  const until = Date.parse("2030-01-01T00:20:00Z");
  await decide(on, 0, (draft, context) => askForCount(draft, "training", { gpus: 40, until }, context));
  await on.play(10);
  expect(on.gpus()).toEqual([16, 24]);
  const order = LEDGER_ORDERS.find(({ about, name }) => about === "fleet" && name === "ask");
  const { ledger } = (on.services[0] as World["services"][number]).keeper;
  expect((await order?.partsOf({ ledger }, "training", {}))?.map(({ fleet }) => fleet)).toEqual(["training"]);
  await expect(
    decide(on, 1, (draft, context) => askForCount(draft, "training@s1", { gpus: 40 }, context)),
  ).rejects.toThrow("it is a part of training, which several services keep: ask for GPUs of training");
  await expect(
    decide(on, 0, (draft, context) => askForCount(draft, "training", { gpus: 65 }, context)),
  ).rejects.toThrow("expected a whole number from 0 to 64");
  await on.play(6);
  expect(await shares(on)).toBe(16);
  await decide(on, 0, (draft, context) => askForCount(draft, "training", { gpus: 24 }, context));
  await on.play(60);
  expect(sum(on.gpus())).toBe(24);
  await decide(on, 0, (draft, context) => endAsk(draft, "training", context));
  await on.play(60);
  expect(sum(on.gpus())).toBe(16);
  expect(on.most).toBe(40);
});

test("the first service is down as a window begins and as it ends: the others have what it asks for, and no more", async () => {
  const on = await world([at("16", 2), at("18")], inWindow(20, 80, 40));
  await on.play(15);
  const faults = on.services[0]?.simulator.control.faults;
  faults?.chance("deployments", [{ fault: { kind: "dropBefore" }, probability: 1 }]);
  await on.play(20);
  expect(on.gpus()).toEqual([16, 24]);
  await on.play(105);
  expect(on.gpus()).toEqual([16, 0]);
  faults?.clear();
  await on.play(20);
  expect(on.gpus()).toEqual([16, 0]);
  expect(on.most).toBe(40);
});

test("a loss at the end of a window is replaced for what is asked for then, and by no part that was chosen before", async () => {
  const [cheap, dear] = [at("16", 2), at("18")];
  const on = await world([cheap, dear], inWindow(5, 30, 40));
  await on.play(29);
  expect(on.gpus()).toEqual([16, 24]);
  const [, second] = on.services;
  for (const { id } of second?.alive() ?? []) second?.simulator.control.interrupt(id, { now: true });
  await on.play(20);
  expect(on.gpus()).toEqual([16, 0]);
});

test("what was given back in a part stays so until more is asked for of the whole", async () => {
  const on = await world([at("16", 1), at("18")], inWindow(60, 90, 32));
  await on.play(10);
  expect(on.gpus()).toEqual([8, 8]);
  const [, second] = on.services;
  const id = second?.alive()[0]?.id ?? "";
  await decide(on, 1, (draft, context) => {
    lowerCount(draft, "training@s1", 8, context);
  });
  await second?.simulator.control.interrupt(id, { now: true });
  await on.play(45);
  expect(on.gpus()).toEqual([8, 0]);
  await on.play(15);
  expect(on.gpus()).toEqual([8, 24]);
});

test("nothing is given back in one service where the whole keeps some: nobody there sees the others", async () => {
  const on = await world([at("16", 1), at("18")], { ...WISH, range: { ...RANGE, min: 8 } });
  await on.play(10);
  await expect(
    decide(on, 1, (draft, context) => lowerCount(draft, "training@s1", 8, context)),
  ).rejects.toThrow("training keeps at least 8 GPUs by its gpus.min over all its services");
});

test("a service that is drained is left as fast as that of a whole with one size: nothing waits for the end of a paid hour", async () => {
  const on = await world([at("18"), at("16", 2)], { ...WISH, surge: 8 });
  await on.play(5);
  expect(on.gpus()).toEqual([0, 16]);
  await decide(on, 1, (draft, context) => leavePart(draft, "training@s1", context));
  await on.play(25);
  expect(on.gpus()).toEqual([16, 0]);
  expect(on.most).toBe(24);
});
