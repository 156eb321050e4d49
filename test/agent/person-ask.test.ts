import { describe, expect, test } from "vitest";
import { declareFleet } from "../../agent/fleet/declare/fleets.ts";
import { drainFleet, pauseFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import { askForCount, endAsk, storeAskOver } from "../../agent/fleet/size/ask-for-count.ts";
import { lowerCount } from "../../agent/fleet/size/lowered-count.ts";
import { storeMeasured } from "../../agent/fleet/size/metric.ts";
import { askFacts, askText } from "../../agent/fleet/size/person-ask.ts";
import { parseWish, type WishInput, wishSchema } from "../../agent/fleet/wish/wish.ts";
import { isOrdered } from "../../agent/planning/count/churn.ts";
import { wishInForce } from "../../agent/planning/count/wish-in-force.ts";
import { launchWish } from "../../agent/reconcile/launch-fleet.ts";
import { contextOf } from "../../launch/keeper.ts";
import { waking } from "../../launch/mark-wake.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { parseUsd } from "../../service/contract/money.ts";
import type { LaunchBench } from "../launch/bench.ts";
import type { Stage } from "../support/stage.ts";
import { H100 } from "../support/stage.ts";
import { EIGHT, fleetBench, OSLO } from "./on-bench.ts";
import { candidate, draftOf, MINUTE, nextAgent, onStage, reasonsOf, SECOND } from "./on-stage.ts";

const HOUR = 60 * MINUTE;
const OPTION = { ...OSLO, gpus: 8, pricePerHour: parseUsd("16") };

const NONE = { asked: 0, gpus: 0, until: null, why: null };
const RANGE = { min: 0, max: 64, at: 16 };

function ranged(more: Partial<WishInput> = {}, range = RANGE): LaunchBench {
  return fleetBench({ gpus: range.at, range, candidates: [EIGHT], ...more });
}

function fleetIn({ draft }: LaunchBench): FleetRow {
  const fleet = draft.fleets.get("web");
  if (!fleet) throw new Error("no fleet");
  return fleet;
}

function wanted(on: LaunchBench): number {
  return wishInForce(on.draft, fleetIn(on), on.context).gpus;
}

function ask(on: LaunchBench, gpus: number, ms?: number, why?: string): number {
  const until = ms === undefined ? undefined : on.now.wall + ms;
  return on.decide((draft, context) => askForCount(draft, "web", { gpus, until, why }, context)).gpus;
}

function end(on: LaunchBench): number | undefined {
  return on.decide((draft, context) => endAsk(draft, "web", context))?.gpus;
}

describe("a person who asks for so many GPUs", () => {
  test("gets them in the place of at, more or fewer, until that is taken back", () => {
    const on = ranged();
    expect([ask(on, 48), wanted(on)]).toEqual([48, 48]);
    expect([ask(on, 0), wanted(on)]).toEqual([0, 0]);
    on.advance(30 * 24 * HOUR);
    expect(wanted(on)).toBe(0);
    expect([end(on), wanted(on), end(on)]).toEqual([16, 16, undefined]);
  });

  test("is one of those whose largest number counts", () => {
    const entries = [{ from: "00:00", to: "23:00", gpus: 32 }] as const;
    const schedule = { timeZone: "UTC", entries: [...entries], ...RANGE };
    const metric = { command: ["./queue.sh"], ...RANGE };
    const on = ranged({ range: undefined, schedule, metric } as Partial<WishInput>);
    on.decide((draft, context) =>
      storeMeasured(draft, "web", { kind: "value", value: "40" }, on.now, context),
    );
    expect([ask(on, 8), ask(on, 36), ask(on, 41)]).toEqual([40, 40, 41]);
    const inWindow = ranged({ range: undefined, schedule } as Partial<WishInput>);
    expect([ask(inWindow, 8), ask(inWindow, 36)]).toEqual([32, 36]);
  });

  test("asks for nothing from the very moment on that was said, whoever has looked", () => {
    const on = ranged();
    ask(on, 48, 4 * HOUR);
    on.advance(4 * HOUR - 1);
    expect(wanted(on)).toBe(48);
    on.advance(1);
    expect(wanted(on)).toBe(16);
    on.decide((draft, context) => storeAskOver(draft, fleetIn(on), context));
    expect(fleetIn(on).ask?.now).toBeUndefined();
    // Nobody rents it all again where the clock is set back.
    on.reboot(-HOUR);
    expect(wanted(on)).toBe(16);
    expect(on.told("asked")).toEqual([
      expect.stringMatching(/^an operator asks for 48 GPUs of web, until \S+Z$/),
      "nobody asks for 48 GPUs of web any more: its time is over",
    ]);
  });

  test.each([
    [ranged, 65, "65 GPUs cannot be asked for: expected a whole number from 0 to 64"],
    [ranged, 1.5, "1.5 GPUs cannot be asked for: expected a whole number from 0 to 64"],
    [() => ranged({}, { min: 8, max: 64, at: 16 }), 7, "expected a whole number from 8 to 64"],
    [() => ranged({ range: undefined }), 8, "its count is 16 and has no range. In a fleet file write gpus:"],
    [
      () => ranged({ range: undefined, work: { gpuHours: 4, by: "2040-01-01T00:00:00Z" } }),
      8,
      "its work, to be done by 2040-01-01T00:00:00Z, says how many GPUs it wants",
    ],
  ])("is told what cannot be asked for: %#", (scene, gpus, message) => {
    const on = scene();
    expect(() => ask(on, gpus)).toThrow(message);
    expect(fleetIn(on).ask).toBeUndefined();
  });

  test("is told of a moment that is over", () => {
    expect(() => ask(ranged(), 8, 0)).toThrow("is over already: name a later moment");
  });

  test("never wins over a pause, a drain, or a deadline", () => {
    const on = ranged();
    ask(on, 48);
    on.decide((draft, context) => drainFleet(draft, "web", context));
    expect(wanted(on)).toBe(0);
    const until = new Date(on.now.wall + HOUR).toISOString();
    const late = ranged({ until });
    ask(late, 48);
    late.advance(2 * HOUR);
    expect(wanted(late)).toBe(0);
  });

  test("asks on after another declaration, within its range, and no more where there is none", () => {
    const on = ranged();
    ask(on, 48);
    const declare = (wish: WishInput): void =>
      on.decide((draft, context) => {
        const of = { name: "web", source: "file:a", wish: wishSchema.parse(wish) };
        declareFleet(draft, of, context);
      });
    declare({ gpus: 8, range: { min: 0, max: 32, at: 8 }, candidates: [EIGHT] });
    expect(wanted(on)).toBe(32);
    expect(on.decide((_, context) => askText("web", askFacts(fleetIn(on), context) ?? NONE))).toContain(
      "a person asks for 48 GPUs, and counts as 32 by gpus.min and gpus.max, until fleetkeeper ask web --end",
    );
    declare({ gpus: 8, candidates: [EIGHT] });
    declare({ gpus: 8, range: { min: 0, max: 64, at: 8 }, candidates: [EIGHT] });
    expect(wanted(on)).toBe(8);
  });

  test("has what is left, after machines were given back, where that is less than the number", () => {
    const windows = { timeZone: "UTC", entries: [{ from: "03:00", to: "04:00", gpus: 32 }], ...RANGE };
    for (const on of [ranged(), ranged({ range: undefined, schedule: windows } as Partial<WishInput>)]) {
      on.decide((draft, context) => lowerCount(draft, "web", 8, context));
      ask(on, 12);
      expect(wanted(on)).toBe(8);
      ask(on, 4);
      expect(wanted(on)).toBe(4);
    }
  });

  test("wants all of it again, after machines were given back, where that is more than was asked for", () => {
    const on = ranged();
    ask(on, 32);
    on.decide((draft, context) => lowerCount(draft, "web", 8, context));
    expect(wanted(on)).toBe(24);
    ask(on, 30);
    expect(wanted(on)).toBe(24);
    ask(on, 40);
    expect([wanted(on), on.told("resumed")]).toEqual([
      40,
      ["web wants its 40 GPUs again: more is asked for"],
    ]);
    on.decide((draft, context) => lowerCount(draft, "web", 8, context));
    end(on);
    expect(wanted(on)).toBe(16);
  });

  test("leaves no churn: what was launched for it and goes is wanted no more", () => {
    const on = ranged();
    on.machine("m1", launchWish("web", parseWish(fleetIn(on).wish), OPTION));
    const ordered = (id: string): boolean =>
      on.decide((draft, context) => isOrdered(draft, "web", id, context));
    ask(on, 48);
    expect(ordered("m1")).toBe(false);
    on.machine("m2", launchWish("web", parseWish(fleetIn(on).wish), OPTION));
    on.advance(MINUTE);
    end(on);
    expect(ordered("m2")).toBe(true);
    on.advance(MINUTE);
    ask(on, 32);
    on.machine("m3", launchWish("web", parseWish(fleetIn(on).wish), OPTION));
    expect(ordered("m3")).toBe(false);
  });

  test("has no launch admitted or sent once it is taken back", () => {
    const on = ranged({}, { min: 0, max: 64, at: 0 });
    ask(on, 8);
    const launch = launchWish("web", parseWish(fleetIn(on).wish), OPTION);
    on.list();
    const admitted = on.admit(launch);
    if (!("intent" in admitted)) throw new Error(admitted.refused.text);
    end(on);
    expect(on.stamp(admitted.intent.id, launch)).toBe(false);
    expect("intent" in on.admit(launch)).toBe(false);
  });
});

describe("an agent", () => {
  function gpusOf(on: Stage): number {
    return on.alive().reduce((sum, { gpus }) => sum + gpus, 0);
  }

  async function onRange(more: object = {}): Promise<Stage> {
    const on = await onStage();
    // Between two polls: what only the next one noticed would be too late.
    await on.clock.advance(7 * SECOND);
    const range = { min: 0, max: 64, at: 8 };
    await on.declare({ training: { gpus: 8, range, candidates: [candidate(H100)], ...more } });
    on.start();
    await on.clock.advance(10 * MINUTE);
    return on;
  }

  const give = ({ keeper }: Stage, gpus: number, ms: number): Promise<unknown> =>
    keeper.ledger.decide(
      keeper.account,
      waking((draft) => {
        const context = contextOf(keeper);
        return askForCount(draft, "training", { gpus, until: context.now.wall + ms }, context);
      }),
    );

  test("launches it at once, and stops it at the end of the hour that is paid for once its time is over", async () => {
    const on = await onRange();
    const asked = on.clock.now();
    await give(on, 24, 90 * MINUTE);
    await on.clock.advance(10 * MINUTE);
    expect([gpusOf(on), on.launches()]).toEqual([24, 3]);
    await on.clock.advanceTo(asked + 90 * MINUTE + SECOND);
    expect(reasonsOf(on)).toMatch(/^8 GPUs are asked for: machines above that/);
    await on.clock.advanceTo(asked + 3 * HOUR);
    expect([gpusOf(on), on.launches(), on.errors]).toEqual([8, 3, []]);
    const ended = on.simulator.truth().machines.filter(({ endedAt }) => endedAt !== null);
    // Two hours were paid for when its time was over.
    for (const { committedAt, endedAt } of ended) {
      expect((endedAt ?? 0) - committedAt).toBeGreaterThan(90 * MINUTE);
      expect((endedAt ?? 0) - committedAt).toBeLessThan(2 * HOUR);
    }
  });

  test("launches at the very moment at which a person asks for less no more", async () => {
    const on = await onRange({ gpus: 16, range: { min: 0, max: 64, at: 16 } });
    on.simulator.control.interrupt(on.alive()[0]?.id ?? "", { now: true });
    // Between two polls.
    const lasts = 25 * MINUTE + 7 * SECOND;
    await give(on, 8, lasts);
    const over = on.clock.now() + lasts;
    await on.clock.advanceTo(over - SECOND);
    expect([gpusOf(on), on.launches()]).toEqual([8, 2]);
    await on.clock.advanceTo(over + SECOND);
    expect(on.launches()).toBe(3);
  });

  test("that starts again goes on with it, and one that starts after its time launches nothing for it", async () => {
    const on = await onStage();
    const range = { min: 0, max: 64, at: 8 };
    await on.declare({ training: { gpus: 8, range, candidates: [candidate(H100)] } });
    const { stop } = nextAgent(on);
    await on.clock.advance(10 * MINUTE);
    await stop();
    await give(on, 24, HOUR);
    const { stop: stopAnother } = nextAgent(on);
    await on.clock.advance(10 * MINUTE);
    expect(gpusOf(on)).toBe(24);
    await stopAnother();
    on.simulator.control.interrupt(on.alive()[0]?.id ?? "", { now: true });
    await on.clock.advance(HOUR);
    nextAgent(on);
    await on.clock.advance(90 * MINUTE);
    expect([gpusOf(on), on.launches()]).toEqual([8, 3]);
    expect((await draftOf(on)).fleets.get("training")?.ask?.now).toBeUndefined();
  });

  test.each([
    ["a pause", {}, 8],
    ["a limit on money", { budget: { perHour: "40.00" } }, 16],
  ])("goes by %s, whatever a person asks for", async (what, more, left) => {
    const on = await onRange(more);
    if (what === "a pause")
      await on.keeper.ledger.decide(on.keeper.account, (draft) =>
        pauseFleet(draft, "training", contextOf(on.keeper)),
      );
    await give(on, 32, HOUR);
    await on.clock.advance(20 * MINUTE);
    expect(gpusOf(on)).toBe(left);
  });
});
