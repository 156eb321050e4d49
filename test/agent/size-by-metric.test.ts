import { describe, expect, onTestFinished, test } from "vitest";
import { MachineWatch } from "../../agent/ask/machine-watch.ts";
import { metrics } from "../../agent/ask/metric.ts";
import { drainFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import { lowerCount } from "../../agent/fleet/size/lowered-count.ts";
import { type Measured, storeMeasured } from "../../agent/fleet/size/metric.ts";
import { gpusFor } from "../../agent/fleet/size/metric-size.ts";
import { metricSchema } from "../../agent/fleet/wish/metric-wish.ts";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { parseWish } from "../../agent/fleet/wish/wish.ts";
import { isOrdered } from "../../agent/planning/count/churn.ts";
import { wishInForce } from "../../agent/planning/count/wish-in-force.ts";
import { launchWish } from "../../agent/reconcile/launch-fleet.ts";
import { runLoop } from "../../agent/reconcile/loop.ts";
import type { FleetRow, MetricRow } from "../../ledger/rows.ts";
import { parseUsd } from "../../service/contract/money.ts";
import type { LaunchBench } from "../launch/bench.ts";
import type { Stage } from "../support/stage.ts";
import { H100 } from "../support/stage.ts";
import { EIGHT, fleetBench, OSLO, planOn, wishFor } from "./on-bench.ts";
import { candidate, draftOf, MINUTE, onStage, reasonsOf, SECOND } from "./on-stage.ts";

const HOUR = 60 * MINUTE;
type MetricInput = Partial<NonNullable<WishInput["metric"]>>;

/** A value of 1 a GPU, by a command that no test runs. */
function sized(
  more: MetricInput = {},
  range = { min: 0, max: 64, at: 8 },
): Pick<WishInput, "gpus" | "metric"> {
  return { gpus: range.at, metric: { command: ["./queue.sh"], ...range, ...more } };
}

function onMetric(more: MetricInput = {}, wish: Partial<WishInput> = {}): LaunchBench {
  return fleetBench({ ...sized(more), candidates: [EIGHT], ...wish });
}

/** The metric says this now. */
function say(on: LaunchBench, value: number | string, at = on.now): void {
  const measured: Measured = { kind: "value", value: String(value) };
  on.decide((draft, context) => storeMeasured(draft, "web", measured, at, context));
}

function sayNothing(on: LaunchBench, why = "no answer within 5 s"): void {
  on.decide((draft, context) => storeMeasured(draft, "web", { kind: "unknown", why }, on.now, context));
}

function fleetIn(on: LaunchBench): FleetRow {
  const fleet = on.draft.fleets.get("web");
  if (!fleet) throw new Error("no fleet");
  return fleet;
}

function wanted(on: LaunchBench): number {
  return wishInForce(on.draft, fleetIn(on), on.context).gpus;
}

/** What is wanted after each of these, a minute apart. `-`: no answer. */
function sizesAfter(on: LaunchBench, values: readonly (number | "-")[]): readonly number[] {
  return values.map((value) => {
    on.advance(MINUTE);
    if (value === "-") sayNothing(on);
    else say(on, value);
    return wanted(on);
  });
}

describe("the size", () => {
  test.each([
    [0.1, "1.1", 11],
    [0.2, "0.6", 3],
    [4, "190", 48],
    [4, "188", 47],
    [undefined, "12.01", 13],
    [1, "1e300", 64],
    [1, "0", 2],
  ])("for a target of %s, %s asks for %i", (target, value, gpus) => {
    const metric = metricSchema.parse({ command: ["x"], min: 2, max: 64, at: 8, ...(target && { target }) });
    expect(gpusFor(metric, value)).toBe(gpus);
  });

  test("is gpus.at until the first answer, and then the metric's, within min and max", () => {
    const on = onMetric({ min: 4, max: 32, down: { stabilization: "1s" } });
    expect(wanted(on)).toBe(8);
    expect(sizesAfter(on, [100, 1, 1])).toEqual([32, 32, 4]);
    expect(planOn(on).reasons).toContain("the metric asks for 4 GPUs");
  });

  test("goes up at once and down after 5 minutes, where nothing is said", () => {
    const on = onMetric();
    expect(sizesAfter(on, [16, 40, 24, 24, 24, 24, 24, 24])).toEqual([16, 40, 40, 40, 40, 40, 40, 24]);
  });

  test("goes by steps, each after more or less was asked for during all of its time, and never past what was", () => {
    const on = onMetric({
      up: { most: 8, stabilization: "2m" },
      down: { most: 4, stabilization: "3m" },
    });
    // Less once begins the wait for more anew; the least of what was asked for in it counts.
    expect(sizesAfter(on, [32, 30, 8, 32, 10, 40, 40, 40])).toEqual([8, 8, 8, 8, 8, 10, 10, 18]);
    expect(sizesAfter(on, [0, 17, 0, 0, 0, 0, 0])).toEqual([18, 18, 18, 17, 17, 17, 13]);
  });

  test("stays where nothing is known, and what was asked for before does not count as asked for without a break", () => {
    const on = onMetric({ down: { stabilization: "3m" } });
    expect(sizesAfter(on, [24, "-", "-"])).toEqual([24, 24, 24]);
    expect(sizesAfter(on, [8, 8, "-", 8, 8, 8, 8])).toEqual([24, 24, 24, 24, 24, 24, 8]);
  });

  test("does not count time in which nobody asked, and counts that between two slow polls", () => {
    const on = onMetric({ down: { stabilization: "3m" } });
    sizesAfter(on, [24, 8]);
    on.advance(6 * MINUTE);
    expect(sizesAfter(on, [8, 8, 8, 8])).toEqual([24, 24, 24, 8]);
    const slow = fleetBench({ ...sized(), candidates: [EIGHT] }, { settings: { poll: 5 * MINUTE } });
    say(slow, 0);
    slow.advance(5 * MINUTE);
    say(slow, 0);
    expect(wanted(slow)).toBe(0);
  });

  test("stays where it is beside another declaration, and begins with gpus.at after the metric was taken out", () => {
    const on = onMetric();
    say(on, 24);
    wishFor(on, { ...sized({ command: ["./other.sh"] }), candidates: [EIGHT] });
    expect(wanted(on)).toBe(24);
    wishFor(on, { ...sized({ max: 16 }), candidates: [EIGHT] });
    expect(wanted(on)).toBe(16);
    wishFor(on, { gpus: 8, candidates: [EIGHT] });
    wishFor(on, { ...sized(), candidates: [EIGHT] });
    expect(wanted(on)).toBe(8);
  });
});

describe("an answer", () => {
  test("that came late is none", () => {
    const on = onMetric();
    const asked = on.now;
    on.advance(61 * SECOND);
    say(on, 24, asked);
    expect(wanted(on)).toBe(8);
    expect(fleetIn(on).metric?.problem?.why).toBe("the answer came more than 1m after it was asked for");
    on.advance(59 * SECOND);
    say(on, 24, { ...on.now, mono: on.now.mono - 59 * SECOND, wall: on.now.wall - 59 * SECOND });
    expect(wanted(on)).toBe(24);
  });

  test("to what another wish asked is none, and the new one asks at once", async () => {
    const on = onMetric({ target: 6 });
    const kind = metrics(async () => ({ kind: "value", value: "48" }), { now: () => on.now }, String);
    const [job] = kind.due(on.draft, on.context);
    const answer = await job?.ask(new AbortController().signal);
    wishFor(on, { ...sized(), candidates: [EIGHT] });
    const store = (): void =>
      on.decide((draft, context) =>
        kind.store(draft, [{ id: "web", answer: answer ?? { kind: "good" }, at: on.now }], context),
      );
    store();
    expect(wanted(on)).toBe(8);
    expect(kind.due(on.draft, on.context)).toHaveLength(1);
    await kind.due(on.draft, on.context)[0]?.ask(new AbortController().signal);
    on.advance(10 * MINUTE);
    expect(kind.due(on.draft, on.context)).toHaveLength(1);
  });

  test("that is none for long is written down once, and when it is told", () => {
    const on = onMetric();
    sizesAfter(on, [24, "-"]);
    const before = fleetIn(on);
    sizesAfter(on, ["-", "-"]);
    expect(fleetIn(on)).toBe(before);
  });

  test("of another process does not undo one that was asked for later", () => {
    const on = onMetric();
    const asked = on.now;
    on.advance(10 * SECOND);
    say(on, 24);
    on.advance(SECOND);
    say(on, 48, asked);
    expect(wanted(on)).toBe(24);
  });

  test("that is none is told once, after five minutes, and once more when there is one again", () => {
    const on = onMetric();
    sizesAfter(on, [24, "-", "-", "-", "-", "-"]);
    expect(on.told("unmeasured")).toEqual([]);
    expect(planOn(on).reasons.join("\n")).toMatch(
      /the metric is not known since 20\S+Z, and the size stays: no answer within 5 s/,
    );
    sizesAfter(on, ["-", "-", "-", "-", "-", "-", "-", "-"]);
    expect(on.told("unmeasured")).toEqual([
      "web does not know its metric: no answer within 5 s. It asks for 24 GPUs until it is known",
    ]);
    sizesAfter(on, [24, 24, "-", "-"]);
    expect(on.told("measured")).toEqual(["web follows its metric again, which says 24"]);
    expect(on.told("unmeasured")).toHaveLength(1);
  });
});

describe("the largest that asks wins:", () => {
  /** A window that is open until an hour from now. */
  function withWindow(gpus: number): LaunchBench {
    const wall = (ms: number): string => new Date(1_700_000_000_000 + ms).toISOString().slice(11, 16);
    const range = { min: 0, max: 64, at: 8 };
    const entries: [{ from: string; to: string; gpus: number }] = [
      { from: wall(-HOUR), to: wall(HOUR), gpus },
    ];
    return onMetric({}, { schedule: { timeZone: "UTC", entries, ...range } });
  }

  test("a window or the metric, and gpus.at where neither does", () => {
    const on = withWindow(16);
    expect([wanted(on), ...sizesAfter(on, [12, 24])]).toEqual([16, 16, 24]);
    on.advance(2 * HOUR);
    expect(wanted(on)).toBe(24);
    const alone = withWindow(16);
    alone.advance(2 * HOUR);
    expect(wanted(alone)).toBe(8);
    say(alone, 2);
    expect(sizesAfter(alone, [2, 2, 2, 2, 2, 2])).toContain(2);
  });

  test("a drain wants nothing, whatever the metric says", () => {
    const on = onMetric();
    say(on, 24);
    on.decide((draft, context) => drainFleet(draft, "web", context));
    say(on, 32);
    expect(wanted(on)).toBe(0);
  });

  test("what a person gave back is wanted again once the metric asks for more, and not before", () => {
    const on = onMetric();
    say(on, 24);
    on.decide((draft, context) => lowerCount(draft, "web", 8, context));
    expect(sizesAfter(on, [24, 24])).toEqual([16, 16]);
    expect(sizesAfter(on, [8, 8, 8, 8, 8, 8])).toEqual([16, 16, 16, 16, 16, 8]);
    expect(sizesAfter(on, [24])).toEqual([24]);
    expect(on.told("resumed")).toEqual(["web wants its 24 GPUs again: its metric asks for more"]);
    expect(fleetIn(on)).not.toHaveProperty("loweredFrom");
  });

  test("nobody goes below gpus.min", () => {
    const on = onMetric({ min: 8 });
    say(on, 16);
    expect(() => on.decide((draft, context) => lowerCount(draft, "web", 16, context))).toThrow(
      "keeps at least 8 by its gpus.min",
    );
  });
});

describe("by the rules of launches and stops:", () => {
  const OPTION = { ...OSLO, gpus: 8, pricePerHour: parseUsd("16") };
  const launchOf = (on: LaunchBench) => launchWish("web", parseWish(fleetIn(on).wish), OPTION);
  const quickly: MetricInput = { down: { stabilization: "1s" } };

  /** Less is asked for from now on. */
  function fall(on: LaunchBench, gpus: number): void {
    on.advance(SECOND);
    say(on, gpus);
    on.advance(2 * SECOND);
    say(on, gpus);
    on.list();
  }

  test("a launch that was planned before the metric fell is not admitted, and not sent, after it", () => {
    const on = onMetric(quickly);
    on.list();
    const launch = launchOf(on);
    fall(on, 0);
    expect(on.why(on.admit(launch))).toBe("full");
    const another = onMetric(quickly);
    another.list();
    const admitted = another.admit(launchOf(another));
    if (!("intent" in admitted)) throw new Error(admitted.refused.text);
    fall(another, 0);
    expect(another.stamp(admitted.intent.id, launchOf(another))).toBe(false);
  });

  test("machines above it go at the end of the time that is paid for, and are no churn", () => {
    const on = onMetric(quickly);
    say(on, 16);
    for (const id of ["m1", "m2"]) on.machine(id, launchOf(on));
    on.advance(10 * MINUTE);
    fall(on, 8);
    expect(planOn(on).stops).toEqual([]);
    expect(planOn(on).reasons.join("\n")).toContain("are stopped at the end of the time that is paid for");
    expect(on.decide((draft, context) => isOrdered(draft, "web", "m1", context))).toBe(true);
    on.advance(48 * MINUTE);
    on.list();
    expect(planOn(on).stops).toHaveLength(1);
    say(on, 24);
    on.machine("m3", launchOf(on));
    expect(on.decide((draft, context) => isOrdered(draft, "web", "m3", context))).toBe(false);
  });

  test("a plan says at once that max cannot be paid", () => {
    const on = onMetric({ max: 32 }, { budget: { perHour: 50 } });
    say(on, 8);
    expect(planOn(on).reasons.join("\n")).toContain(
      "gpus.max, 32 GPUs, cannot be had: the budget of 50.00 USD an hour does not pay for 32 GPUs",
    );
  });
});

describe("an agent", () => {
  interface Scene {
    readonly on: Stage;
    /** What the metric says from now on; `-`: nothing, `!`: it hangs. */
    says: string;
    readonly asked: number[];
    gpus(): number;
    play(minutes: number): Promise<void>;
    /** Ends the agent, as if it was killed, and starts another one later. */
    restart(awayMinutes: number): Promise<void>;
    row(): Promise<MetricRow | undefined>;
  }

  async function scene(more: MetricInput = {}): Promise<Scene> {
    const on = await onStage();
    let stop = async (): Promise<void> => undefined;
    const made: Scene = {
      on,
      says: "8",
      asked: [],
      gpus: () => on.alive().reduce((sum, { gpus }) => sum + gpus, 0),
      play: (minutes) => on.clock.advance(minutes * MINUTE),
      restart: async (awayMinutes) => {
        await stop();
        await on.clock.advance(awayMinutes * MINUTE);
        start();
      },
      row: async () => (await draftOf(on)).fleets.get("training")?.metric,
    };
    const measure = async (_: unknown, signal: AbortSignal): Promise<Measured> => {
      made.asked.push(on.clock.now());
      if (made.says === "!") await on.keeper.clock.sleep(2 * MINUTE, signal);
      if (made.says === "-") return { kind: "unknown", why: "HTTP 503" };
      return { kind: "value", value: made.says === "!" ? "64" : made.says };
    };
    const start = (): void => {
      const aborting = new AbortController();
      const watch = new MachineWatch(on.keeper, [metrics(measure, on.keeper.clock, String)], String);
      const loop = runLoop(
        {
          keeper: on.keeper,
          host: "test",
          onTick: (report) => {
            on.reports.push(report);
            watch.pump();
          },
          onError: (error) => void on.errors.push(error.message),
        },
        aborting.signal,
      );
      stop = async () => {
        aborting.abort();
        await Promise.all([loop, watch.close()]);
      };
    };
    await on.declare({ training: { ...sized(more), candidates: [candidate(H100)] } });
    start();
    onTestFinished(() => stop());
    return made;
  }

  test("follows the metric up within a minute, and down at the end of the paid hour", async () => {
    const at = await scene();
    await at.play(5);
    expect([at.gpus(), at.on.launches()]).toEqual([8, 1]);
    at.says = "24";
    await at.play(1);
    expect(at.on.launches()).toBe(3);
    await at.play(5);
    expect([at.gpus(), reasonsOf(at.on)]).toEqual([24, "the metric asks for 24 GPUs"]);
    at.says = "8";
    await at.play(30);
    expect(at.gpus()).toBe(24);
    await at.play(30);
    expect(at.gpus()).toBe(8);
    const ended = at.on.simulator.truth().machines.filter(({ endedAt }) => endedAt !== null);
    for (const { committedAt, endedAt } of ended) expect((endedAt ?? 0) - committedAt).toBeLessThan(HOUR);
  });

  test("asks once in 30 s, and never waits for an answer: machines that are lost meanwhile are replaced", async () => {
    const at = await scene();
    await at.play(10);
    expect(at.asked.length).toBeGreaterThan(17);
    expect(at.asked.length).toBeLessThan(22);
    at.says = "!";
    await at.play(1);
    at.on.simulator.control.interrupt(at.on.alive()[0]?.id ?? "", { now: true });
    const launches = at.on.launches();
    await at.play(1);
    expect(at.on.launches()).toBe(launches + 1);
    await at.play(10);
    // An answer that took two minutes is none.
    expect([at.gpus(), (await at.row())?.problem?.why]).toEqual([
      8,
      expect.stringContaining("came more than 1m"),
    ]);
  });

  test("that starts again goes on with what was known, and does not jump where nothing is", async () => {
    const at = await scene();
    at.says = "24";
    await at.play(10);
    at.says = "-";
    await at.restart(20);
    await at.play(20);
    expect([at.gpus(), at.on.launches()]).toEqual([24, 3]);
    expect((await at.row())?.known).toMatchObject({ value: "24", gpus: 24 });
  });
});
