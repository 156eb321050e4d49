import { expect, onTestFinished, test } from "vitest";
import { health } from "../../agent/ask/health.ts";
import { MachineWatch } from "../../agent/ask/machine-watch.ts";
import { pauseFleet, resumeFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import type { Answer } from "../../agent/fleet/wish/machine-question.ts";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { storeHealth, watchedFleets, whyDoubted } from "../../agent/planning/machines/health.ts";
import { runLoop } from "../../agent/reconcile/loop.ts";
import { WakeSignal } from "../../agent/reconcile/wake-signal.ts";
import { storeAlarms } from "../../agent/tell/notify/alarms.ts";
import { contextOf } from "../../launch/keeper.ts";
import { holdMachine } from "../../launch/people/machine-hold.ts";
import type { Draft } from "../../ledger/draft.ts";
import { DAY_MS, type Instant } from "../../ledger/instant.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import { Prng } from "../../simulator/prng.ts";
import { candidate, draftOf, MINUTE, onStage, SECOND } from "../agent/on-stage.ts";
import { deploymentAsFound } from "../support/as-found.ts";
import { REPEATS } from "../support/repeats.ts";
import type { Stage, StageOptions } from "../support/stage.ts";
import { H100, H100_SOUTH } from "../support/stage.ts";

const GOOD: Answer = { kind: "good" };
const XID: Answer = { kind: "bad", why: "gpud: accelerator-nvidia-error-xid: XID 79" };
const LATE: Answer = { kind: "unknown", why: "no answer within 5 s" };
const TICK = 15 * SECOND;
const HEALTH = { address: "host", gpud: 15_132, then: "replace" } as const;

interface Scene {
  readonly on: Stage;
  /** What a machine answers, by the order in which they came: 0 is the first. */
  answers: (nth: number) => Answer;
  readonly asked: number[];
  play(minutes: number): Promise<void>;
  /** A process of its own asks from now on; none does for so long. */
  away(minutes: number): Promise<void>;
  told(kind?: string): Promise<readonly string[]>;
  change(decision: (draft: Draft) => unknown): Promise<void>;
}

async function scene(wish: Partial<WishInput> = {}, options: StageOptions = {}): Promise<Scene> {
  const on = await onStage({ ledger: new MemoryLedger(), ...options });
  const { ledger, account } = on.keeper;
  const order: string[] = [];
  const started = () =>
    new MachineWatch(
      on.keeper,
      [
        health(async ({ row: { id } }) => {
          if (!order.includes(id)) order.push(id);
          made.asked.push(order.indexOf(id));
          return made.answers(order.indexOf(id));
        }),
      ],
      (text) => text,
    );
  let watch: MachineWatch | undefined;
  const made: Scene = {
    on,
    answers: () => GOOD,
    asked: [],
    play: async (minutes) => {
      for (let rounds = 0; rounds < minutes * 4; rounds++) {
        await on.clock.advance(15 * SECOND);
        await watch?.settled();
        await made.change((draft) => storeAlarms(draft, contextOf(on.keeper)));
      }
    },
    away: async (minutes) => {
      watch = undefined;
      await made.play(minutes);
      watch = started();
    },
    told: async (kind = "unhealthy") =>
      (await ledger.events(account, 400))
        .filter((event) => event.kind === kind)
        .map(({ text }) => text)
        .reverse(),
    change: async (decision) => {
      await ledger.decide(account, decision);
    },
  };
  watch = started();
  const offers = (options.offers ?? [H100, H100_SOUTH]).map(candidate);
  await on.declare({
    training: {
      gpus: 16,
      candidates: offers as [ReturnType<typeof candidate>],
      health: HEALTH,
      ...wish,
    },
  });
  const ending = new AbortController();
  const wakeSignal = new WakeSignal();
  await ledger.onWake(account, () => wakeSignal.ring(), ending.signal);
  const loop = runLoop(
    {
      ...{ keeper: on.keeper, host: "test", wakeSignal },
      onTick: () => watch?.pump(),
      onError: (error) => on.errors.push(error.message),
    },
    ending.signal,
  );
  onTestFinished(async () => {
    ending.abort();
    await loop;
  });
  await made.play(5);
  expect(gpus(made)).toBe(wish.gpus ?? 16);
  return made;
}

const gpus = (at: Scene): number => at.on.alive().reduce((sum, machine) => sum + machine.gpus, 0);
const launches = (at: Scene): number => at.on.launches();

test.each([
  ["surge", { surge: 8 }],
  ["overshoot", { overshoot: 8 }],
] as const)(
  "from an XID 79 to the replacement's POST it is at most 10 minutes and one tick, where %s has room for both",
  async (_name, wish) => {
    for (const after of [0, 1, 7, 14]) {
      const { at, since } = await withSickOne(wish, after);
      const posted = at.on.simulator.truth().launches.at(-1)?.at ?? 0;
      expect(posted - since).toBeGreaterThanOrEqual(10 * MINUTE);
      expect(posted - since).toBeLessThanOrEqual(10 * MINUTE + TICK);
    }
  },
);

test("with the defaults the stop is sent at most 10 minutes and one tick after an XID 79, and the replacement's POST at most one tick after the service shows the sick one's end", async () => {
  for (const after of [0, 1, 7, 14]) {
    const { at, since } = await withSickOne({}, after);
    const { machines, launches } = at.on.simulator.truth();
    const sick = machines.find(({ endedAt }) => endedAt !== null);
    const stopped = sick?.states.find(({ state }) => state === "stopping")?.at ?? 0;
    expect(stopped - since).toBeGreaterThanOrEqual(10 * MINUTE);
    expect(stopped - since).toBeLessThanOrEqual(10 * MINUTE + TICK);
    const posted = launches.at(-1)?.at ?? 0;
    expect(posted).toBeGreaterThanOrEqual(sick?.endedAt ?? Number.POSITIVE_INFINITY);
    expect(posted - (sick?.endedAt ?? 0)).toBeLessThanOrEqual(TICK);
    expect(await at.told()).toEqual([
      expect.stringMatching(/^\S+ is unhealthy, for 10m: gpud: accelerator-nvidia-error-xid: XID 79$/),
    ]);
    expect(await at.told("stop")).toEqual([expect.stringContaining("it is unhealthy, for 10m: gpud")]);
  }
});

/** The first of two machines has an XID 79 so many seconds after a tick, and is replaced. */
async function withSickOne(wish: Partial<WishInput>, after: number): Promise<{ at: Scene; since: number }> {
  const at = await scene(wish);
  await at.on.clock.advance(after * SECOND);
  const since = at.on.simulator.truth().now;
  at.answers = (nth) => (nth === 0 ? XID : GOOD);
  await at.play(12);
  expect(launches(at)).toBe(3);
  expect(gpus(at)).toBe(16);
  return { at, since };
}

test("a fleet that says tell is told once an hour at most, and that it is over; nothing is stopped", async () => {
  const at = await scene({ health: { ...HEALTH, then: "tell" } });
  at.answers = (nth) => (nth === 0 ? XID : GOOD);
  await at.play(40);
  at.answers = () => GOOD;
  await at.play(1);
  at.answers = (nth) => (nth === 0 ? XID : GOOD);
  await at.play(15);
  expect(await at.told()).toHaveLength(1);
  expect(await at.told("healthy")).toEqual([expect.stringMatching(/ is healthy again$/)]);
  expect(launches(at)).toBe(2);
  await at.play(60);
  expect(await at.told()).toHaveLength(2);
});

test("another cause goes on with the same time", async () => {
  const at = await scene();
  let asked = 0;
  at.answers = (nth) => {
    if (nth === 0) asked += 1;
    return nth === 0 ? { kind: "bad", why: asked % 2 ? "XID 79" : "ECC" } : GOOD;
  };
  await at.play(11);
  expect(await at.told("stop")).toHaveLength(1);
});

test("a good answer ends the time, and time without an answer is none", async () => {
  const at = await scene();
  at.answers = (nth) => (nth === 0 ? XID : GOOD);
  await at.play(9);
  at.answers = () => GOOD;
  await at.play(1);
  at.answers = (nth) => (nth === 0 ? XID : GOOD);
  await at.play(6);
  at.answers = (nth) => (nth === 0 ? LATE : GOOD);
  await at.play(120);
  at.answers = (nth) => (nth === 0 ? XID : GOOD);
  await at.play(3);
  await at.away(180);
  await at.play(0.5);
  expect(await at.told("stop")).toEqual([]);
  expect(launches(at)).toBe(2);
  await at.play(2);
  expect(await at.told("stop")).toHaveLength(1);
});

test("one at a time; three in a row are replaced, then the check is doubted until a day has passed", async () => {
  const at = await scene({ budget: { churn: 100_000 } });
  at.answers = () => XID;
  let least = 16;
  for (let rounds = 0; rounds < 90; rounds++) {
    await at.play(1);
    const { deployments } = await draftOf(at.on);
    const stopping = [...deployments.values()].filter(({ end, stop }) => end === null && stop !== null);
    expect(stopping.length).toBeLessThanOrEqual(1);
    expect(at.on.alive().filter(({ state }) => state === "running").length).toBeGreaterThanOrEqual(1);
    least = Math.min(least, 16 - 8 * stopping.length);
  }
  expect(launches(at)).toBe(2 + 3);
  expect((await at.told()).filter((text) => text.includes("in a row"))).toEqual([
    expect.stringMatching(
      /^3 machines in a row were replaced because they were unhealthy, and none that came since/,
    ),
  ]);
  const { now } = contextOf(at.on.keeper);
  const draft = await draftOf(at.on);
  const inADay = { ...now, wall: now.wall + DAY_MS, mono: now.mono + DAY_MS };
  const [fleet] = watchedFleets(draft, contextOf(at.on.keeper));
  const doubt = (of: Instant) => fleet && whyDoubted(draft, fleet, { ...contextOf(at.on.keeper), now: of });
  expect(doubt(now)).toBeDefined();
  expect(doubt(inADay)).toBeUndefined();
});

test("a machine that came since and is good ends the doubt", async () => {
  const at = await scene({ budget: { churn: 100_000 } });
  at.answers = (nth) => (nth < 5 ? XID : GOOD);
  await at.play(90);
  expect(launches(at)).toBe(2 + 3);
  at.answers = () => GOOD;
  await at.play(30);
  at.answers = (nth) => (nth === 3 ? XID : GOOD);
  await at.play(30);
  expect(launches(at)).toBe(2 + 3 + 1);
});

test("one that was good for a moment, and is gone, does not end the doubt", async () => {
  const at = await scene({ budget: { churn: 100_000 } });
  const interrupt = (): void =>
    at.on.simulator.control.interrupt(at.on.alive().at(-1)?.id ?? "", { now: true });
  at.answers = (nth) => (nth === 5 ? GOOD : XID);
  await at.play(90);
  interrupt();
  await at.play(6);
  expect(launches(at)).toBe(2 + 3 + 1);
  interrupt();
  await at.play(30);
  expect(launches(at)).toBe(2 + 3 + 2);
});

test("nothing is replaced whose end would lose so much that the next launch waits", async () => {
  const at = await scene({ budget: { churn: 20 } });
  at.answers = (nth) => (nth < 2 ? XID : GOOD);
  await at.play(40);
  expect(launches(at)).toBe(3);
  expect(gpus(at)).toBe(16);
  const { reasons } = [...(await draftOf(at.on)).fleets.values()][0] ?? {};
  expect(reasons).toEqual([
    expect.stringMatching(
      /is unhealthy and is not replaced: with it, too much would be lost to machines that ended young/,
    ),
  ]);
  // Past its first hour nothing of it is lost.
  await at.play(30);
  expect(launches(at)).toBe(4);
});

test("what a person holds, what is paused, what is not certainly ours, and what a doubted list shows is not stopped", async () => {
  const at = await scene();
  const { keeper } = at.on;
  at.answers = (nth) => (nth === 0 ? XID : GOOD);
  await at.play(5);
  const bad = [...(await draftOf(at.on)).deployments.values()].find((row) => row.health?.bad);
  const hold = (forMs: number) =>
    at.change((draft) =>
      holdMachine(draft, bad?.id ?? "", contextOf(keeper).now.wall + forMs, undefined, contextOf(keeper)),
    );
  await hold(30 * MINUTE);
  await at.play(20);
  expect(await at.told("stop")).toEqual([]);
  await at.change((draft) => pauseFleet(draft, "training", contextOf(keeper)));
  await at.play(20);
  expect(await at.told("stop")).toEqual([]);
  await at.change((draft) => {
    const { now } = contextOf(keeper);
    const stopOf = () => draft.deployments.ever(bad?.id ?? "")?.stop;
    const hear = () =>
      health(async () => XID).store(draft, [{ id: bad?.id ?? "", answer: XID, at: now }], contextOf(keeper));
    resumeFleet(draft, "training", contextOf(keeper));
    draft.putAccount({ ...draft.account, doubt: { begun: now, missing: [] } });
    hear();
    expect(stopOf()).toBeNull();
    draft.putAccount({ ...draft.account, doubt: null });
    hear();
    expect(stopOf()).not.toBeNull();
  });
  const other = await scene({}, { dialect: "nested" });
  await other.change((draft) => {
    for (const row of draft.deployments.values()) deploymentAsFound(draft, { ...row, claim: "inferred" });
  });
  other.answers = (nth) => (nth === 0 ? XID : GOOD);
  await other.play(30);
  expect(await other.told("unhealthy")).toHaveLength(1);
  expect(await other.told("stop")).toEqual([]);
});

test("a machine whose next answer is on its way is not stopped for what it said before, whoever answers sooner", async () => {
  const at = await scene({ gpus: 24 });
  const kind = health(() => new Promise(() => undefined));
  const ids = [...(await draftOf(at.on)).deployments.keys()];
  const context = contextOf(at.on.keeper);
  const { now } = context;
  const later = (ms: number): Instant => ({ ...now, wall: now.wall + ms, mono: now.mono + ms });
  await at.change((draft) => {
    const hear = (ms: number, answer: Answer, id = ids[0] ?? "") =>
      kind.store(draft, [{ id, answer, at: later(ms) }], { ...context, now: later(ms) });
    const stops = () => ids.filter((id) => draft.deployments.ever(id)?.stop !== null);
    for (let ms = 0; ms < 10 * MINUTE; ms += TICK) hear(ms, XID);
    for (const job of kind.due(draft, { ...context, now: later(10 * MINUTE) }))
      if (job.id === ids[0]) void job.ask(AbortSignal.timeout(MINUTE));
    // The answer with which its ten minutes end is stored, and the next one is asked for.
    const [fleet] = watchedFleets(draft, context);
    if (fleet)
      storeHealth(draft, ids[0] ?? "", { answer: XID, at: later(10 * MINUTE) }, fleet.health, context);
    hear(10 * MINUTE, GOOD, ids[1]);
    expect(stops()).toEqual([]);
    hear(10 * MINUTE, XID);
    expect(stops()).toEqual([ids[0]]);
  });
});

test("its combination is avoided for an hour where another one is to be had, and used again where none is", async () => {
  const two = await scene();
  expect(two.on.alive().map(({ place }) => place)).toEqual(["north/oslo", "north/oslo"]);
  two.answers = (nth) => (nth === 0 ? XID : GOOD);
  await two.play(20);
  expect(two.on.alive().map(({ place }) => place)).toEqual(["north/oslo", "south/rome"]);
  await two.play(60);
  two.answers = (nth) => (nth === 1 ? XID : GOOD);
  await two.play(70);
  const one = await scene({}, { offers: [H100] });
  one.answers = (nth) => (nth === 0 ? XID : GOOD);
  await one.play(20);
  expect(launches(one)).toBe(3);
  expect(gpus(one)).toBe(16);
});

test("a machine is asked once it was ready, and another check begins anew", async () => {
  const at = await scene({ ready: { address: "host", tcp: 22 } });
  await at.play(10);
  expect(at.asked).toEqual([]);
  await at.change((draft) => {
    const { now } = contextOf(at.on.keeper);
    for (const row of draft.deployments.values())
      draft.putDeployment({ ...row, ready: { ok: true, since: now, ever: true, why: null } });
  });
  at.answers = (nth) => (nth === 0 ? XID : GOOD);
  await at.play(8);
  expect(at.asked).toContain(1);
  const wish = (await draftOf(at.on)).fleets.get("training")?.wish as WishInput;
  await at.on.declare({ training: { ...wish, health: { ...HEALTH, gpud: 15_133 } } });
  await at.play(8);
  expect(await at.told("stop")).toEqual([]);
  await at.play(3);
  expect(await at.told("stop")).toHaveLength(1);
});

/** Answers, one each 15 s, that end no machine: no ten minutes of bad ones without a good one. */
function* answersOf(kind: "flaps" | "unknown" | "timesOut"): Generator<Answer, never> {
  const random = new Prng(kind);
  const some = (answer: Answer, most: number) =>
    Array.from({ length: random.integer(1, most) }, () => answer);
  while (true) {
    if (kind === "timesOut") yield* some(LATE, 1_000);
    if (kind === "flaps") yield* some(XID, 39);
    if (kind === "unknown")
      for (let times = 0; times < 9; times++) yield* [...some(XID, 3), ...some(LATE, 60)];
    yield* some(GOOD, 3);
  }
}

const stopsNothing = async (most: number): Promise<void> => {
  const at = await scene({ gpus: 24 });
  const kind = health(async () => GOOD);
  const said = (["flaps", "unknown", "timesOut"] as const).map(answersOf);
  const ids = [...(await draftOf(at.on)).deployments.keys()];
  expect(ids).toHaveLength(3);
  const context = contextOf(at.on.keeper);
  let ms = 0;
  const hear = (draft: Draft, answers: readonly (Answer | undefined)[]): void => {
    ms += 15 * SECOND;
    const now = { ...context.now, wall: context.now.wall + ms, mono: context.now.mono + ms };
    const answered = ids.map((id, nth) => ({ id, answer: answers[nth] ?? GOOD, at: now }));
    kind.store(draft, answered, { ...context, now });
  };
  const stops = (draft: Draft) => ids.filter((id) => draft.deployments.ever(id)?.stop !== null);
  for (let hours = 0; hours < most; hours++) {
    await at.change((draft) => {
      for (let tick = 0; tick < 240; tick++)
        hear(
          draft,
          said.map((answers) => answers.next().value),
        );
      expect(stops(draft)).toEqual([]);
    });
  }
  // The same would have stopped one that is bad for ten minutes.
  await at.change((draft) => {
    for (let tick = 0; tick <= 40; tick++) hear(draft, [XID]);
    expect(stops(draft)).toEqual([ids[0]]);
  });
};
const NOTHING = "in %i hours a check that flaps, is unknown or times out stops nothing";
test.each([100])(NOTHING, stopsNothing);
test.each([1_000])(NOTHING, REPEATS, stopsNothing);
