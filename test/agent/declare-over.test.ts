import { expect, test } from "vitest";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { orderContext } from "../../agent/orders/carry-out.ts";
import { LEDGER_ORDERS } from "../../agent/orders/ledger-orders.ts";
import { carryOutOver, fileOver } from "../../agent/orders/over-parts.ts";
import type { Keeper } from "../../launch/keeper.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { Json } from "../../service/contract/service.ts";
import { at, sum, type World, world } from "./over-services.ts";

/* A fleet file that is declared in two services at once, whose every step may be the last one. */

const BOTH = { services: ["s0", "s1"], select: { gpuModel: "H100" } };
const FIRST = [
  { name: "nightly", gpus: 16, ...BOTH },
  { name: "daily", gpus: 8, ...BOTH, services: ["s1", "s0"] },
];
const THEN = [
  { name: "nightly", gpus: 24, ...BOTH },
  { name: "weekly", gpus: 8, ...BOTH },
];

interface Asked {
  readonly fleets?: readonly Json[];
  readonly drains?: readonly string[];
  readonly key?: string;
  readonly version?: string;
  /** After so many decisions none is stored any more. */
  readonly cut?: number;
}

async function begun() {
  const on = await world([at("20"), at("16", 2)], { gpus: 0, select: { gpuModel: "H100" } } as WishInput);
  return { on, give: (asked: Asked) => give(on, asked) };
}

function give(on: World, { fleets, drains, key, version, cut = 100 }: Asked) {
  const keeper = on.services[0]?.keeper as Keeper;
  let left = cut;
  const ledger = new Proxy(keeper.ledger, {
    get: (target, name) => {
      if (name !== "decide") return Reflect.get(target, name).bind?.(target) ?? Reflect.get(target, name);
      return (...args: Parameters<Ledger["decide"]>) => {
        if (left-- <= 0) throw new FleetkeeperError("LEDGER_BUSY", "cut off");
        return target.decide(...args);
      };
    },
  }) as Ledger;
  const order = LEDGER_ORDERS.find(
    ({ name, about }) => about === "file" && name === (fleets ? "declare" : "remove"),
  );
  if (!order) throw new Error("no such order");
  const actor = { name: "token:ci", may: "declare" } as const;
  const input = JSON.parse(JSON.stringify({ fleets, drains }));
  const kept = async () =>
    new Map(on.services.map((each, at) => [`s${at}`, { account: each.keeper.account, gpuModels: {} }]));
  const context = () => orderContext(keeper, actor, false);
  return carryOutOver(
    { order, target: "ci", input, actor, key, version },
    { ledger, kept, context, isOwn: () => true },
  );
}

const ledgerOf = (on: World) => (on.services[0] as World["services"][number]).keeper.ledger;

/** What is declared, in each account. */
async function rows(on: World): Promise<readonly (readonly Json[])[]> {
  const said = ({ name, source, wish, removed, paused, part }: FleetRow): Json =>
    JSON.parse(
      JSON.stringify([name, source, removed ? null : wish, removed, paused, part?.service, part?.leaving]),
    );
  const found = await Promise.all(
    on.services.map(async ({ keeper }) => (await keeper.ledger.read(keeper.account)).fleets),
  );
  return found.map((fleets) =>
    fleets
      .filter(({ source }) => source === "api:ci")
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map(said),
  );
}

/** The GPUs of each fleet over all services. */
async function gpusOf(on: World, name: string): Promise<number> {
  const found = await Promise.all(
    on.services.map(async ({ keeper }) => (await keeper.ledger.read(keeper.account)).deployments),
  );
  const mine = found
    .flat()
    .filter(({ owner, end }) => end === null && owner?.replace(/@.*/, "") === `fleet:${name}`);
  return mine.length * 8;
}

test("a file is declared in all services, where it is cheapest, and changed and taken back", async () => {
  const { on, give } = await begun();
  expect(await give({ fleets: FIRST })).toMatchObject({
    isAgain: false,
    parts: [{ service: "s0" }, { service: "s1" }],
  });
  await on.play(15);
  expect([on.gpus(), await gpusOf(on, "nightly"), await gpusOf(on, "daily")]).toEqual([[8, 16], 16, 8]);
  await give({ fleets: THEN, drains: ["daily", "daily@s0"] });
  await on.play(15);
  expect([await gpusOf(on, "nightly"), await gpusOf(on, "daily"), await gpusOf(on, "weekly")]).toEqual([
    24, 0, 8,
  ]);
  await give({});
  await on.play(15);
  expect(on.gpus()).toEqual([0, 0]);
});

/** How many decisions each takes: a first part that is left out goes before all else. */
const STEPS = { FIRST: 2, THEN: 3, remove: 3 } as const;

test.for([
  ["FIRST", 1],
  ["THEN", 1],
  ["THEN", 2],
  ["remove", 1],
  ["remove", 2],
] as const)(
  "%s cut off after %i decisions, and given again, ends as one that is not",
  async ([what, cut]) => {
    const whole = await begun();
    const half = await begun();
    const asked: Asked = { FIRST: { fleets: FIRST }, THEN: { fleets: THEN }, remove: {} }[what];
    for (const { on, give } of [whole, half])
      if (what !== "FIRST") {
        await give({ fleets: FIRST });
        await on.play(15);
      }
    const launches = () => sum(half.on.services.map((each) => each.launches()));
    const { version } = await fileOver("ci", ledgerOf(half.on));
    const before = launches();
    await whole.give({ ...asked, key: "k" });
    await expect(half.give({ ...asked, version, cut })).rejects.toThrow("the same order again does the rest");
    await half.on.play(10);
    // Half of what takes out rents nothing of it elsewhere.
    if (what === "remove") expect(launches()).toBe(before);
    // Without a key, too, and by what was seen before half of it was done.
    expect(await half.give({ ...asked, version, key: "k" })).not.toHaveProperty("refused");
    expect(await rows(half.on)).toEqual(await rows(whole.on));
    await expect(half.give({ ...asked, version, key: "k", cut: 0 })).resolves.toMatchObject({
      isAgain: true,
    });
    for (const { on } of [whole, half]) await on.play(15);
    for (const name of ["nightly", "daily", "weekly"])
      expect(await gpusOf(half.on, name), name).toBe(await gpusOf(whole.on, name));
    await expect(whole.give({ ...asked, cut: STEPS[what] })).resolves.toBeDefined();
  },
);

test("a fleet that one service keeps alone from now on goes on there, and what is taken out before all else is told", async () => {
  const { on, give } = await begun();
  const nightly = { ...FIRST[0], gpus: 8, services: ["s1", "s0"] };
  await give({ fleets: [nightly, { ...FIRST[1], services: ["s0", "s1"] }] });
  await on.play(15);
  const ids = () => on.services.map((each) => each.alive().map(({ id }) => id));
  const [, [first, second] = []] = ids();
  const { services: _both, ...rest } = nightly;
  expect(await give({ fleets: [{ ...rest, service: "s1" }] })).toMatchObject({
    parts: [
      { service: "s0", answer: { drains: ["daily", "nightly@s0"] } },
      { service: "s1", answer: { drains: ["daily@s1"] } },
    ],
  });
  await on.play(15);
  const [none, [kept, ...others] = []] = ids();
  expect([none, [first, second].includes(kept), others]).toEqual([[], true, []]);
});

test("by an old version, with a drain that nobody named, or beside a stranger of its name nothing is declared", async () => {
  const { on, give } = await begun();
  expect(await fileOver("ci", ledgerOf(on))).toEqual({ version: "none", parts: [] });
  await give({ fleets: FIRST, version: "none" });
  const { version } = await fileOver("ci", ledgerOf(on));
  expect(await give({ fleets: THEN, version: "none" })).toMatchObject({ refused: "otherVersion", version });
  await expect(give({ fleets: THEN, drains: ["daily"] })).rejects.toThrow("daily@s0 would drain, too");
  await expect(give({ fleets: [{ ...FIRST[0], name: "training" }] })).rejects.toThrow(
    "has declared this name",
  );
  await expect(give({ fleets: [{ ...FIRST[0], services: ["s0", "s9"] }] })).rejects.toThrow(
    'fleets.0.services: expected some of services (s0, s1), got "s9"',
  );
  await give({ fleets: THEN, version });
  // Another job was faster.
  expect(await give({ fleets: FIRST, version })).toMatchObject({ refused: "otherVersion" });
});
