import { expect, test } from "vitest";
import { readinessOf } from "../../agent/tell/http/measures/health.ts";
import { Pulse } from "../../agent/tell/http/measures/pulse.ts";
import type { Draft } from "../../ledger/draft.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { Stage } from "../support/stage.ts";
import { H100 } from "../support/stage.ts";
import { candidate, MINUTE, onStage, SECOND } from "./on-stage.ts";

const fleet = (more: object = {}) => ({
  training: { gpus: 16, candidates: [candidate(H100)], ...more },
});

/** Nothing can be written until it is called. */
function lock(on: Stage): () => void {
  const { ledger } = on.keeper;
  const decide = ledger.decide.bind(ledger);
  ledger.decide = async <T>(_account: string, _decision: (draft: Draft) => T): Promise<T> => {
    throw new FleetkeeperError("LEDGER_BUSY", "the ledger cannot be written now");
  };
  return () => {
    ledger.decide = decide;
  };
}

test("an agent whose ledger cannot be written for a while waits, tells, and stops what must be stopped then", async () => {
  const on = await onStage();
  const until = new Date(on.keeper.clock.now().wall + 10 * MINUTE).toISOString();
  await on.declare(fleet({ until }));
  on.start();
  await on.clock.advance(8 * MINUTE);
  expect(on.alive()).toHaveLength(2);
  const unlock = lock(on);
  await on.clock.advance(12 * MINUTE);
  expect(on.alive()).toHaveLength(2);
  expect(on.errors.length).toBeGreaterThan(100);
  unlock();
  await on.clock.advance(MINUTE);
  expect(on.alive()).toEqual([]);
  expect(on.launches()).toBe(2);
  const told = (await on.keeper.ledger.events(on.keeper.account, 1000)).filter(
    ({ kind }) => kind === "unwritable",
  );
  expect(told.map(({ text }) => text)).toEqual([expect.stringContaining("could not be written for 7")]);
});

test("a stop that is answered while the ledger cannot be written is told as that one wait, and goes on", async () => {
  const on = await onStage();
  await on.declare(fleet());
  on.start();
  await on.clock.advance(8 * MINUTE);
  on.simulator.control.faults.next("stop", { kind: "errorBefore", status: 500 });
  on.simulator.control.faults.next("stop", { kind: "slow", seconds: 20 });
  await on.declare(fleet({ gpus: 0 }));
  await on.clock.advance(17 * SECOND);
  const unlock = lock(on);
  await on.clock.advance(2 * MINUTE);
  unlock();
  await on.clock.advance(2 * MINUTE);
  expect(on.alive()).toEqual([]);
  const events = await on.keeper.ledger.events(on.keeper.account, 1000);
  expect(events.filter(({ kind }) => kind === "unwritable")).toHaveLength(1);
});

test("an answer that cannot be written down at once is not lost: nothing is launched a second time", async () => {
  const on = await onStage();
  await on.declare(fleet());
  const { launch } = on.keeper.service;
  let unlock = (): void => undefined;
  let answered = 0;
  Object.assign(on.keeper, {
    service: {
      ...on.keeper.service,
      launch: async (...args: Parameters<typeof launch>) => {
        const answer = await launch(...args);
        answered += 1;
        if (answered === 1) unlock = lock(on);
        return answer;
      },
    },
  });
  on.start();
  for (let waited = 0; answered === 0 && waited < 300; waited++) await on.clock.advance(SECOND);
  await on.clock.advance(9 * SECOND);
  unlock();
  await on.clock.advance(5 * MINUTE);
  expect(on.alive()).toHaveLength(2);
  expect(on.launches()).toBe(2);
  const rows = await on.keeper.ledger.read(on.keeper.account);
  expect(rows.intents.map(({ answer }) => answer?.id)).toEqual([expect.any(String), expect.any(String)]);
});

test("/readyz says that the ledger cannot be written, until a tick went well again", async () => {
  const on = await onStage();
  await on.declare(fleet());
  on.start();
  await on.clock.advance(MINUTE);
  const pulse = new Pulse(on.keeper.clock);
  expect(await readinessOf(on.keeper, pulse)).toMatchObject({ ok: true });
  pulse.failedWith("locked", 5_000, true);
  expect(await readinessOf(on.keeper, pulse)).toEqual({
    ok: false,
    text: "not ready: the ledger cannot be written",
  });
  pulse.ticked(15_000, true);
  expect(await readinessOf(on.keeper, pulse)).toMatchObject({ ok: true });
});
