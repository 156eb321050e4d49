import { describe, expect, it } from "vitest";
import { askStop, storeStop } from "../../launch/ends/stop.ts";
import { billsOf, costOf, sumOf, unpricedOf } from "../../launch/money/spend.ts";
import { adopt } from "../../launch/people/operator.ts";
import { deploymentAsFound } from "../support/as-found.ts";
import { FLEET, LaunchBench } from "./bench.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const bills = (on: LaunchBench, ahead = 0) => billsOf(on.draft, FLEET, on.context, ahead);
const cost = (on: LaunchBench, ahead = 0): string => sumOf(bills(on, ahead)).toFixed(4);

/** A machine at 16 USD an hour, whose launch was sent at this very moment. */
function oneMachine(): LaunchBench {
  const on = new LaunchBench();
  on.machine("m1", {}, { status: "provisioning" });
  return on;
}

function later(on: LaunchBench, ms: number, shown: object = {}): LaunchBench {
  on.advance(ms);
  on.show("m1", shown);
  on.list();
  return on;
}

describe("a machine costs", () => {
  it("each hour that has begun since its launch, the next one from its first moment on", () => {
    const on = oneMachine();
    expect(cost(on)).toBe("16.0000");
    // The bench took one millisecond to show it.
    on.advance(HOUR - 2);
    expect(cost(on)).toBe("16.0000");
    expect(cost(on, 1)).toBe("32.0000");
    on.advance(1);
    expect(cost(on)).toBe("32.0000");
    on.advance(22 * HOUR);
    expect(cost(on)).toBe("384.0000");
  });

  it("nothing if its launch failed: the reserved hour is refunded in full", () => {
    expect(cost(later(oneMachine(), 10 * MINUTE, { status: "failed", failureCode: "UNKNOWN" }))).toBe(
      "0.0000",
    );
  });

  it("nothing if its launch failed after hours", () => {
    const on = later(oneMachine(), 3 * HOUR, { status: "connecting" });
    expect(cost(later(on, MINUTE, { status: "failed" }))).toBe("0.0000");
  });

  it("all hours that have begun if it ran and then failed: what is refunded then is not shown", () => {
    const on = later(oneMachine(), MINUTE, { status: "running" });
    later(on, 5 * HOUR, { status: "stopping" });
    expect(cost(later(on, MINUTE, { status: "failed", failureCode: "UNKNOWN" }))).toBe("96.0000");
    const younger = later(oneMachine(), MINUTE, { status: "running" });
    expect(cost(later(younger, MINUTE, { status: "failed" }))).toBe("16.0000");
  });

  it("nothing if it failed within an hour, in a row of an older version, and later all hours", () => {
    const forget = (on: LaunchBench): LaunchBench => {
      on.decide((draft) => {
        const { young: _, ...row } = on.row("m1");
        deploymentAsFound(draft, row);
      });
      return on;
    };
    expect(cost(forget(later(oneMachine(), 50 * MINUTE, { status: "failed" })))).toBe("0.0000");
    const ran = later(oneMachine(), 5 * HOUR, { status: "running" });
    expect(cost(forget(later(ran, MINUTE, { status: "failed" })))).toBe("96.0000");
  });

  it("the time that it was there if it was interrupted: unused time is refunded", () => {
    expect(cost(later(oneMachine(), 90 * MINUTE - 1, { status: "interrupted" }))).toBe("24.0000");
  });

  /** Stopped by us after 10 minutes in this state, and seen to have ended after 61. */
  function stoppedIn(status: string, answer: "accepted" | "gone" = "accepted"): LaunchBench {
    const on = later(oneMachine(), 10 * MINUTE, { status });
    on.decide((draft, context) => {
      askStop(draft, "m1", "test", context);
      storeStop(draft, "m1", { kind: answer, said: "answered" }, context, context.now);
    });
    later(on, 51 * MINUTE, { status: "stopped", stopReason: "user" });
    expect(on.row("m1").end).toBe("stopped");
    on.advance(9 * HOUR);
    return on;
  }

  it("all hours that have begun if it was stopped: what is refunded then is not shown", () => {
    expect(cost(stoppedIn("running"))).toBe("32.0000");
  });

  it.each(["initializing", "provisioning", "connecting"])(
    "nothing if we stopped it while it was %s: the reserved hour is refunded",
    (status) => {
      expect(cost(stoppedIn(status))).toBe("0.0000");
    },
  );

  it("all hours if nobody looked just before it was stopped, as where somebody else did it", () => {
    expect(cost(stoppedIn("provisioning", "gone"))).toBe("32.0000");
    const on = later(oneMachine(), 61 * MINUTE, { status: "stopped", stopReason: "user" });
    expect(cost(on)).toBe("32.0000");
  });

  it("all hours if no GET says that it did not run just before its stop: lists lag", () => {
    const costOf = (ms: number, looked: boolean): string => {
      const on = later(oneMachine(), 10 * MINUTE, { status: "connecting" });
      const get = on.now;
      on.advance(ms);
      on.list();
      on.decide((draft, context) => {
        askStop(draft, "m1", "test", context);
        storeStop(
          draft,
          "m1",
          { kind: "accepted", said: "the service answered 200" },
          context,
          looked ? get : undefined,
        );
      });
      later(on, MINUTE, { status: "stopped", stopReason: "user" });
      return cost(on);
    };
    expect([costOf(5_000, true), costOf(5_001, true), costOf(0, false)]).toEqual([
      "0.0000",
      "16.0000",
      "16.0000",
    ]);
  });

  it("all hours if it ran after a stop that was accepted and not carried out", () => {
    const on = later(oneMachine(), 10 * MINUTE, { status: "connecting" });
    const stop = (): void =>
      on.decide((draft, context) => {
        askStop(draft, "m1", "test", context);
        storeStop(draft, "m1", { kind: "accepted", said: "the service answered 200" }, context, context.now);
      });
    stop();
    later(on, MINUTE, { status: "running" });
    stop();
    later(on, MINUTE, { status: "stopped", stopReason: "user" });
    expect(cost(on)).toBe("16.0000");
  });

  it("all hours if it is seen to run after all, and ends by a stop that was accepted before", () => {
    const on = later(oneMachine(), 10 * MINUTE, { status: "connecting" });
    on.decide((draft, context) => {
      askStop(draft, "m1", "test", context);
      storeStop(draft, "m1", { kind: "accepted", said: "the service answered 200" }, context, context.now);
    });
    later(on, MINUTE, { status: "running" });
    later(on, MINUTE, { status: "stopped", stopReason: "user" });
    expect(cost(on)).toBe("16.0000");
  });

  it("as much while this machine sleeps and its monotonic clock stands still", () => {
    const on = oneMachine();
    on.advance(MINUTE, 5 * HOUR);
    expect(cost(on)).toBe("96.0000");
    // A wall clock that is set back makes nothing cheaper.
    const other = oneMachine();
    other.advance(5 * HOUR, -5 * HOUR);
    expect(cost(other)).toBe("96.0000");
  });

  it("as much as its launch expected, and what the service shows where that differs", () => {
    const on = oneMachine();
    later(on, 1, { pricePerHour: "18.5000" });
    expect(cost(on)).toBe("18.5000");
  });

  it("nobody knows what where its price is not known: that is counted beside the sum", () => {
    const on = new LaunchBench();
    on.machine("m1", { pricePerHour: null }, { status: "connecting" });
    on.advance(1);
    on.machine("m2");
    expect(unpricedOf(bills(on)).map(({ of }) => of)).toEqual(["m1"]);
    expect(cost(on)).toBe("16.0000");
    on.show("m1", { status: "failed" });
    on.advance(1);
    on.list();
    expect(unpricedOf(bills(on))).toEqual([]);
  });
});

it("an adopted machine costs its owner what it costs from then on", () => {
  const on = new LaunchBench();
  on.show("m1", { pricePerHour: "16.0000" });
  on.list();
  on.decide((draft) =>
    draft.putFleet({
      ...{ name: "web", source: "file:a", wish: { gpus: 8 }, born: true, birth: null },
      ...{ removed: false, paused: false, pace: 1, reasons: [] },
    }),
  );
  on.advance(50 * HOUR);
  on.decide((draft, context) => adopt(draft, "m1", "fleet:web", context));
  on.advance(80 * MINUTE);
  on.decide((draft, context) => adopt(draft, "m1", "fleet:web", context));
  on.advance(10 * MINUTE);
  expect(sumOf(billsOf(on.draft, "fleet:web", on.context)).toFixed(4)).toBe("32.0000");
});

it("a launch whose outcome is not known costs what its machine would, until it is absent", () => {
  const on = new LaunchBench();
  on.lose(on.launch());
  on.advance(61 * MINUTE);
  expect(cost(on)).toBe("32.0000");
  const other = new LaunchBench();
  other.lose(other.launch());
  other.untilAbsent();
  expect(cost(other)).toBe("0.0000");
});

it("a stretch of time costs the hours that begin in it: days add up to the whole", () => {
  const on = later(oneMachine(), 90 * MINUTE - 1, { status: "interrupted" });
  const [bill] = bills(on);
  if (!bill) throw new Error("no bill");
  const between = (from: number, to: number): string =>
    costOf(bill, bill.from + from * MINUTE, bill.from + to * MINUTE).toFixed(4);
  expect([between(-10, 0), between(-10, 60), between(0, 60)]).toEqual(["0.0000", "16.0000", "16.0000"]);
  expect([between(60, 61), between(60, 999), between(61, 999)]).toEqual(["8.0000", "8.0000", "0.0000"]);
});
