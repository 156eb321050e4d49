import { describe, expect, test } from "vitest";
import { lowerCount } from "../../agent/fleet/size/lowered-count.ts";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { askFor } from "../../agent/orders/asking.ts";
import { wishInForce } from "../../agent/planning/count/wish-in-force.ts";
import type { LaunchBench } from "../launch/bench.ts";
import { EIGHT, fleetBench } from "./on-bench.ts";

const RANGE = { min: 0, max: 64, at: 48 };

function ranged(more: Partial<WishInput> = {}): LaunchBench {
  return fleetBench({ gpus: RANGE.at, range: RANGE, candidates: [EIGHT], ...more });
}

function wanted(on: LaunchBench): number {
  const fleet = on.draft.fleets.get("web");
  return fleet ? wishInForce(on.draft, fleet, on.context).gpus : Number.NaN;
}

const ask = (on: LaunchBench, gpus: number, how = {}) =>
  on.decide((draft, context) => askFor(draft, "web", { gpus, ...how }, context));
const giveBack = (on: LaunchBench, gpus: number) =>
  on.decide((draft, context) => lowerCount(draft, "web", gpus, context));

describe("who asks exactly", () => {
  test("has so many wanted, neither what was given back before nor less", () => {
    const on = ranged();
    giveBack(on, 24);
    ask(on, 32);
    expect(wanted(on)).toBe(24);
    ask(on, 32, { exactly: true });
    expect(wanted(on)).toBe(32);
    giveBack(on, 8);
    ask(on, 16, { exactly: true });
    expect(wanted(on)).toBe(16);
  });

  test.each<[string, Partial<WishInput>]>([
    [
      "schedule",
      {
        range: undefined,
        schedule: { timeZone: "UTC", entries: [{ from: "08:00", to: "20:00", gpus: 64 }], ...RANGE },
      } as never,
    ],
    ["metric", { range: undefined, metric: { command: ["./queue.sh"], ...RANGE } } as never],
    ["buffer", { buffer: { gpus: 8, maxPricePerGpuHour: "3" } }],
    ["allOrNothing", { allOrNothing: { within: "20m" } }],
  ])("is refused where %s says the size, too", (key, more) => {
    const on = ranged(more);
    expect(() => ask(on, 64, { exactly: true })).toThrow(`as ${key} says, too, how many it has`);
    expect(wanted(on)).toBe(48);
  });
});

test("who keeps what there is asks for no fewer than live, or may have been made", () => {
  const on = ranged();
  on.launch();
  ask(on, 0, { keeps: true });
  expect(wanted(on)).toBe(8);
  ask(on, 0);
  expect(wanted(on)).toBe(0);
});
