import { expect, onTestFinished, test } from "vitest";
import { drainFleet } from "../../agent/fleet/fleet-orders.ts";
import { parseWish, type WishInput } from "../../agent/fleet/wish.ts";
import { contextOf } from "../../launch/keeper.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import type { CatalogueOffer } from "../../simulator/index.ts";
import { VirtualClock } from "../../simulator/index.ts";
import type { Stage } from "../support/stage.ts";
import { H100, stage } from "../support/stage.ts";
import { SECOND } from "./on-stage.ts";

interface World {
  readonly services: readonly Stage[];
  /** The most GPUs that lived at once over all services, by the simulators. */
  most: number;
  declare(wish: WishInput | undefined): Promise<void>;
  play(minutes: number): Promise<void>;
  gpus(): readonly number[];
}

async function world(
  markets: readonly CatalogueOffer[],
  wish: WishInput,
  { atLeast, start = true }: { readonly atLeast?: number; readonly start?: boolean } = {},
): Promise<World> {
  const clock = new VirtualClock();
  const ledger = new MemoryLedger("testledger00");
  const services: Stage[] = [];
  for (const [index, offer] of markets.entries()) {
    const made = await stage({ clock, ledger, offers: [offer], seed: index + 1 });
    services.push(made);
    onTestFinished(() => made.stop());
  }
  const gpus = () => services.map((each) => sum(each.alive().map((machine) => machine.gpus)));
  const made: World = {
    services,
    most: 0,
    gpus,
    declare: async (asked) => {
      for (const [index, each] of services.entries()) {
        const name = index === 0 ? "training" : `training@s${index}`;
        await each.declare(asked ? { [name]: asked } : {}, { [name]: { of: "training", atLeast } });
      }
    },
    play: async (minutes) => {
      for (let seconds = 0; seconds < minutes * 60; seconds += 5) {
        await clock.advance(5 * SECOND);
        made.most = Math.max(made.most, sum(gpus()));
      }
    },
  };
  await made.declare(wish);
  if (start) for (const each of services) each.start();
  return made;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

let providers = 0;
/** Each of a provider of its own: what cools at one service cools for all of its accounts. */
function at(pricePerHour: string, capacity = 100): CatalogueOffer {
  return { ...H100, provider: `p${++providers}`, pricePerHour, capacity };
}

const WISH: WishInput = { gpus: 32, select: { gpuModel: "H100" } };

test("it launches where it is cheapest, as much as there is, and the rest where it is cheapest next", async () => {
  const on = await world([at("20"), at("16", 2), at("18", 1)], WISH);
  await on.play(15);
  expect(on.gpus()).toEqual([8, 16, 8]);
  expect(on.most).toBe(32);
});

test("what one service loses is launched where it is cheapest by then", async () => {
  const [dear, cheap, other] = [at("20"), at("16", 2), at("18")];
  const on = await world([dear, cheap, other], { ...WISH, gpus: 16 });
  await on.play(10);
  expect(on.gpus()).toEqual([0, 16, 0]);
  const [, second] = on.services;
  second?.simulator.control.setCapacity(cheap, 0);
  second?.simulator.control.interrupt(second.alive()[0]?.id ?? "", { now: true });
  await on.play(15);
  expect(on.gpus()).toEqual([0, 8, 8]);
  expect(on.most).toBe(16);
});

test("no service has more than its part of a fleet that is spread", async () => {
  const on = await world([at("20"), at("16"), at("30")], WISH, { atLeast: 2 });
  await on.play(15);
  expect(on.gpus()).toEqual([16, 16, 0]);
});

test("a limit on money is one for all services together", async () => {
  const on = await world([at("20"), at("16", 2)], { ...WISH, budget: { perHour: "60", total: "5000" } });
  await on.play(20);
  expect(on.gpus()).toEqual([8, 16]);
  const rows = await Promise.all(on.services.map(({ keeper }) => keeper.ledger.read(keeper.account)));
  const budgets = rows.map(({ fleets }) => parseWish(fleets[0]?.wish).budget);
  expect(sum(budgets.map(({ perHour }) => Number(perHour)))).toBe(60);
  expect(sum(budgets.map(({ total }) => Number(total)))).toBe(5000);
});

test("a smaller wish is kept over all services, and a larger one again", async () => {
  const on = await world([at("20"), at("16", 2), at("18", 1)], WISH);
  await on.play(15);
  await on.declare({ ...WISH, gpus: 8 });
  await on.play(30);
  expect(sum(on.gpus())).toBe(8);
  await on.declare({ ...WISH, gpus: 24 });
  await on.play(30);
  expect(sum(on.gpus())).toBe(24);
  expect(on.most).toBe(32);
});

test("a fleet that is taken out leaves nothing anywhere, and comes back whole", async () => {
  const on = await world([at("20"), at("16", 2), at("18", 1)], WISH);
  await on.play(15);
  await on.declare(undefined);
  await on.play(60);
  expect(on.gpus()).toEqual([0, 0, 0]);
  await on.declare(WISH);
  await on.play(30);
  expect(on.gpus()).toEqual([8, 16, 8]);
  expect(on.most).toBe(32);
});

test("all or nothing is tried in one service, and where that has too little in the next one", async () => {
  const on = await world([at("20"), at("16", 2), at("18")], { ...WISH, allOrNothing: { within: "20m" } });
  await on.play(60);
  expect(on.most).toBe(32);
  expect(on.gpus()).toEqual([0, 0, 32]);
});

test("a service that is down holds what it has, and the rest goes elsewhere", async () => {
  const on = await world([at("20"), at("16", 2), at("18")], { ...WISH, gpus: 16 });
  await on.play(10);
  const [, second] = on.services;
  second?.simulator.control.faults.chance("deployments", [{ fault: { kind: "dropBefore" }, probability: 1 }]);
  await on.declare({ ...WISH, gpus: 24 });
  await on.play(15);
  expect(on.gpus()).toEqual([0, 16, 8]);
  expect(on.most).toBe(24);
});

test("a launch without an answer keeps its share where it is: no other service makes up for it", async () => {
  const on = await world([at("20"), at("16", 1), at("18")], { ...WISH, gpus: 16 });
  const [, second] = on.services;
  second?.simulator.control.faults.chance("launch", [{ fault: { kind: "dropAfter" }, probability: 1 }]);
  second?.simulator.control.faults.chance("deployments", [
    { fault: { kind: "lag", seconds: 240 }, probability: 1 },
  ]);
  await on.play(4);
  second?.simulator.control.faults.clear();
  await on.play(20);
  expect(sum(on.gpus())).toBe(16);
  expect(on.most).toBe(16);
});

test("a part that is drained by an operator gives its share to the others", async () => {
  const on = await world([at("20"), at("16"), at("18")], { ...WISH, gpus: 16 });
  await on.play(10);
  expect(on.gpus()).toEqual([0, 16, 0]);
  const keeper = on.services[1]?.keeper;
  await keeper?.ledger.decide(keeper.account, (draft) => drainFleet(draft, "training@s1", contextOf(keeper)));
  await on.play(15);
  expect(on.gpus()).toEqual([0, 0, 16]);
  expect(on.most).toBe(16);
});

test("while the agent of the first part is away, another one chooses", async () => {
  const on = await world([at("20"), at("16"), at("18")], { ...WISH, gpus: 16 }, { start: false });
  for (const each of on.services.slice(1)) each.start();
  await on.play(10);
  expect(on.gpus()).toEqual([0, 16, 0]);
});
