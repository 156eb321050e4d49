import { describe, expect, test } from "vitest";
import { resumeFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { storeAlarms } from "../../agent/tell/notify/alarms.ts";
import { contextOf } from "../../launch/keeper.ts";
import type { Stage, StageOptions } from "../support/stage.ts";
import { H100, H100_SOUTH } from "../support/stage.ts";
import { candidate, MINUTE, onStage, reasonsOf } from "./on-stage.ts";

const HOUR = 60 * MINUTE;
const ONE: WishInput = { gpus: 8, candidates: [candidate(H100), candidate(H100_SOUTH)] };

async function running(wish: WishInput = ONE, options: StageOptions = {}): Promise<Stage> {
  const on = await onStage({ balance: "100000.0000", protocol: { poll: MINUTE }, ...options });
  await on.declare({ training: wish });
  on.start();
  await on.clock.advance(10 * MINUTE);
  return on;
}

/** Whatever runs is stopped by somebody in the dashboard, again and again. */
async function loseAll(on: Stage, times: number, lose = on.simulator.control.stopByHand): Promise<void> {
  for (let time = 0; time < times; time++) {
    for (const { id, state } of on.alive()) if (state === "running") lose(id);
    await on.clock.advance(10 * MINUTE);
  }
}

const resume = ({ keeper }: Stage) =>
  keeper.ledger.decide(keeper.account, (draft) => resumeFleet(draft, "training", contextOf(keeper)));

describe("a fleet that says nothing of churn", () => {
  test.each([
    ["with prices", undefined],
    ["where nobody knows a price", (profile: string) => profile.replaceAll(/pricePerHour: .*/g, "")],
  ])("launches no more once it lost four hours of all its GPUs (%s)", async (_name, alter) => {
    const on = await running(ONE, { alter });
    await loseAll(on, 12);
    expect(on.launches()).toBe(4);
    expect(on.alive()).toEqual([]);
    expect(reasonsOf(on)).toBe(
      "32 GPU hours were paid for in 24 hours for machines that did not live for an hour, and a fleet of 8 GPUs without " +
        "budget.churn loses no more than 32 (4 hours of all of it): launches wait until less was lost. Set budget.churn, in " +
        "USD, to say otherwise; or look why they end, then: fleetkeeper resume training",
    );
  });

  test("goes on after a day, when a person resumes it, and not because its wish changed", async () => {
    const on = await running();
    await loseAll(on, 12);
    await on.declare({ training: { ...ONE, overshoot: 0, match: "none" } });
    await loseAll(on, 3);
    expect(on.launches()).toBe(4);
    await resume(on);
    await loseAll(on, 12);
    expect(on.launches()).toBe(8);
    await on.clock.advance(24 * HOUR);
    expect(on.alive()).toHaveLength(1);
  });

  test("is bounded in proportion to its size", async () => {
    const on = await running({ ...ONE, gpus: 24 });
    await loseAll(on, 12);
    expect(on.launches()).toBe(12);
  });

  test("does not lose what is refunded, nor more of an interrupted machine than its time", async () => {
    const on = await running();
    await loseAll(on, 20, (id) => on.simulator.control.interrupt(id, { now: true }));
    // Some ten minutes each.
    expect(on.launches()).toBeGreaterThan(15);
    expect(reasonsOf(on)).toBe("");
  });

  test("does not lose what people want stopped: a smaller count, a drain, everything", async () => {
    const on = await running();
    for (let time = 0; time < 6; time++) {
      await on.declare({ training: { ...ONE, gpus: 0 } });
      await on.clock.advance(20 * MINUTE);
      expect(on.alive()).toEqual([]);
      await on.declare({ training: ONE });
      await on.clock.advance(10 * MINUTE);
      expect(on.alive()).toHaveLength(1);
    }
    for (let time = 0; time < 6; time++) {
      await on.declare({});
      await on.clock.advance(20 * MINUTE);
      await on.declare({ training: ONE });
      await on.clock.advance(10 * MINUTE);
      expect(on.alive()).toHaveLength(1);
    }
  });

  test("goes on where interruptions are many, and it is large", async () => {
    const settings = { interruptionsPerDay: 48, failureRate: 0.1 };
    const on = await running({ ...ONE, gpus: 64 }, { settings, seed: 3 });
    await on.clock.advance(5 * HOUR);
    expect(on.launches()).toBeGreaterThan(40);
    expect(reasonsOf(on)).not.toContain("budget.churn");
  });
});

test("what budget.churn says counts instead", async () => {
  const priced = ONE.candidates?.map((each) => ({ ...each, pricePerHour: "16" }));
  const on = await running({ gpus: 8, candidates: priced, budget: { churn: "100" } });
  await loseAll(on, 12);
  expect(on.launches()).toBe(7);
});

test("people are told that it waits", async () => {
  const on = await running();
  await loseAll(on, 8);
  expect(await recorded(on)).toEqual(["churned: 32 GPU hours were paid for"]);
});

test("people are told again when it waits again soon after an operator resumed it", async () => {
  const on = await running();
  await loseAll(on, 8);
  const told = await recorded(on);
  await resume(on);
  await on.clock.advance(MINUTE);
  expect(await recorded(on)).toEqual(told);
  await loseAll(on, 8);
  expect(await recorded(on)).toEqual([...told, ...told]);
});

test("people are told that it waits, though they were told before that launches fail", async () => {
  const on = await running();
  await loseAll(on, 8);
  await on.keeper.ledger.decide(on.keeper.account, (draft) => {
    const { account } = draft;
    draft.putAccount({ ...account, alarms: { "held fleet:training": contextOf(on.keeper).now.wall } });
  });
  expect(await recorded(on)).toEqual(["churned: 32 GPU hours were paid for"]);
});

/** The alarms of fleets, each up to its number. */
async function recorded({ keeper }: Stage): Promise<readonly string[]> {
  await keeper.ledger.decide(keeper.account, (draft) => storeAlarms(draft, contextOf(keeper)));
  const events = await keeper.ledger.events(keeper.account, 100);
  return events
    .filter(({ kind }) => kind === "held" || kind === "churned")
    .map(({ kind, text }) => `${kind}: ${text.slice(0, "32 GPU hours were paid for".length)}`);
}
