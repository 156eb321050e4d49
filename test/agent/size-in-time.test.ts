import { describe, expect, test } from "vitest";
import { drainFleet, pauseFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import { lowerByIdle, lowerCount, storeWoken, wakeFleet } from "../../agent/fleet/size/lowered-count.ts";
import { parseWish, type WishInput } from "../../agent/fleet/wish/wish.ts";
import { isOrdered, whyChurned } from "../../agent/planning/count/churn.ts";
import { wishInForce } from "../../agent/planning/count/wish-in-force.ts";
import { storeIdle } from "../../agent/planning/machines/idle.ts";
import { launchWish } from "../../agent/reconcile/launch-fleet.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { parseUsd } from "../../service/contract/money.ts";
import type { LaunchBench } from "../launch/bench.ts";
import type { Stage } from "../support/stage.ts";
import { H100 } from "../support/stage.ts";
import { EIGHT, fleetBench, OSLO, planOn } from "./on-bench.ts";
import { candidate, draftOf, MINUTE, nextAgent, onStage, reasonsOf, SECOND } from "./on-stage.ts";

const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** What clocks in India show, which are 5 hours and a half ahead of UTC: `Tue 03:50`. */
function inIndia(at: number): string {
  const wall = new Date(at + 5.5 * HOUR).toUTCString();
  return `${wall.slice(0, 3)} ${wall.slice(17, 22)}`;
}

/** So many GPUs are wanted in windows of each week, and `at` else. */
function sized(
  at: number,
  windows: readonly (readonly [from: number, to: number, gpus: number])[],
  more: Partial<NonNullable<WishInput["schedule"]>> = {},
): Pick<WishInput, "gpus" | "schedule"> {
  const entries = windows.map(([from, to, gpus]) => ({ from: inIndia(from), to: inIndia(to), gpus }));
  const schedule = { timeZone: "Asia/Kolkata", entries, min: 0, max: 64, at, ...more };
  return { gpus: at, schedule: schedule as NonNullable<WishInput["schedule"]> };
}

/** The first whole minute of the stage's clock. */
function minuteOf(now: number): number {
  return Math.ceil(now / MINUTE) * MINUTE;
}

function gpusOf(on: Stage): number {
  return on.alive().reduce((sum, { gpus }) => sum + gpus, 0);
}

describe("an agent", () => {
  async function onSchedule(): Promise<{ on: Stage; from: number; to: number }> {
    const on = await onStage();
    // Between two polls: what only the next one noticed would be too late.
    await on.clock.advance(7 * SECOND);
    const start = minuteOf(on.clock.now());
    const [from, to] = [start + 20 * MINUTE, start + 150 * MINUTE];
    await on.declare({ training: { ...sized(8, [[from, to, 24]]), candidates: [candidate(H100)] } });
    return { on, from, to };
  }

  test("launches at the very moment at which a window begins, and says what comes next", async () => {
    const { on, from, to } = await onSchedule();
    on.start();
    await on.clock.advanceTo(from - SECOND);
    expect(on.launches()).toBe(1);
    expect(reasonsOf(on)).toMatch(
      /^the schedule asks for 8 GPUs now, and for 24 from 2030-01-01 05:51 on \(Asia\/Kolkata\)$/,
    );
    await on.clock.advanceTo(from + SECOND);
    expect(on.launches()).toBeGreaterThan(1);
    await on.clock.advanceTo(from + 10 * MINUTE);
    expect(gpusOf(on)).toBe(24);
    expect(on.reports.at(-1)?.plans).toMatchObject([{ desired: 24 }]);
    await on.clock.advanceTo(to - SECOND);
    expect(gpusOf(on)).toBe(24);
  });

  test("stops what a window leaves at the end of the time that is paid for, and never pays for another hour", async () => {
    const { on, to } = await onSchedule();
    on.start();
    await on.clock.advanceTo(to + 10 * MINUTE);
    expect(gpusOf(on)).toBe(24);
    expect(reasonsOf(on)).toMatch(
      /^8 GPUs are asked for: machines above that \(.+\) are stopped at the end of the time that is paid for, from 2030-01-01T02:5/,
    );
    await on.clock.advanceTo(to + 70 * MINUTE);
    expect(gpusOf(on)).toBe(8);
    const ended = on.simulator.truth().machines.filter(({ endedAt }) => endedAt !== null);
    expect(ended).toHaveLength(2);
    for (const { committedAt, endedAt } of ended) {
      // Three hours had begun when the window ended.
      expect(endedAt ?? 0).toBeGreaterThan(to);
      expect((endedAt ?? 0) - committedAt).toBeLessThan(3 * HOUR);
    }
    await on.clock.advance(3 * HOUR);
    expect([gpusOf(on), on.errors]).toEqual([8, []]);
  });

  test("that starts in the middle of a window wants what it asks for, and after it no more", async () => {
    const { on, from, to } = await onSchedule();
    const { stop } = nextAgent(on);
    await on.clock.advanceTo(from - MINUTE);
    await stop();
    await on.clock.advanceTo(from + 30 * MINUTE);
    expect(gpusOf(on)).toBe(8);
    const { stop: stopAnother } = nextAgent(on);
    await on.clock.advance(10 * MINUTE);
    expect(gpusOf(on)).toBe(24);
    await stopAnother();
    await on.clock.advanceTo(to + 30 * MINUTE);
    nextAgent(on);
    await on.clock.advance(HOUR);
    expect([gpusOf(on), on.launches()]).toEqual([8, 3]);
  });

  test.each([
    ["pause", 8],
    ["drain", 0],
    ["until", 0],
  ])("goes by a %s, whatever a window asks for", async (what, left) => {
    const { on, from, to } = await onSchedule();
    on.start();
    await on.clock.advanceTo(from - MINUTE);
    if (what === "until") {
      const until = new Date(from).toISOString();
      const wish = { ...sized(8, [[from, to, 24]]), until, candidates: [candidate(H100)] };
      await on.declare({ training: wish });
    } else
      await on.keeper.ledger.decide(on.keeper.account, (draft) =>
        (what === "pause" ? pauseFleet : drainFleet)(draft, "training", contextIn(on)),
      );
    await on.clock.advanceTo(from + 20 * MINUTE);
    expect([gpusOf(on), on.launches()]).toEqual([left, 1]);
  });

  test("changes nothing of what it wrote while a window lasts: a quiet tick stays one", async () => {
    const { on, from } = await onSchedule();
    on.start();
    await on.clock.advanceTo(from + 15 * MINUTE);
    const before = JSON.stringify([...(await draftOf(on)).fleets.values()]);
    await on.clock.advance(30 * MINUTE);
    expect(JSON.stringify([...(await draftOf(on)).fleets.values()])).toBe(before);
  });
});

function contextIn({ keeper }: Stage) {
  return {
    ledger: keeper.ledger.id,
    now: keeper.clock.now(),
    wire: { profileHash: "", abilities: {} as never, isTerminal: () => false, isUnserving: () => false },
    settings: keeper.settings,
    isAlive: () => true,
  };
}

/** A window of `gpus` that lasts from half an hour ago until in an hour, and `at` else. */
function inWindow(at: number, gpus: number, more: Partial<WishInput> = {}): LaunchBench {
  const now = 1_700_000_000_000;
  const start = minuteOf(now);
  const windows = [[start - 30 * MINUTE, start + HOUR, gpus]] as const;
  return fleetBench({ ...sized(at, windows), candidates: [EIGHT], ...more });
}

function fleetIn(draft: Draft): FleetRow {
  const fleet = draft.fleets.get("web");
  if (!fleet) throw new Error("no fleet");
  return fleet;
}

function wanted(on: LaunchBench): number {
  return wishInForce(on.draft, fleetIn(on.draft), on.context).gpus;
}

const OPTION = { ...OSLO, gpus: 8, pricePerHour: parseUsd("16") };

describe("a launch that was planned in a window", () => {
  function planned(on: LaunchBench) {
    on.list();
    return launchWish("web", parseWish(fleetIn(on.draft).wish), OPTION);
  }

  test("is not admitted after its end: the transaction asks the schedule by its own clock", () => {
    const on = inWindow(0, 8);
    const launch = planned(on);
    on.advance(HOUR + MINUTE);
    on.list();
    expect(on.why(on.admit(launch))).toBe("full");
  });

  test("is admitted before it", () => {
    const on = inWindow(0, 8);
    expect(on.why(on.admit(planned(on)))).toBe("admitted");
  });

  test("is not sent after its end", () => {
    const on = inWindow(0, 8);
    const launch = planned(on);
    on.advance(HOUR + 38 * SECOND);
    on.list();
    const admitted = on.admit(launch);
    if (!("intent" in admitted)) throw new Error(admitted.refused.text);
    on.advance(3 * SECOND);
    expect(on.stamp(admitted.intent.id, launch)).toBe(false);
    expect(on.intent(admitted.intent.id).detail).toMatch(/1 more|8 GPUs/);
  });
});

describe("what was given back in a window", () => {
  const lower = (on: LaunchBench, gpus: number): void =>
    on.decide((draft, context) => lowerCount(draft, "web", gpus, context));

  test("is wanted again where the next one asks for more, and not at its end", () => {
    const on = inWindow(16, 32);
    lower(on, 24);
    expect(wanted(on)).toBe(8);
    on.advance(2 * HOUR);
    expect(wanted(on)).toBe(8);
    on.advance(DAY);
    expect(wanted(on)).toBe(8);
    on.advance(6 * DAY - 3 * HOUR);
    expect(wanted(on)).toBe(8);
    on.advance(2 * HOUR);
    expect(wanted(on)).toBe(32);
    on.decide((draft, context) => storeWoken(draft, fleetIn(draft), context));
    expect(fleetIn(on.draft)).not.toHaveProperty("lowered");
    expect(on.told("resumed")).toEqual(["web wants its 32 GPUs again: its schedule asks for more"]);
  });

  test("leaves no more than what is asked for after it", () => {
    const on = inWindow(4, 32);
    lower(on, 8);
    expect(wanted(on)).toBe(24);
    on.advance(2 * HOUR);
    expect(wanted(on)).toBe(4);
  });

  test("stays given back where the clock is set back", () => {
    const on = inWindow(16, 32);
    lower(on, 24);
    on.reboot(-DAY);
    expect(wanted(on)).toBe(8);
  });

  test("is counted anew where more is given back after the next window woke it", () => {
    const on = inWindow(16, 32);
    lower(on, 24);
    on.advance(7 * DAY);
    on.decide((draft, context) => lowerByIdle(draft, "web", [], 8, context));
    expect([wanted(on), fleetIn(on.draft).idled?.gpus]).toEqual([24, 8]);
    expect(on.decide((draft, context) => wakeFleet(draft, "web", context))).toBe("raised");
    expect(wanted(on)).toBe(32);
  });

  test("is never below gpus.min", () => {
    const now = minuteOf(1_700_000_000_000);
    const windows = [[now - HOUR, now + HOUR, 32]] as const;
    const kept = fleetBench({ ...sized(16, windows, { min: 16 }), candidates: [EIGHT] });
    expect(() => lower(kept, 24)).toThrow(
      "fleet web wants 32 GPUs, and keeps at least 16 by its gpus.min, so 24 cannot be given back",
    );
    lower(kept, 16);
    expect(wanted(kept)).toBe(16);
  });
});

test("a plan says that the largest window cannot be paid, long before it comes", () => {
  const start = minuteOf(1_700_000_000_000);
  const windows = [[start + 5 * HOUR, start + 6 * HOUR, 32]] as const;
  const wish = { ...sized(8, windows), candidates: [EIGHT] };
  const says = (perHour: number) => planOn(fleetBench({ ...wish, budget: { perHour } })).reasons.join("\n");
  expect(says(50)).toContain(
    "the largest count of the schedule, 32 GPUs, cannot be had: the budget of 50.00 USD an hour does not pay for 32 GPUs",
  );
  expect(says(64)).not.toContain("cannot be had");
});

describe("by the rules of stops", () => {
  /** Machines of 8 GPUs that were launched in the window and run. */
  function running(on: LaunchBench, ids: readonly string[]): void {
    for (const id of ids) on.machine(id, launchWish("web", parseWish(fleetIn(on.draft).wish), OPTION));
  }

  /** A minute goes by at a time, and each machine says that it is idle. */
  function idleFor(on: LaunchBench, ids: readonly string[], minutes: number): void {
    for (let minute = 0; minute < minutes; minute++) {
      on.advance(MINUTE);
      on.list();
      on.decide((draft, context) => {
        for (const id of ids) storeIdle(draft, id, { kind: "good" }, context.now, context);
      });
    }
  }

  test("idle machines leave gpus.min, whatever keep says", () => {
    const start = minuteOf(1_700_000_000_000);
    const idle = { command: ["./idle.sh"] as [string], for: "5m", then: "stop", keep: 0 } as const;
    const of = (min: number): LaunchBench => {
      const size = sized(24, [[start + 5 * HOUR, start + 6 * HOUR, 32]], { min });
      const on = fleetBench({ ...size, candidates: [EIGHT], idle });
      running(on, ["m1", "m2", "m3"]);
      idleFor(on, ["m1", "m2", "m3"], 57);
      return on;
    };
    expect(planOn(of(16)).stops).toHaveLength(1);
    expect(planOn(of(0)).stops).toHaveLength(3);
  });

  test("a machine that does not run yet goes at once, as its hour is refunded; one that a person holds stays", () => {
    const on = inWindow(8, 24);
    running(on, ["m1", "m2"]);
    on.machine("m3", launchWish("web", parseWish(fleetIn(on.draft).wish), OPTION), { status: "connecting" });
    on.advance(HOUR - 30 * SECOND);
    on.list();
    expect(planOn(on).stops).toEqual([]);
    on.advance(2 * MINUTE);
    on.list();
    expect(planOn(on).stops.map(({ id }) => id)).toEqual(["m3"]);
    on.decide((draft) => {
      const row = draft.deployments.ever("m3");
      if (row) draft.putDeployment({ ...row, hold: { until: on.now.wall + HOUR } });
    });
    expect(planOn(on).stops.map(({ id }) => id)).not.toContain("m3");
  });

  test("what was launched for a window and goes after it is no churn, and other losses are", () => {
    const on = inWindow(16, 24);
    const ordered = (id: string): boolean =>
      on.decide((draft, context) => isOrdered(draft, "web", id, context));
    running(on, ["m1"]);
    expect(ordered("m1")).toBe(false);
    on.advance(2 * HOUR);
    expect(ordered("m1")).toBe(true);
    running(on, ["m2"]);
    expect(ordered("m2")).toBe(false);
  });

  test("the bound of churn is that of the largest count: a small one is not held for what a large one lost", () => {
    const start = minuteOf(1_700_000_000_000);
    const churned = (most: number): boolean => {
      const windows = [[start + HOUR, start + 2 * HOUR, most]] as const;
      const on = fleetBench({ ...sized(1, windows), overshoot: 8, candidates: [EIGHT] });
      for (let lost = 0; lost < 5; lost++) {
        running(on, [`m${lost}`]);
        on.advance(55 * MINUTE);
        on.show(`m${lost}`, { status: "interrupted" });
        on.list();
      }
      return whyChurned(on.draft, fleetIn(on.draft), on.context) !== undefined;
    };
    expect([churned(1), churned(32)]).toEqual([true, false]);
  });
});
