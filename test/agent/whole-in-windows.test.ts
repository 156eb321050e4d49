import { expect, test } from "vitest";
import { askForCount, endAsk } from "../../agent/fleet/size/ask-for-count.ts";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { storeAttempt } from "../../agent/planning/holds/all-or-nothing.ts";
import { contextOf } from "../../launch/keeper.ts";
import { waking } from "../../launch/mark-wake.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import type { Stage } from "../support/stage.ts";
import { H100 } from "../support/stage.ts";
import { EIGHT, fleetBench, OSLO, planOn } from "./on-bench.ts";
import { candidate, draftOf, MINUTE, onStage, SECOND } from "./on-stage.ts";

const HOUR = 60 * MINUTE;

/** 16 GPUs as a whole from 20 minutes on, until so many minutes later, and again after so many; else none. */
async function inWindows(
  lasts: number,
  again: number,
  more: Partial<WishInput> = {},
): Promise<{ on: Stage; from: number; to: number; next: number }> {
  const on = await onStage();
  await on.clock.advance(7 * SECOND);
  const from = Math.ceil(on.clock.now() / MINUTE) * MINUTE + 20 * MINUTE;
  const [to, next] = [from + lasts * MINUTE, from + again * MINUTE];
  const wall = (at: number): string => new Date(at).toISOString().slice(11, 16);
  const entries: [object, object] = [
    { from: wall(from), to: wall(to), gpus: 16 },
    { from: wall(next), to: wall(next + 3 * HOUR), gpus: 16 },
  ];
  const schedule = { timeZone: "UTC", entries, min: 0, max: 16, at: 0 } as WishInput["schedule"];
  const wish = { gpus: 0, schedule, allOrNothing: { within: "20m" }, candidates: [candidate(H100)] };
  await on.declare({ training: { ...wish, ...more } });
  on.start();
  return { on, from, to, next };
}

const gpusOf = (on: Stage): number => on.alive().reduce((sum, { gpus }) => sum + gpus, 0);
const attemptOf = async (on: Stage) => (await draftOf(on)).fleets.get("training")?.attempt;

test("a window brings all of it, goes at the end of the paid hour, and the next one brings all of it again", async () => {
  const { on, from, to, next } = await inWindows(90, 240);
  await on.clock.advanceTo(from - SECOND);
  expect([on.launches(), (await attemptOf(on))?.state]).toEqual([0, "idle"]);
  const before = JSON.stringify([...(await draftOf(on)).fleets.values()]);
  await on.clock.advanceTo(from - SECOND / 2);
  expect(JSON.stringify([...(await draftOf(on)).fleets.values()])).toBe(before);
  await on.clock.advanceTo(from + 10 * MINUTE);
  expect([gpusOf(on), (await attemptOf(on))?.state]).toEqual([16, "whole"]);
  await on.clock.advanceTo(to + MINUTE);
  expect([gpusOf(on), (await attemptOf(on))?.state]).toEqual([16, "idle"]);
  await on.clock.advanceTo(to + 40 * MINUTE);
  expect([gpusOf(on), on.launches()]).toEqual([0, 2]);
  await on.clock.advanceTo(next + 10 * MINUTE);
  expect([gpusOf(on), (await attemptOf(on))?.state, on.errors]).toEqual([16, "whole", []]);
});

test("an attempt that its window ended is no failure, and what it left is paid for before the next one begins", async () => {
  const { on, to } = await inWindows(10, 300);
  on.simulator.control.setCapacity(H100, 1);
  await on.clock.advanceTo(to + MINUTE);
  expect([gpusOf(on), await attemptOf(on)]).toMatchObject([8, { state: "idle" }]);
  await on.clock.advanceTo(to + 70 * MINUTE);
  expect(gpusOf(on)).toBe(0);
  expect((await on.keeper.ledger.events(on.keeper.account, 100)).map(({ kind }) => kind)).not.toContain(
    "gaveBack",
  );
});

test("what is left is no begun attempt of the next one: nothing is launched before all that lacks can be had", () => {
  const on = fleetBench({
    gpus: 0,
    range: { min: 0, max: 24, at: 0 },
    candidates: [EIGHT],
    allOrNothing: { within: "20m" },
    // Two machines of 16 an hour each.
    budget: { perHour: "40" },
  });
  const asked = (gpus: number): FleetRow => {
    on.advance(MINUTE);
    on.decide((draft, context) => {
      askForCount(draft, "web", { gpus }, context);
      storeAttempt(draft, draft.fleets.get("web") as FleetRow, context);
    });
    return on.draft.fleets.get("web") as FleetRow;
  };
  asked(0);
  asked(24);
  on.machine("m1", OSLO, { ...OSLO, status: "running" });
  on.list();
  expect(asked(24).attempt?.state).toBe("begun");
  expect(asked(0).attempt?.state).toBe("idle");
  expect(asked(24).attempt?.state).toBe("idle");
  on.list();
  expect(planOn(on)).toMatchObject({
    launches: [],
    holds: expect.arrayContaining([expect.objectContaining({ kind: "whole" })]),
  });
});

test("a person asks for all of it or none", async () => {
  const on = fleetBench({
    gpus: 0,
    range: { min: 0, max: 16, at: 0 },
    candidates: [EIGHT],
    allOrNothing: { within: "20m" },
  });
  const ask = (gpus: number) =>
    on.decide((draft, context) => askForCount(draft, "web", { gpus }, context)).gpus;
  expect(() => ask(8)).toThrow(
    "8 GPUs cannot be asked for: it wants all of its GPUs or none (allOrNothing), which is 16 or 0",
  );
  expect([ask(16), ask(0)]).toEqual([16, 0]);

  const { on: stage } = await inWindows(1, 600, {
    gpus: 0,
    schedule: undefined,
    range: { min: 0, max: 16, at: 0 },
  } as Partial<WishInput>);
  const order = (end: boolean) =>
    stage.keeper.ledger.decide(
      stage.keeper.account,
      waking((draft) => {
        const context = contextOf(stage.keeper);
        return end
          ? endAsk(draft, "training", context)
          : askForCount(draft, "training", { gpus: 16 }, context);
      }),
    );
  await order(false);
  await stage.clock.advance(10 * MINUTE);
  expect([gpusOf(stage), (await attemptOf(stage))?.state]).toEqual([16, "whole"]);
  await order(true);
  await stage.clock.advance(65 * MINUTE);
  expect([gpusOf(stage), stage.launches(), stage.errors]).toEqual([0, 2, []]);
});
