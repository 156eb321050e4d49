import { describe, expect, test } from "vitest";
import type { Declared, DeclaredChanges } from "../../agent/fleet/declare/declare-all.ts";
import { declareAll } from "../../agent/fleet/declare/declare-all.ts";
import { declareFleets } from "../../agent/fleet/declare/declare-fleets.ts";
import { wishSchema } from "../../agent/fleet/wish/wish.ts";
import { contextOf } from "../../launch/keeper.ts";
import type { Stage } from "../support/stage.ts";
import { H100, H100_SOUTH } from "../support/stage.ts";
import { candidate, draftOf, MINUTE, onStage } from "./on-stage.ts";

/** One machine. */
const wish = wishSchema.parse({ gpus: 8, candidates: [candidate(H100), candidate(H100_SOUTH)] });
const LAPTOP = "file:/home/ann/fleet.yaml";
const SERVER = "file:/etc/fleetkeeper/fleet.yaml";
const THIRD = "file:/srv/fleet.yaml";

/** Fleets by name, each maybe with its previous name. */
type Names = Readonly<Record<string, string | undefined>>;
type More = Pick<Declared, "previousSource" | "elsewhere" | "isGone">;
const FROM_LAPTOP = { previousSource: LAPTOP };

function declared(source: string, names: Names, more: More = {}): Declared {
  const fleets = Object.entries(names).map(([name, previousName]) => ({ name, previousName, source, wish }));
  return { ...more, source, fleets };
}

async function declare(on: Stage, source: string, names: Names, more: More = {}): Promise<void> {
  const { fleets } = declared(source, names);
  await declareFleets(on.keeper, source, () => fleets, more);
}

/** What would change, as an agent that stands by asks. */
async function changes(on: Stage, source: string, names: Names, more: More = {}): Promise<DeclaredChanges> {
  return declareAll(await draftOf(on), declared(source, names, more), contextOf(on.keeper));
}

/** All that was declared before runs. */
async function running(source: string, names: Names): Promise<Stage> {
  const on = await onStage();
  await declare(on, source, names);
  on.start();
  await on.clock.advance(10 * MINUTE);
  return on;
}

const ids = (on: Stage): readonly string[] => on.alive().map(({ id }) => id);

/** Where each fleet is kept that is wanted. */
async function kept(on: Stage): Promise<Record<string, string>> {
  const rows = [...(await draftOf(on)).fleets.values()].filter(({ removed }) => !removed);
  return Object.fromEntries(rows.map(({ name, source }) => [name, source]));
}

describe("what a declaration would change", () => {
  test("is asked without storing anything", async () => {
    const on = await running(LAPTOP, { alpha: undefined });
    expect(await changes(on, LAPTOP, { beta: undefined })).toEqual({
      texts: ["beta is new (8 GPUs)", "alpha is left out, and drains"],
      drains: ["alpha"],
      isFirst: false,
    });
    expect(await kept(on)).toEqual({ alpha: LAPTOP });
  });

  test("is no drain for a rename, whoever has the old name then", async () => {
    const on = await running(LAPTOP, { alpha: undefined });
    expect((await changes(on, LAPTOP, { beta: "alpha" })).texts).toEqual([]);
    expect((await changes(on, LAPTOP, { beta: "alpha", alpha: undefined })).texts).toEqual([
      "alpha is new (8 GPUs)",
    ]);
  });

  test("names a drain that a previousName which stayed in the file would hide", async () => {
    const on = await running(LAPTOP, { alpha: undefined });
    await declare(on, LAPTOP, { beta: "alpha" });
    await declare(on, LAPTOP, { beta: "alpha", alpha: undefined });
    await on.clock.advance(10 * MINUTE);
    expect(ids(on)).toHaveLength(2);
    const drains = ["alpha is left out, and drains"];
    expect((await changes(on, LAPTOP, { beta: "alpha" })).texts).toEqual(drains);
    await declare(on, LAPTOP, { beta: "alpha" });
    await on.clock.advance(10 * MINUTE);
    expect(ids(on)).toHaveLength(1);
  });
});

describe("a fleet file that says that it was moved", () => {
  test("has all its fleets from then on, and may rename them on its way", async () => {
    const on = await running(LAPTOP, { alpha: undefined, beta: undefined });
    const before = ids(on);
    const moved = { gamma: "alpha", beta: undefined };
    expect(await changes(on, SERVER, moved, FROM_LAPTOP)).toEqual({
      texts: [`the fleets of ${LAPTOP} are this file's from now on`],
      drains: [],
      isFirst: false,
    });
    await declare(on, SERVER, moved, FROM_LAPTOP);
    await on.clock.advance(30 * MINUTE);
    expect(ids(on)).toEqual(before);
    expect(on.launches()).toBe(2);
    expect(await kept(on)).toEqual({ gamma: SERVER, beta: SERVER });
    expect((await changes(on, SERVER, moved, FROM_LAPTOP)).texts).toEqual([]);
  });

  test.each([
    ["one of them", { alpha: undefined }, "beta"],
    ["all of them", {}, "alpha, beta"],
  ])("and leaves out %s is refused: none drains, and none runs on unseen", async (_, names, left) => {
    const on = await running(LAPTOP, { alpha: undefined, beta: undefined });
    const says = `previousPath: /home/ann/fleet.yaml: the fleet file there has declared ${left}, too`;
    await expect(changes(on, SERVER, names, FROM_LAPTOP)).rejects.toThrow(says);
    await expect(declare(on, SERVER, names, FROM_LAPTOP)).rejects.toThrow(says);
    await on.clock.advance(30 * MINUTE);
    expect(ids(on)).toHaveLength(2);
    expect(await kept(on)).toEqual({ alpha: LAPTOP, beta: LAPTOP });
  });

  test("drains what it leaves out once it was moved, and says so before", async () => {
    const on = await running(LAPTOP, { alpha: undefined, beta: undefined });
    await declare(on, SERVER, { alpha: undefined, beta: undefined }, FROM_LAPTOP);
    expect((await changes(on, SERVER, { alpha: undefined }, FROM_LAPTOP)).texts).toEqual([
      "beta is left out, and drains",
    ]);
    await declare(on, SERVER, { alpha: undefined }, FROM_LAPTOP);
    await on.clock.advance(30 * MINUTE);
    expect(ids(on)).toHaveLength(1);
  });

  test("takes nothing a second time: what is declared at the old path later is that file's", async () => {
    const on = await running(LAPTOP, { alpha: undefined });
    await declare(on, SERVER, { beta: "alpha" }, FROM_LAPTOP);
    await declare(on, LAPTOP, { alpha: undefined, gamma: undefined });
    await on.clock.advance(10 * MINUTE);
    const before = ids(on);
    expect(before).toHaveLength(3);
    expect((await changes(on, SERVER, { beta: "alpha" }, FROM_LAPTOP)).texts).toEqual([]);
    await declare(on, SERVER, { beta: "alpha" }, FROM_LAPTOP);
    await on.clock.advance(30 * MINUTE);
    expect(ids(on)).toEqual(before);
    expect(await kept(on)).toEqual({ beta: SERVER, alpha: LAPTOP, gamma: LAPTOP });
    await expect(changes(on, SERVER, { beta: "alpha", gamma: undefined }, FROM_LAPTOP)).rejects.toThrow(
      `fleet gamma: ${LAPTOP} has declared this name`,
    );
  });

  test("takes nothing either once all of its own fleets are over", async () => {
    const on = await running(LAPTOP, { alpha: undefined });
    await declare(on, SERVER, { beta: "alpha" }, FROM_LAPTOP);
    await declare(on, SERVER, {}, FROM_LAPTOP);
    await on.clock.advance(30 * MINUTE);
    expect(ids(on)).toEqual([]);
    await declare(on, LAPTOP, { gamma: undefined });
    await on.clock.advance(10 * MINUTE);
    await declare(on, SERVER, {}, FROM_LAPTOP);
    await on.clock.advance(30 * MINUTE);
    expect(ids(on)).toHaveLength(1);
    expect(await kept(on)).toEqual({ gamma: LAPTOP });
  });

  test("may move back", async () => {
    const on = await running(LAPTOP, { alpha: undefined });
    const before = ids(on);
    await declare(on, SERVER, { alpha: undefined }, FROM_LAPTOP);
    await declare(on, LAPTOP, { alpha: undefined }, { previousSource: SERVER });
    await on.clock.advance(10 * MINUTE);
    expect(ids(on)).toEqual(before);
    expect(await kept(on)).toEqual({ alpha: LAPTOP });
  });

  test("does not drain a fleet that it has under another of its services now", async () => {
    const on = await running(LAPTOP, { alpha: undefined, beta: undefined });
    const more = { ...FROM_LAPTOP, elsewhere: new Map([["beta", "west"]]) };
    await expect(declare(on, SERVER, { alpha: undefined }, more)).rejects.toThrow(
      "fleet beta: it stands under service west",
    );
    await on.clock.advance(30 * MINUTE);
    expect(ids(on)).toHaveLength(2);
  });
});

describe("fleets of a file that is gone", () => {
  const isGone = (source: string): boolean => source === LAPTOP;

  test("are whose file names them, by a rename as well, and the others run on", async () => {
    const on = await running(LAPTOP, { alpha: undefined, beta: undefined, gamma: undefined });
    const before = ids(on);
    await declare(on, SERVER, { alpha: undefined, delta: "beta" }, { isGone });
    await on.clock.advance(30 * MINUTE);
    expect(ids(on)).toEqual(before);
    expect(await kept(on)).toEqual({ alpha: SERVER, delta: SERVER, gamma: LAPTOP });
  });

  test("are not taken, and drained, by a previousName that renames nothing any more", async () => {
    const on = await running(LAPTOP, { alpha: undefined });
    await declare(on, THIRD, { beta: undefined });
    await on.clock.advance(10 * MINUTE);
    const before = ids(on);
    expect((await changes(on, THIRD, { beta: "alpha" }, { isGone })).texts).toEqual([]);
    await declare(on, THIRD, { beta: "alpha" }, { isGone });
    await on.clock.advance(30 * MINUTE);
    expect(ids(on)).toEqual(before);
    expect(await kept(on)).toEqual({ alpha: LAPTOP, beta: THIRD });
  });
});

describe("where the service shows no balance", () => {
  const floored = wishSchema.parse({ ...wish, budget: { floor: "20.00" } });

  test.each<[string, Partial<Declared>, RegExp]>([
    [
      "a floor is an error at once, and says why and what works",
      { fleets: [{ name: "alpha", source: LAPTOP, wish: floored }] },
      /^fleet alpha: budget\.floor is 20\.00, and by the profile the service shows no balance .* take budget\.floor out/,
    ],
    [
      "an alert of the runway that the file asks for is one, too",
      { saysRunway: true },
      /^alerts\.runway: by the profile the service shows no balance .* take it out, or write never/,
    ],
  ])("%s", async (_what, more, says) => {
    const on = await onStage();
    const context = contextOf(on.keeper);
    const { wire } = context;
    const none = { ...context, wire: { ...wire, abilities: { ...wire.abilities, balance: false as const } } };
    const asked = { ...declared(LAPTOP, { alpha: undefined }), ...more };
    const draft = await draftOf(on);
    expect(() => declareAll(draft, asked, none)).toThrow(says);
    expect(() => declareAll(draft, asked, context)).not.toThrow();
    expect(() => declareAll(draft, declared(LAPTOP, { beta: undefined }), none)).not.toThrow();
  });
});

test("the account knows what the file calls its service, as long as it calls it so", async () => {
  const on = await onStage();
  const called = async () => (await on.keeper.ledger.read(on.keeper.account)).account.service;
  const service = { name: "north", gpuModels: { h100: ["H100"] } };
  await declareFleets(on.keeper, SERVER, () => [], {
    service: { ...service, baseUrl: "x" } as typeof service,
  });
  expect(await called()).toEqual({ ...service, file: SERVER });
  // What says nothing of it, as the API does, leaves it.
  await declareFleets(on.keeper, "api:nightly", () => []);
  expect(await called()).toMatchObject(service);
  await declareFleets(on.keeper, SERVER, () => [], { service: null });
  expect(await called()).toBeUndefined();
});
