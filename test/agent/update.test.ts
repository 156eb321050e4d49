import { expect, test } from "vitest";
import { resumeFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import { renewAll } from "../../agent/fleet/phase/renewal-marks.ts";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { storeCheck } from "../../agent/planning/machines/readiness.ts";
import { preview } from "../../agent/reconcile/preview.ts";
import { fleetReport } from "../../agent/status/fleet-report.ts";
import { contextOf } from "../../launch/keeper.ts";
import { HOUR_MS } from "../../ledger/instant.ts";
import { H100, H100_SOUTH, type Stage, type StageOptions } from "../support/stage.ts";
import { candidate, draftOf, MINUTE, nextAgent, onStage, reasonsOf, type Seen, watch } from "./on-stage.ts";

const WISH = {
  gpus: 24,
  surge: 8,
  candidates: [candidate(H100)],
  parameters: { image: "one" },
  update: {},
} satisfies WishInput;
const TWO = { parameters: { image: "two" } };
const { update: _, ...PLAIN } = WISH;

/** The images of what lives, by the simulator. */
function images(on: Stage): readonly unknown[] {
  return on.simulator
    .truth()
    .machines.filter(({ endedAt }) => endedAt === null)
    .map(({ parameters }) => parameters.image)
    .sort();
}

/** Three machines of the first image. */
async function withThree(wish: WishInput = WISH, options: StageOptions = {}): Promise<Stage> {
  const on = await onStage({ dialect: "link", settings: { emptyBalance: "owe" }, ...options });
  on.simulator.control.addCredits("100000");
  await on.declare({ training: wish });
  on.start();
  await on.clock.advance(20 * MINUTE);
  expect(images(on)).toEqual(["one", "one", "one"]);
  return on;
}

/** A machine is ready as soon as it runs, unless its image is this one. */
async function answers(on: Stage, minutes: number, never: string): Promise<Seen> {
  const seen = { most: 0, fewest: Number.POSITIVE_INFINITY };
  for (let at = 0; at < minutes; at++) {
    const { machines } = on.simulator.truth();
    await on.keeper.ledger.decide(on.keeper.account, (draft) => {
      for (const { id, parameters } of machines) {
        const isBad = parameters.image === never;
        storeCheck(
          draft,
          id,
          isBad ? { kind: "bad", why: "no CUDA" } : { kind: "good" },
          contextOf(on.keeper),
        );
      }
    });
    const { most, fewest } = await watch(on, 1);
    seen.most = Math.max(seen.most, most);
    seen.fewest = Math.min(seen.fewest, fewest);
  }
  return seen;
}

test("without update nothing that runs is touched, and plan, status and --json say what is of an older wish", async () => {
  const on = await withThree(PLAIN);
  const before = on.alive().map(({ id }) => id);
  await on.declare({ training: { ...PLAIN, ...TWO } });
  await on.clock.advance(3 * HOUR_MS);
  expect(on.alive().map(({ id }) => id)).toEqual(before);
  expect(reasonsOf(on)).toMatch(
    /^3 machines are of an older wish \(.*; other parameters\): only what is launched from now on is of the new one, as the fleet has no update$/m,
  );
  const { olderWish } = fleetReport(await draftOf(on), "training", contextOf(on.keeper));
  expect(olderWish).toEqual(before.map((id) => ({ id, differs: ["parameters"] })));
  const { plans } = await preview(on.keeper, undefined, AbortSignal.timeout(10_000));
  expect(plans[0]?.olderWish).toEqual(olderWish);
  on.simulator.control.interrupt(before[0] ?? "");
  await on.clock.advance(20 * MINUTE);
  expect(images(on)).toEqual(["one", "one", "two"]);
});

test("machines of an older wish are replaced one after the other, new ones first, and each once", async () => {
  const on = await withThree();
  await on.declare({ training: { ...WISH, ...TWO } });
  const seen = await watch(on, 60);
  expect(images(on)).toEqual(["two", "two", "two"]);
  expect(seen).toEqual({ most: 32, fewest: 24 });
  expect(on.launches()).toBe(6);
});

test("as many go together as most says, and surge has room for", async () => {
  for (const [surge, most] of [
    [16, 40],
    [40, 48],
  ] as const) {
    const on = await withThree({ ...WISH, surge });
    await on.declare({ training: { ...WISH, surge, update: { most: surge === 16 ? 2 : 3 }, ...TWO } });
    const seen = await watch(on, 60);
    expect(images(on)).toEqual(["two", "two", "two"]);
    expect(seen).toEqual({ most, fewest: 24 });
  }
});

test("without surge the old ones go first, one at a time, and no more is ever paid for", async () => {
  const on = await withThree({ ...WISH, surge: 0 });
  await on.declare({ training: { ...WISH, surge: 0, ...TWO } });
  expect(await watch(on, 60)).toEqual({ most: 24, fewest: 16 });
  expect(images(on)).toEqual(["two", "two", "two"]);
  expect(on.launches()).toBe(6);
});

test("a wish that goes back makes nothing old, nor does what the profile does not send, nor a price", async () => {
  const on = await withThree();
  const before = on.alive().map(({ id }) => id);
  const wishes = [
    { ...WISH, parameters: { image: "one", note: "not in the profile" } },
    { ...WISH, candidates: [{ ...candidate(H100), pricePerHour: "30" }] },
    WISH,
  ];
  for (const wish of wishes) {
    await on.declare({ training: wish });
    await on.clock.advance(10 * MINUTE);
    expect(reasonsOf(on)).not.toMatch(/older wish/);
  }
  expect(on.alive().map(({ id }) => id)).toEqual(before);
});

test("another profile that sends more of the same wish makes nothing old by its parameters", async () => {
  const wish = { ...WISH, parameters: { image: "one", note: "not in the profile" } };
  const on = await withThree(wish);
  const before = on.alive().map(({ id }) => id);
  await on.stop();
  const { service } = on.keeper;
  const abilities = { ...service.abilities, parameters: ["image", "note"] };
  const next = nextAgent(on, { ...on.keeper, service: { ...service, abilities, profileHash: "edited" } });
  await on.clock.advance(HOUR_MS);
  expect(on.alive().map(({ id }) => id)).toEqual(before);
  expect(reasonsOf(on)).not.toMatch(/older wish/);
  await on.declare({ training: { ...wish, candidates: [candidate(H100_SOUTH)] } });
  await on.clock.advance(HOUR_MS);
  expect(new Set(on.alive().map(({ place }) => place))).toEqual(new Set(["south/rome"]));
  await next.stop();
});

test("a combination, a place and a model that are not allowed any more make a machine old", async () => {
  const select = { gpuModel: "H100", locations: ["oslo"] };
  const { candidates: _none, ...rest } = { ...WISH, select };
  for (const [differs, first, then] of [
    ["candidates", WISH, { ...WISH, candidates: [candidate(H100_SOUTH)] }],
    ["select.locations", rest, { ...rest, select: { ...select, locations: ["rome"] } }],
    ["select.providers", rest, { ...rest, select: { gpuModel: "H100", providers: ["south"] } }],
    ["select.gpuModel", rest, { ...rest, select: { gpuModel: "H200" } }],
  ] as [string, WishInput, WishInput][]) {
    const h200 = { ...H100_SOUTH, gpuModel: "H200" };
    const on = await withThree(first, {
      offers: [H100, differs === "select.gpuModel" ? h200 : H100_SOUTH],
    });
    await on.declare({ training: then });
    await on.clock.advance(MINUTE);
    expect(reasonsOf(on)).toContain(`other ${differs}`);
    await on.clock.advance(HOUR_MS);
    expect(new Set(on.alive().map(({ place }) => place))).toEqual(new Set(["south/rome"]));
  }
});

const CHECKED = { ...WISH, ready: { address: "host", tcp: 22, within: "5m" } } satisfies WishInput;

test("what is not ready in time pauses the update: the old ones stay, people are told, and a restart changes nothing", async () => {
  const on = await withThree(CHECKED);
  await answers(on, 2, "");
  const before = on.alive().map(({ id }) => id);
  await on.declare({ training: { ...CHECKED, ...TWO } });
  const seen = await answers(on, 60, "two");
  expect(on.alive().map(({ id }) => id)).toEqual(before);
  expect(seen).toEqual({ most: 32, fewest: 24 });
  expect(on.launches()).toBe(4);
  const paused =
    /nothing is replaced until another declaration or fleetkeeper resume training: .* not ready in time .*: no CUDA/;
  expect(reasonsOf(on)).toMatch(paused);
  const events = await on.keeper.ledger.events(on.keeper.account, 50);
  expect(events.filter(({ kind }) => kind === "updateFailed")).toHaveLength(1);
  await on.stop();
  const again = nextAgent(on);
  await on.declare({ training: { ...CHECKED, ...TWO } });
  await answers(on, 30, "two");
  expect(on.alive().map(({ id }) => id)).toEqual(before);
  expect(on.launches()).toBe(4);
  await on.keeper.ledger.decide(on.keeper.account, (draft) =>
    resumeFleet(draft, "training", contextOf(on.keeper)),
  );
  await answers(on, 5, "two");
  expect(on.launches()).toBe(5);
  await again.stop();
});

test("the old wish again clears the pause, and the new machines go, not the old ones", async () => {
  const on = await withThree({ ...CHECKED, surge: 0 });
  await answers(on, 2, "");
  const before = on.alive().map(({ id }) => id);
  await on.declare({ training: { ...CHECKED, surge: 0, ...TWO } });
  await answers(on, 60, "two");
  expect(images(on)).toEqual(["one", "one", "two"]);
  await on.declare({ training: { ...CHECKED, surge: 0 } });
  await answers(on, 30, "two");
  expect(images(on)).toEqual(["one", "one", "one"]);
  expect(on.alive().filter(({ id }) => before.includes(id))).toHaveLength(2);
  expect(reasonsOf(on)).not.toMatch(/resume/);
});

test("a wish that goes back in the middle stops what is new, running or not", async () => {
  const on = await withThree(CHECKED);
  await answers(on, 2, "");
  const before = on.alive().map(({ id }) => id);
  await on.declare({ training: { ...CHECKED, ...TWO } });
  await answers(on, 4, "two");
  expect(on.alive().map(({ state }) => state)).toEqual(["running", "running", "running", "running"]);
  expect(images(on)).toEqual(["one", "one", "one", "two"]);
  await on.declare({ training: CHECKED });
  await answers(on, 20, "two");
  expect(on.alive().map(({ id }) => id)).toEqual(before);
});

test("machines that the service calls failed pause it, too; without pauseOnFailure the next try follows", async () => {
  for (const pauseOnFailure of [true, false]) {
    const on = await withThree();
    on.simulator.control.failNext(candidate(H100), {}, { times: 99 });
    await on.declare({ training: { ...WISH, ...TWO, update: { within: "10m", pauseOnFailure } } });
    await watch(on, 90);
    expect(images(on).filter((image) => image === "one")).toHaveLength(3);
    on.simulator.control.failNoMore();
    await on.clock.advance(4 * HOUR_MS);
    expect(images(on)).toEqual(pauseOnFailure ? ["one", "one", "one"] : ["two", "two", "two"]);
  }
});

test("where nothing can be had nothing has failed: it goes on once there is room", async () => {
  const on = await withThree();
  on.simulator.control.setCapacity(H100, 0);
  await on.declare({ training: { ...WISH, ...TWO } });
  await on.clock.advance(2 * HOUR_MS);
  expect(images(on)).toEqual(["one", "one", "one"]);
  on.simulator.control.setCapacity(H100, 100);
  await on.clock.advance(2 * HOUR_MS);
  expect(images(on)).toEqual(["two", "two", "two"]);
});

test("what a person holds stays, and the others go", async () => {
  const on = await withThree();
  const [held] = on.alive();
  await on.keeper.ledger.decide(on.keeper.account, (draft) => {
    const row = draft.deployments.ever(held?.id ?? "");
    if (row) draft.putDeployment({ ...row, hold: { until: on.clock.now() + 9 * HOUR_MS, why: "a demo" } });
  });
  await on.declare({ training: { ...WISH, ...TWO } });
  await on.clock.advance(2 * HOUR_MS);
  expect(images(on)).toEqual(["one", "two", "two"]);
  expect(on.alive()[0]?.id).toBe(held?.id);
  expect(reasonsOf(on)).toMatch(/is not stopped: .* until fleetkeeper release/);
});

test("a limit that does not pay for both lets the old ones go first, and one that pays for no other keeps them", async () => {
  for (const [budget, fewest, last] of [
    [{ perHour: "50" }, 16, "two"],
    [{ perDay: "49" }, 24, "one"],
  ] as const) {
    const on = await withThree({ ...WISH, budget });
    await on.declare({ training: { ...WISH, budget, ...TWO } });
    expect(await watch(on, 90)).toEqual({ most: 24, fewest });
    expect(images(on)).toEqual([last, last, last]);
  }
});

test("with when: paidEnd a machine goes at the end of its paid hour", async () => {
  const wish = { ...WISH, update: { when: "paidEnd" } } satisfies WishInput;
  const on = await withThree(wish, { settings: { emptyBalance: "owe", billing: "perHour" } });
  await on.declare({ training: { ...wish, ...TWO } });
  await on.clock.advance(20 * MINUTE);
  expect(images(on)).toEqual(["one", "one", "one"]);
  await on.clock.advance(4 * HOUR_MS);
  expect(images(on)).toEqual(["two", "two", "two"]);
  const lasted = on.simulator
    .truth()
    .machines.filter(({ parameters }) => parameters.image === "one")
    .map(({ committedAt, endedAt }) => ((endedAt ?? 0) - committedAt) % HOUR_MS);
  for (const ms of lasted) expect(ms).toBeGreaterThan(44 * MINUTE);
});

test("what would be lost to machines that ended young waits until they are not (churn)", async () => {
  const wish = { ...WISH, budget: { churn: "10" } };
  const on = await withThree(wish);
  await on.declare({ training: { ...wish, ...TWO } });
  await on.clock.advance(20 * MINUTE);
  expect(images(on)).toEqual(["one", "one", "one"]);
  expect(reasonsOf(on)).toMatch(/too much would be lost to machines that ended young \(churn\)/);
  await on.clock.advance(2 * HOUR_MS);
  expect(images(on)).toEqual(["two", "two", "two"]);
});

test("an agent that is killed at any moment of an update leaves it to the next one", async () => {
  for (const minutes of [0.2, 0.5, 1, 1.5, 3]) {
    const on = await withThree();
    await on.declare({ training: { ...WISH, ...TWO } });
    await watch(on, minutes);
    await on.stop();
    await on.clock.advance(30 * MINUTE);
    const next = nextAgent(on);
    const seen = await watch(on, 60);
    await next.stop();
    expect(images(on)).toEqual(["two", "two", "two"]);
    expect(seen.fewest).toBe(24);
    expect(seen.most).toBeLessThanOrEqual(32);
    expect(on.launches()).toBe(6);
  }
});

test("a machine that is lost in the middle is replaced, and the update goes on", async () => {
  const on = await withThree();
  await on.declare({ training: { ...WISH, ...TWO } });
  await on.clock.advance(2 * MINUTE);
  on.simulator.control.interrupt(on.alive()[0]?.id ?? "", { now: true });
  const { most } = await watch(on, 60);
  expect(images(on)).toEqual(["two", "two", "two"]);
  expect(most).toBeLessThanOrEqual(32);
  expect(on.launches()).toBe(6);
});

test("what is above the count, as no machine is small enough to be stopped for it, goes with what is replaced", async () => {
  const half = { ...H100, offer: "h100-4x", gpus: 4, pricePerHour: "9.0000" };
  const on = await withThree(WISH, { offers: [H100, half] });
  const less = { ...WISH, gpus: 20, ...TWO, candidates: [candidate(half)] } satisfies WishInput;
  await on.declare({ training: less });
  expect(await watch(on, 60)).toEqual({ most: 28, fewest: 20 });
});

test("larger machines take the place of several small ones where most is so many, and plan says so where it is not", async () => {
  const small = { ...H100, offer: "h100-4", gpus: 4 };
  const wish = { ...WISH, gpus: 16, candidates: [candidate(small)] };
  const on = await onStage({ dialect: "link", offers: [H100, small], settings: { emptyBalance: "owe" } });
  await on.declare({ training: wish });
  on.start();
  await on.clock.advance(20 * MINUTE);
  expect(on.alive()).toHaveLength(4);
  await on.declare({ training: { ...wish, candidates: [candidate(H100)] } });
  await on.clock.advance(30 * MINUTE);
  expect(reasonsOf(on)).toMatch(
    /the smallest machine that can be had has 8 GPUs, and 4 would be missing: raise update.most/,
  );
  await on.declare({ training: { ...wish, candidates: [candidate(H100)], update: { most: 2 } } });
  expect(await watch(on, 60)).toEqual({ most: 24, fewest: 16 });
  expect(on.alive().map(({ gpus }) => gpus)).toEqual([8, 8]);
});

test("plan shows what an update would begin with, before it is declared", async () => {
  const on = await withThree();
  await on.declare({ training: { ...WISH, paused: true, ...TWO } });
  await on.stop();
  const wish = (await draftOf(on)).fleets.get("training")?.wish as WishInput;
  await on.declare({ training: { ...wish, paused: false } });
  const { plans } = await preview(on.keeper, undefined, AbortSignal.timeout(10_000));
  expect(plans[0]?.launches).toHaveLength(1);
  expect(plans[0]?.launches[0]?.why).toMatch(/^in its place: .* is of an older wish$/);
  expect(plans[0]?.reasons.join()).toContain("replaced, one at a time");
});

test("machines older than maxAge are replaced one at a time, the oldest first, new ones first, at the end of their paid hours", async () => {
  const wish = { ...PLAIN, maxAge: "6h" };
  const on = await withThree(wish, { settings: { emptyBalance: "owe", billing: "perHour" } });
  const first = on.alive().map(({ id }) => id);
  const seen = await watch(on, 5 * 60);
  expect(on.alive().map(({ id }) => id)).toEqual(first);
  const { most, fewest } = await watch(on, 4 * 60);
  expect({ most: Math.max(most, seen.most), fewest: Math.min(fewest, seen.fewest) }).toEqual({
    most: 32,
    fewest: 24,
  });
  expect(on.alive().filter(({ id }) => first.includes(id))).toEqual([]);
  expect(on.launches()).toBe(6);
  const gone = on.simulator.truth().machines.filter(({ id }) => first.includes(id));
  for (const { committedAt, endedAt } of gone)
    expect(((endedAt ?? 0) - committedAt) % HOUR_MS).toBeGreaterThan(44 * MINUTE);
});

test("right before the end of a paid hour nothing begins that would pay for the next one, and it goes at the next end", async () => {
  for (const changes of [
    { maxAge: "55m" },
    { update: { when: "paidEnd" }, ...TWO },
  ] satisfies readonly Partial<WishInput>[]) {
    const on = await withThree(PLAIN, { settings: { emptyBalance: "owe", billing: "perHour" } });
    await on.clock.advance(33 * MINUTE);
    const first = on.alive().map(({ id }) => id);
    await on.declare({ training: { ...PLAIN, ...changes } });
    const { most, fewest } = await watch(on, 20);
    expect(on.alive().map(({ id }) => id)).toEqual(first);
    const seen = await watch(on, 4 * 60);
    expect({ most: Math.max(most, seen.most), fewest: Math.min(fewest, seen.fewest) }).toEqual({
      ...{ most: 32, fewest: 24 },
    });
    const gone = on.simulator.truth().machines.filter(({ id }) => first.includes(id));
    for (const { committedAt, endedAt } of gone)
      expect(((endedAt ?? 0) - committedAt) % HOUR_MS).toBeGreaterThan(44 * MINUTE);
  }
});

test("an agent that was away for a month replaces one after the other, too", async () => {
  const wish = { ...PLAIN, surge: 0, maxAge: "7d" };
  const on = await withThree(wish);
  await on.stop();
  await on.clock.advance(30 * 24 * HOUR_MS);
  const next = nextAgent(on);
  const seen = await watch(on, 6 * 60);
  await next.stop();
  expect(seen).toEqual({ most: 24, fewest: 16 });
  expect(on.launches()).toBe(6);
});

test("a life ends so long after all GPUs ran for the first time, whatever restarts and wishes come between", async () => {
  const on = await onStage({ dialect: "link", settings: { emptyBalance: "owe" } });
  on.simulator.control.setCapacity(H100, 2);
  const wish = { ...PLAIN, life: "12h" };
  await on.declare({ training: wish });
  on.start();
  await on.clock.advance(5 * HOUR_MS);
  expect(reasonsOf(on)).toContain("its life of 12h begins once all of its GPUs run");
  on.simulator.control.setCapacity(H100, 100);
  await on.clock.advance(20 * MINUTE);
  expect(reasonsOf(on)).toMatch(/^its life of 12h ends at .*: then it is drained$/m);
  await on.stop();
  const next = nextAgent(on);
  await on.declare({ training: { ...wish, gpus: 32, ...TWO } });
  await on.clock.advance(11.5 * HOUR_MS);
  expect(on.alive()).toHaveLength(4);
  await on.clock.advance(20 * MINUTE);
  expect(on.alive()).toEqual([]);
  await on.declare({ training: { ...wish, gpus: 32, life: "14h" } });
  await on.clock.advance(20 * MINUTE);
  expect(on.alive()).toHaveLength(4);
  await on.clock.advance(2 * HOUR_MS);
  expect(on.alive()).toEqual([]);
  const { fleets } = await draftOf(on);
  expect(fleets.get("training")?.drained).toMatchObject({ by: "deadline" });
  await next.stop();
});

test("the earlier of until and life counts, and a fleet that was removed lives anew", async () => {
  const on = await withThree({ ...PLAIN, life: "2h" });
  await on.declare({
    training: { ...PLAIN, life: "2h", until: new Date(on.clock.now() + HOUR_MS).toISOString() },
  });
  await on.clock.advance(HOUR_MS + 5 * MINUTE);
  expect(on.alive()).toEqual([]);
  await on.declare({});
  await on.clock.advance(HOUR_MS);
  await on.declare({ training: { ...PLAIN, life: "2h" } });
  await on.clock.advance(1.9 * HOUR_MS);
  expect(on.alive()).toHaveLength(3);
  await on.clock.advance(HOUR_MS);
  expect(on.alive()).toEqual([]);
});

test("a life that is taken out and added again counts from then on", async () => {
  const on = await withThree({ ...PLAIN, life: "12h" });
  await on.clock.advance(6 * HOUR_MS);
  await on.declare({ training: PLAIN });
  await on.clock.advance(30 * HOUR_MS);
  await on.declare({ training: { ...PLAIN, life: "12h" } });
  await on.clock.advance(11.5 * HOUR_MS);
  expect(on.alive()).toHaveLength(3);
  await on.clock.advance(HOUR_MS);
  expect(on.alive()).toEqual([]);
});

const READY = { address: "host", tcp: 22, within: "10m" } satisfies WishInput["ready"];

test.each([
  ["another key of the declaration", { budget: { perDay: "9000" } }, undefined],
  ["another image, which is broken, too", { parameters: { image: "two", note: "mended" } }, undefined],
  ["a resume", undefined, "resume"],
  ["a person who holds what is being replaced", undefined, "hold"],
] as const)("what works stays where an update is ended in the middle by %s", async (_, changes, act) => {
  const wish = { ...WISH, surge: 24, update: { most: 3 }, ready: READY } satisfies WishInput;
  const on = await onStage({ dialect: "link", settings: { emptyBalance: "owe" } });
  on.simulator.control.addCredits("100000");
  await on.declare({ training: wish });
  on.start();
  await answers(on, 25, "two");
  const two = { ...wish, ...TWO };
  await on.declare({ training: two });
  await answers(on, 8, "two");
  expect(images(on)).toEqual(["one", "one", "one", "two", "two", "two"]);
  const [old] = (await draftOf(on)).fleets.get("training")?.updating?.old ?? [];
  if (changes) await on.declare({ training: { ...two, ...changes } });
  await on.keeper.ledger.decide(on.keeper.account, (draft) => {
    if (act === "resume") resumeFleet(draft, "training", contextOf(on.keeper));
    const row = draft.deployments.ever(old ?? "");
    if (act === "hold" && row)
      draft.putDeployment({ ...row, hold: { until: on.clock.now() + 9 * HOUR_MS, why: "a demo" } });
  });
  await answers(on, 90, "two");
  expect(images(on)).toEqual(["one", "one", "one"]);
  expect((await draftOf(on)).fleets.get("training")?.updateHeld?.why).toMatch(/not ready in time/);
});

test("what a window leaves goes first, and the update waits without a tick more", async () => {
  const day = (at: number): string => new Date(at).toISOString().slice(0, 16).replace("T", " ");
  const on = await onStage({ dialect: "link", settings: { emptyBalance: "owe" } });
  on.simulator.control.addCredits("100000");
  const window = { from: day(on.clock.now() - HOUR_MS), to: day(on.clock.now() + 75 * MINUTE), gpus: 24 };
  const schedule = {
    timeZone: "UTC",
    entries: [window],
    min: 0,
    max: 24,
    at: 8,
  } satisfies WishInput["schedule"];
  for (const surge of [0, 8]) {
    const wish = { ...WISH, gpus: 8, overshoot: 16, surge, schedule } satisfies WishInput;
    await on.declare({ training: wish });
    if (surge === 0) {
      on.start();
      await on.clock.advance(78 * MINUTE);
    }
    const before = on.reports.length;
    await on.clock.advance(5 * MINUTE);
    const quiet = on.reports.length - before;
    await on.declare({ training: { ...wish, ...TWO } });
    await on.clock.advance(5 * MINUTE);
    expect(on.reports.length - before - quiet).toBeLessThan(quiet + 5);
    expect(images(on)).toEqual(["one", "one", "one"]);
  }
  await on.clock.advance(90 * MINUTE);
  expect(images(on)).toEqual(["two"]);
});

test("new triggers wait for the update, and none is replaced while it is paused", async () => {
  const wish = { ...WISH, surge: 0, ready: READY } satisfies WishInput;
  const on = await onStage({ dialect: "link", settings: { emptyBalance: "owe" } });
  on.simulator.control.addCredits("100000");
  await on.declare({ training: wish });
  on.start();
  await answers(on, 25, "two");
  await on.declare({ training: { ...wish, ...TWO } });
  await answers(on, 8, "two");
  expect(images(on)).toEqual(["one", "one", "two"]);
  await on.keeper.ledger.decide(on.keeper.account, (draft) => renewAll(draft, "training"));
  await answers(on, 60, "two");
  expect(images(on).filter((image) => image === "one")).toHaveLength(2);
  expect(reasonsOf(on)).toMatch(/to be replaced \(its fleet's triggers changed\): nothing is replaced now: /);
});
