import { expect, test } from "vitest";
import { drainFleet, leavePart, resumeFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import { isSettled } from "../../agent/fleet/phase/part.ts";
import { readParts } from "../../agent/fleet/phase/whole-parts.ts";
import { parseWish, type WishInput } from "../../agent/fleet/wish/wish.ts";
import { orderContext } from "../../agent/orders/carry-out.ts";
import { LEDGER_ORDERS } from "../../agent/orders/ledger-orders.ts";
import { carryOutOver } from "../../agent/orders/over-parts.ts";
import { boundOf } from "../../agent/planning/told/bound.ts";
import { contextOf, type Keeper } from "../../launch/keeper.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { Prng } from "../../simulator/prng.ts";
import { at, sum, type World, world } from "./over-services.ts";

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

test("no service makes up for one that is sold out, where the fleet is spread", async () => {
  const on = await world([at("20"), at("16", 0)], WISH, { atLeast: 2 });
  await on.play(15);
  expect(on.gpus()).toEqual([16, 0]);
});

test("no service makes up for one that is drained, where the fleet is spread", async () => {
  const on = await world([at("20"), at("16")], WISH, { atLeast: 2 });
  await on.play(10);
  const [first, second] = on.services;
  await first?.keeper.ledger.decide(first.keeper.account, (draft) =>
    drainFleet(draft, "training", contextOf(first.keeper)),
  );
  await on.play(10);
  second?.simulator.control.interrupt(second.alive()[0]?.id ?? "", { now: true });
  await on.play(10);
  expect(on.gpus()).toEqual([0, 16]);
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

test("a smaller wish stops no machine that it wants", async () => {
  const on = await world([at("20", 1), at("16", 2), at("18", 1)], { ...WISH, gpus: 24 });
  await on.play(15);
  expect(on.gpus()).toEqual([0, 16, 8]);
  await on.declare({ ...WISH, gpus: 32 });
  await on.play(15);
  await on.declare({ ...WISH, gpus: 24 });
  const launched = on.services.map((each) => each.launches());
  await on.play(30);
  expect(on.gpus()).toEqual([0, 16, 8]);
  expect(on.services.map((each) => each.launches())).toEqual(launched);
});

test("a smaller wish takes what is free elsewhere before it stops a machine", async () => {
  const on = await world([at("16", 1), at("20", 2)], WISH);
  await on.play(15);
  expect(on.gpus()).toEqual([8, 16]);
  const ids = on.services.flatMap((each) => each.alive().map(({ id }) => id));
  await on.declare({ ...WISH, gpus: 24 });
  await on.play(15);
  expect(on.services.flatMap((each) => each.alive().map(({ id }) => id))).toEqual(ids);
});

test("a fleet that is taken out leaves nothing anywhere, and comes back whole", async () => {
  const on = await world([at("20"), at("16", 2), at("18", 1)], { ...WISH, budget: { perHour: "1000" } });
  await on.play(15);
  await on.declare(undefined);
  await on.play(60);
  expect(on.gpus()).toEqual([0, 0, 0]);
  for (const { keeper } of on.services)
    for (const row of (await keeper.ledger.read(keeper.account)).fleets) expect(isSettled(row)).toBe(true);
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

async function toldBy(on: World, index: number): Promise<[readonly string[], readonly string[]]> {
  const keeper = on.services[index]?.keeper;
  if (!keeper) throw new Error("no such service");
  const { fleets } = await keeper.ledger.read(keeper.account);
  const events = await keeper.ledger.events(keeper.account, 500);
  return [
    fleets.flatMap(({ reasons }) => reasons),
    events.filter(({ kind }) => kind === "serviceOut").map(({ text }) => text),
  ];
}

test.each([
  ["is down", { kind: "dropBefore" }, "training cannot be read since"],
  ["refuses the key", { kind: "errorBefore", status: 401 }, "training refuses the key since"],
] as const)("while the first service %s another one chooses, and says so once", async (_, fault, text) => {
  const on = await world([at("16"), at("20"), at("18")], { ...WISH, gpus: 16 });
  await on.play(10);
  on.services[0]?.simulator.control.faults.chance("deployments", [{ fault, probability: 1 }]);
  await on.declare({ ...WISH, gpus: 24 });
  await on.play(30);
  expect(on.gpus()).toEqual([16, 0, 8]);
  const [reasons, events] = await toldBy(on, 1);
  expect(reasons).toContainEqual(expect.stringContaining(text));
  expect(events).toEqual([expect.stringContaining(`training: ${text}`)]);
  on.services[0]?.simulator.control.faults.clear();
  await on.play(10);
  expect((await toldBy(on, 1))[0]).toEqual([]);
  expect(on.most).toBe(24);
});

test.each([
  ["a limit that pays for no machine", { budget: { perHour: "10" } }, "pays for no machine"],
  ["machines that do not add up", { gpus: 4 }, "add up to what is missing"],
  [
    "a model that no service offers",
    { select: { gpuModel: "H900" } },
    "none of its services has what is missing",
  ],
])("%s of any service is said", async (_, wish, text) => {
  const on = await world([at("20"), at("16")], { ...WISH, ...wish });
  await on.play(5);
  expect(on.gpus()).toEqual([0, 0]);
  expect((await toldBy(on, 0))[0]).toContainEqual(expect.stringContaining(text));
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

/** Of the running machines of all services, the fewest GPUs at once from now on. */
async function least(on: World, minutes: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let seconds = 0; seconds < minutes * 60; seconds += 5) {
    await on.play(1 / 12);
    const machines = on.services.flatMap((each) => each.alive());
    least = Math.min(
      least,
      sum(machines.filter(({ state }) => /run|ready|active/i.test(state)).map(({ gpus }) => gpus)),
    );
  }
  return least;
}

async function order(on: World, index: number, name: string, give: typeof leavePart): Promise<void> {
  const keeper = on.services[index]?.keeper;
  await keeper?.ledger.decide(keeper.account, (draft) => void give(draft, name, contextOf(keeper)));
}

test("a service that is drained keeps its machines until others run in their place, as far as surge allows", async () => {
  const on = await world([at("20"), at("16"), at("18")], { ...WISH, surge: 8 });
  await on.play(15);
  expect(on.gpus()).toEqual([0, 32, 0]);
  await order(on, 1, "training@s1", leavePart);
  expect(await least(on, 90)).toBe(32);
  expect(on.gpus()).toEqual([0, 0, 32]);
  expect(on.most).toBe(40);
});

test("the first service is drained as any other one, and comes back for what is missing", async () => {
  const on = await world([at("16"), at("20"), at("18", 1)], { ...WISH, gpus: 24, surge: 16 });
  await on.play(15);
  expect(on.gpus()).toEqual([24, 0, 0]);
  await order(on, 0, "training", leavePart);
  expect(await least(on, 60)).toBe(24);
  expect(on.gpus()).toEqual([0, 16, 8]);
  await order(on, 0, "training", resumeFleet);
  await on.declare({ ...WISH, gpus: 32, surge: 16 });
  await on.play(15);
  expect(on.gpus()).toEqual([8, 16, 8]);
  expect(on.most).toBe(40);
});

test("without surge old machines go first", async () => {
  const on = await world([at("20"), at("16"), at("18")], { ...WISH, gpus: 16 });
  await on.play(15);
  await order(on, 1, "training@s1", leavePart);
  await on.play(20);
  expect(on.gpus()).toEqual([0, 0, 16]);
  expect(on.most).toBe(16);
});

test.each([
  ["a surge that no machine fits in", { surge: 4 }],
  ["a limit that does not pay for both", { surge: 8, budget: { perHour: "40" } }],
])("%s: old machines go first", async (_, wish) => {
  const on = await world([at("20"), at("16"), at("18")], { ...WISH, gpus: 16, ...wish });
  await on.play(15);
  expect(on.gpus()).toEqual([0, 16, 0]);
  await order(on, 1, "training@s1", leavePart);
  await on.play(30);
  expect(on.gpus()).toEqual([0, 0, 16]);
  expect(on.most).toBe(16);
});

test.each([8, 0])(
  "with a surge of %i, where nothing else is to be had, a drained service keeps what runs, and goes on once there is something",
  async (surge) => {
    const [dear, cheap] = [at("20", 0), at("16")];
    const on = await world([dear, cheap], { ...WISH, gpus: 16, surge });
    await on.play(15);
    await order(on, 1, "training@s1", leavePart);
    await on.play(20);
    expect(on.gpus()).toEqual([0, 16]);
    expect((await toldBy(on, 1))[0]).toContainEqual(
      expect.stringContaining("what runs here stays until others"),
    );
    on.services[0]?.simulator.control.setCapacity(dear, 100);
    await on.play(40);
    expect(on.gpus()).toEqual([16, 0]);
    expect(on.most).toBe(16 + surge);
  },
);

test("a drain that is taken back stops what was launched ahead, and nothing else", async () => {
  const on = await world([at("20"), at("16"), at("18")], { ...WISH, gpus: 16, surge: 8 });
  await on.play(15);
  await order(on, 1, "training@s1", leavePart);
  for (let looks = 0; on.gpus()[2] !== 8; looks++) {
    expect(looks).toBeLessThan(1000);
    await on.play(1 / 12);
  }
  await order(on, 1, "training@s1", resumeFleet);
  expect(await least(on, 30)).toBe(16);
  expect(sum(on.gpus())).toBe(16);
  expect(on.most).toBe(24);
});

test("a drain whose every step may be cut off ends as any other one, and is never above", async () => {
  for (const seed of [1, 2, 3, 4]) {
    const random = new Prng(`cut ${seed}`);
    let cuts = 0;
    const through = (ledger: Ledger): Ledger =>
      new Proxy(ledger, {
        get: (target, key) =>
          key === "decide"
            ? (...args: Parameters<Ledger["decide"]>) => {
                if (random.integer(0, 9) < 4) {
                  cuts++;
                  throw new FleetkeeperError("LEDGER_BUSY", "cut off");
                }
                return target.decide(...args);
              }
            : (Reflect.get(target, key).bind?.(target) ?? Reflect.get(target, key)),
      }) as Ledger;
    const on = await world([at("16"), at("20"), at("18")], { ...WISH, gpus: 16, surge: 8 }, { through });
    await on.play(20);
    expect(on.gpus()).toEqual([16, 0, 0]);
    await order(on, 0, "training", leavePart);
    expect(await least(on, 60)).toBe(16);
    expect(on.gpus()).toEqual([0, 0, 16]);
    expect(on.most).toBeLessThanOrEqual(24);
    expect(cuts).toBeGreaterThan(5);
  }
});

test("while the agent of the first part is away, another one chooses", async () => {
  const on = await world([at("20"), at("16"), at("18")], { ...WISH, gpus: 16 }, { start: false });
  for (const each of on.services.slice(1)) each.start();
  await on.play(10);
  expect(on.gpus()).toEqual([0, 16, 0]);
});

const TAKEN_BACK =
  "and nothing more was done: the same order again does the rest, and fleetkeeper resume training ends the pause.";
/** What whoever ordered is told of what is done by then. */
const LEFT = [
  "",
  ` training is paused by it, ${TAKEN_BACK}`,
  ` training, training@s1 are paused by it, ${TAKEN_BACK}`,
  " It was carried out for training: the same order again does the rest.",
];

/** Each of two services has 8 GPUs of it, and room for the other's. `cut`: after so many decisions none is stored any more. */
async function drained(cut: number) {
  const [one, other] = [at("20", 1), at("16", 1)];
  const on = await world([one, other], { ...WISH, gpus: 16 });
  await on.play(15);
  expect(on.gpus()).toEqual([8, 8]);
  for (const [index, offer] of [one, other].entries())
    on.services[index]?.simulator.control.setCapacity(offer, 100);
  const keeper = on.services[0]?.keeper as Keeper;
  const launches = (): number => sum(on.services.map((each) => each.launches()));
  const before = launches();
  const drain = async (most: number) => {
    let left = most;
    const ledger = new Proxy(keeper.ledger, {
      get: (target, key) => {
        if (key !== "decide") return Reflect.get(target, key).bind?.(target) ?? Reflect.get(target, key);
        return (...args: Parameters<Ledger["decide"]>) => {
          if (left-- <= 0) throw new FleetkeeperError("LEDGER_BUSY", "cut off");
          return target.decide(...args);
        };
      },
    }) as Ledger;
    const order = LEDGER_ORDERS.find(({ name, about }) => name === "drain" && about === "fleet");
    if (!order) throw new Error("no such order");
    const actor = { name: "token:ci", may: "operate" } as const;
    const given = { order, target: "training", input: {}, actor, key: "once" };
    const context = () => orderContext(keeper, actor, false);
    return carryOutOver(given, { ledger, context, isOwn: () => true });
  };
  await expect(drain(cut)).rejects.toThrow(`cut off${LEFT[cut]}`);
  return { on, drain, launched: () => launches() - before };
}

test.for([1, 2, 3])(
  "a drain of all parts that ends after %i decisions has nothing launched anywhere, and the same order ends the rest",
  async (cut) => {
    const { on, drain, launched } = await drained(cut);
    await on.play(15);
    expect(launched()).toBe(0);
    expect(await drain(100)).toMatchObject({ isAgain: false });
    await on.play(10);
    expect(on.gpus()).toEqual([0, 0]);
    expect(await drain(0)).toMatchObject({ isAgain: true });
    await order(on, 0, "training", resumeFleet);
    await order(on, 1, "training@s1", resumeFleet);
    // A late try of the same order is none.
    expect(await drain(0)).toMatchObject({ isAgain: true });
    await on.play(15);
    expect([sum(on.gpus()), on.most]).toEqual([16, 16]);
  },
);

test("half a drain that was taken back is not ended by a late try: the other service would rent what it stops", async () => {
  const { on, drain, launched } = await drained(3);
  await order(on, 0, "training", resumeFleet);
  await order(on, 1, "training@s1", resumeFleet);
  expect(await drain(100)).toMatchObject({
    refused: "otherOrder",
    text: expect.stringContaining("training was changed after this order was carried out for it"),
  });
  await on.play(15);
  expect([sum(on.gpus()), launched()]).toEqual([16, 0]);
});

test("the most that it can cost counts what runs in all of its services, whichever is asked", async () => {
  const wish: WishInput = { ...WISH, gpus: 16, budget: { perHour: "60" } };
  const on = await world([at("20", 1), at("16", 1)], wish);
  await on.play(10);
  expect(on.gpus()).toEqual([8, 8]);
  await on.declare({ ...wish, budget: { perHour: "10" } });
  const [first] = on.services as [World["services"][number]];
  const parts = (await readParts(first.keeper.ledger)).get("training") ?? [];
  const bounds = parts.map(({ draft, fleet }) => boundOf(draft, fleet, contextOf(first.keeper), parts));
  expect(bounds.map(({ perHour }) => [perHour?.usd.toFixed(), perHour?.by])).toEqual([
    ["36", "what runs now"],
    ["36", "what runs now"],
  ]);
});
