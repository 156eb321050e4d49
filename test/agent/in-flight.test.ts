import { expect, test } from "vitest";
import { parseWish } from "../../agent/fleet/wish/wish.ts";
import { allowed } from "../../agent/planning/choices/options.ts";
import { InFlight } from "../../agent/reconcile/in-flight.ts";
import { launchWish } from "../../agent/reconcile/launch-fleet.ts";
import { runLoop } from "../../agent/reconcile/loop.ts";
import { markerOf } from "../../launch/claim/groups.ts";
import { askStop } from "../../launch/ends/stop.ts";
import { contextOf } from "../../launch/keeper.ts";
import { carryOutStops, launch } from "../../launch/protocol.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { Stage } from "../support/stage.ts";
import { H100 } from "../support/stage.ts";
import { candidate, draftOf, MINUTE, onStage, SECOND } from "./on-stage.ts";

const never = new AbortController().signal;

async function running(): Promise<Stage> {
  const on = await onStage();
  await on.declare({ training: { gpus: 8, candidates: [candidate(H100)] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  return on;
}

test("a launch that waits for its turn when the agent ends is not written, and not sent", async () => {
  const on = await running();
  await on.declare({ training: { gpus: 16, candidates: [candidate(H100)] } });
  const ending = new AbortController();
  const wish = parseWish([...(await draftOf(on)).fleets.values()][0]?.wish);
  const [option] = allowed(wish, undefined);
  if (!option) throw new Error("nothing is allowed");
  const turn = (signal: AbortSignal): Promise<void> =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  const waiting = { ...on.keeper, service: { ...on.keeper.service, turn } };
  const [intents, launches] = [(await draftOf(on)).intents.size, on.launches()];
  const result = launch(waiting, launchWish("training", wish, option), ending.signal);
  ending.abort(new Error("stopped by SIGTERM"));
  expect(await result).toMatchObject({ kind: "refused", holds: [{ kind: "ending" }] });
  expect((await draftOf(on)).intents.size).toBe(intents);
  expect(on.launches()).toBe(launches);
});

test("a launch that waited for its turn is not written beside a machine of a launch that the ledger forgot meanwhile", async () => {
  const on = await onStage({ account: "shared" });
  await on.declare({ training: { gpus: 8, match: "none", candidates: [candidate(H100)] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  await on.declare({ training: { gpus: 16, match: "none", candidates: [candidate(H100)] } });
  const { keeper } = on;
  const wish = parseWish([...(await draftOf(on)).fleets.values()][0]?.wish);
  const [option] = allowed(wish, undefined);
  const [row] = (await draftOf(on)).deployments.values();
  if (!option || !row) throw new Error("there is no machine, or nothing is allowed");
  const marker = markerOf(contextOf(keeper).ledger, "intent00zzzz");
  const nobodys = { claim: null, owner: null, intent: null, claimed: null, marker };
  const turn = () =>
    keeper.ledger.decide(keeper.account, (draft) => {
      draft.putDeployment({ ...row, ...nobodys, id: "m1" });
    });
  const launches = on.launches();
  const waiting = { ...keeper, service: { ...keeper.service, turn } };
  expect(await launch(waiting, launchWish("training", wish, option), never)).toMatchObject({
    holds: [{ kind: "forgotten", numbers: { id: "m1" } }],
  });
  expect(on.launches()).toBe(launches);
});

test.each([true, false])(
  "a round of stops that goes on while a list is not believed (%s) sends none",
  async (isDoubted) => {
    const on = await running();
    const { keeper } = on;
    const id = on.alive()[0]?.id ?? "";
    await keeper.ledger.decide(keeper.account, (draft) => {
      askStop(draft, id, "a test", contextOf(keeper));
      if (isDoubted)
        draft.putAccount({ ...draft.account, doubt: { begun: keeper.clock.now(), missing: [id] } });
    });
    await on.clock.run(carryOutStops(keeper, never));
    expect(on.simulator.truth().requests.stop).toBe(isDoubted ? 0 : 1);
  },
);

test("what fails after its tick has gone on is not lost, and rings", async () => {
  const on = await onStage();
  let rang = 0;
  const inFlight = new InFlight(() => {
    rang += 1;
  });
  const work = on.clock.sleep(60_000).then(() => {
    throw new Error("the disk is full");
  });
  const within = inFlight.within(15_000, [inFlight.begin(work)], on.keeper.clock, never);
  expect(await on.clock.run(within)).toEqual([undefined]);
  inFlight.rethrow();
  await on.clock.advance(60_000);
  expect(rang).toBe(1);
  expect(() => inFlight.rethrow()).toThrow("the disk is full");
  inFlight.rethrow();
});

test("a second round of stops does not begin beside the first", async () => {
  const on = await onStage();
  const inFlight = new InFlight(() => undefined);
  const begin = (): Promise<true> | undefined => inFlight.beginStops(() => on.clock.sleep(1_000));
  const first = begin();
  expect(begin()).toBeUndefined();
  if (first) await on.clock.run(first);
  expect(begin()).toBeDefined();
});

test("a launch that is in flight when its neighbour fails has its answer before the agent ends", async () => {
  const on = await onStage({ alter: (profile) => `${profile}\nlimits:\n  requestsPerSecond: 0.5\n` });
  const { ledger } = on.keeper;
  let isLocked = false;
  const decide = ledger.decide.bind(ledger);
  ledger.decide = async (account, decision) => {
    if (!isLocked) return decide(account, decision);
    isLocked = false;
    throw new FleetkeeperError("LEDGER", "the ledger is locked");
  };
  await on.declare({ training: { gpus: 8, candidates: [candidate(H100)] } });
  const options = { keeper: on.keeper, host: "test", onTick: () => undefined, onError: () => undefined };
  const ended = runLoop(options, never).then(
    () => "",
    (error: Error) => error.message,
  );
  await on.clock.advance(10 * MINUTE);
  await on.declare({ training: { gpus: 32, candidates: [candidate(H100)] } });
  while (on.launches() === 1) await on.clock.advance(SECOND / 4);
  on.simulator.control.faults.next("launch", { kind: "slow", seconds: 10 });
  while (on.launches() === 2) await on.clock.advance(SECOND / 4);
  // The other one of this round waits for its turn, and is not written.
  isLocked = true;
  expect(await on.clock.run(ended)).toBe("the ledger is locked");
  const states = [...(await draftOf(on)).intents.values()].map(({ state }) => state);
  expect(states).toEqual(["claimed", "claimed", "claimed"]);
});
