import { expect, test } from "vitest";
import { drainFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import { lowerCount, wakeFleet } from "../../agent/fleet/size/lowered-count.ts";
import { askStop } from "../../launch/ends/stop.ts";
import type { Context } from "../../launch/facts/context.ts";
import { contextOf } from "../../launch/keeper.ts";
import { waking } from "../../launch/mark-wake.ts";
import { holdMachine, releaseMachine } from "../../launch/people/machine-hold.ts";
import { disown } from "../../launch/people/operator.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Stage } from "../support/stage.ts";
import { H100 } from "../support/stage.ts";
import { candidate, MINUTE, onStage, reasonsOf, SECOND } from "./on-stage.ts";

const wish = { gpus: 16, candidates: [candidate(H100)] };

async function decide(on: Stage, decision: (draft: Draft, context: Context) => void): Promise<void> {
  const { keeper } = on;
  await keeper.ledger.decide(
    keeper.account,
    waking((draft) => decision(draft, contextOf(keeper))),
  );
}

/** Two machines that run, of which the one that would be stopped first is held for an hour. */
async function held(more: object = {}): Promise<{ on: Stage; id: string; other: string }> {
  const on = await onStage();
  await on.declare({ training: { ...wish, ...more } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  const [other = "", id = ""] = on.alive().map((each) => each.id);
  await decide(on, (draft, context) => {
    holdMachine(draft, id, context.now.wall + 60 * MINUTE, "a long run", context);
  });
  return { on, id, other };
}

const living = (on: Stage): readonly string[] =>
  on.alive().flatMap(({ id, state }) => (state === "stopping" ? [] : [id]));

test("a lower count takes another machine than the one that a person holds", async () => {
  const { on, id } = await held();
  await on.declare({ training: { ...wish, gpus: 8 } });
  await on.clock.advance(10 * MINUTE);
  expect(living(on)).toEqual([id]);
  await on.declare({ training: { ...wish, gpus: 0 } });
  await on.clock.advance(10 * MINUTE);
  expect(living(on)).toEqual([id]);
  expect(reasonsOf(on)).toMatch(
    new RegExp(`${id} is not stopped: held until .*Z \\(a long run\\), or until fleetkeeper release ${id}`),
  );
});

test.each(["its time is over", "it is released"])("a held machine is stopped once %s", async (end) => {
  const { on, id } = await held();
  await decide(on, (draft, context) => drainFleet(draft, "training", context));
  await on.clock.advance(20 * MINUTE);
  expect(living(on)).toEqual([id]);
  if (end === "it is released") await decide(on, (draft, context) => releaseMachine(draft, id, context));
  else await on.clock.advance(40 * MINUTE);
  await on.clock.advance(5 * MINUTE);
  expect(on.alive()).toEqual([]);
});

test("a deadline ends it all the same, and says so", async () => {
  const { on, id } = await held();
  await on.declare({ training: { ...wish, until: new Date(on.clock.now() + 5 * MINUTE).toISOString() } });
  await on.clock.advance(5 * MINUTE + 30 * SECOND);
  expect(living(on)).toEqual([]);
  const events = await on.keeper.ledger.events(on.keeper.account, 100);
  expect(events.map(({ text }) => text)).toContainEqual(
    expect.stringMatching(new RegExp(`stopping ${id}: .*has passed: that ends it, though it was held until`)),
  );
});

test("only what is certainly ours and lives is held", async () => {
  const { on, id, other } = await held();
  const hold = (of: string) =>
    decide(on, (draft, context) => void holdMachine(draft, of, context.now.wall + 1, undefined, context));
  await decide(on, (draft, context) => disown(draft, other, context));
  await expect(hold(other)).rejects.toThrow(`fleetkeeper adopt ${other} first`);
  await decide(on, (draft, context) => void askStop(draft, id, "an operator stopped it", context));
  await expect(hold(id)).rejects.toThrow(`${id} cannot be held: it is being stopped already`);
  await on.clock.advance(10 * MINUTE);
  await expect(hold(id)).rejects.toThrow("it has ended");
  await expect(hold("dep_none")).rejects.toThrow("no list of this account ever showed");
});

test("what is given back is not rented again before the fleet is woken or declared anew", async () => {
  const on = await onStage();
  await on.declare({ training: wish });
  on.start();
  await on.clock.advance(10 * MINUTE);
  const [{ id } = { id: "" }] = on.alive();
  const giveBack = (of: string) =>
    decide(on, (draft, context) => {
      lowerCount(draft, "training", 8, context);
      askStop(draft, of, "an operator stopped it", context, "for good", true);
    });
  await giveBack(id);
  await on.clock.advance(20 * MINUTE);
  expect(on.launches()).toBe(2);
  expect(on.alive()).toHaveLength(1);
  expect(reasonsOf(on)).toContain("8 GPUs are wanted of the 16 that it declares");
  // The same declaration again, as at each start of an agent, changes nothing.
  await on.declare({ training: wish });
  await on.clock.advance(10 * MINUTE);
  expect(on.launches()).toBe(2);
  await decide(on, (draft, context) => void wakeFleet(draft, "training", context));
  await on.clock.advance(10 * MINUTE);
  expect(on.alive()).toHaveLength(2);
  await giveBack(on.alive()[0]?.id ?? "");
  await on.declare({ training: { ...wish, overshoot: 8 } });
  await on.clock.advance(20 * MINUTE);
  expect(on.alive()).toHaveLength(2);
  expect(on.launches()).toBe(4);
});

test("a machine whose GPUs nobody knows is not given back: another one would be rented in its place", async () => {
  const on = await onStage();
  await on.declare({ training: wish });
  await expect(decide(on, (draft, context) => lowerCount(draft, "training", 0, context))).rejects.toThrow(
    "nobody knows how many GPUs the machine has",
  );
});

test("of a fleet that wants all or nothing no part is given back", async () => {
  const on = await onStage();
  await on.declare({ training: { ...wish, allOrNothing: { within: "20m" } } });
  await expect(decide(on, (draft, context) => lowerCount(draft, "training", 8, context))).rejects.toThrow(
    "no part of it can be given back",
  );
});
