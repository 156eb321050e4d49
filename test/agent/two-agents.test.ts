import { expect, test } from "vitest";
import { runLoop } from "../../agent/reconcile/loop.ts";
import type { TickReport } from "../../agent/reconcile/tick.ts";
import type { Keeper } from "../../launch/keeper.ts";
import { takeList } from "../../launch/protocol.ts";
import type { ProcessIdentity } from "../../ledger/instant.ts";
import type { Stage } from "../support/stage.ts";
import { H100 } from "../support/stage.ts";
import { candidate, MINUTE, onStage } from "./on-stage.ts";

const wish = { gpus: 16, candidates: [candidate(H100)] };

/** The keeper of another process on the same ledger. Lives until its pid is among the dead. */
function another({ keeper }: Stage, self: Partial<ProcessIdentity>, dead: Set<number> = new Set()): Keeper {
  const { clock } = keeper;
  return {
    ...keeper,
    clock: {
      now: () => clock.now(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
      self: { ...clock.self, ...self },
      isAlive: ({ pid }) => !dead.has(pid),
    },
  };
}

function run(
  keeper: Keeper,
  signal: AbortSignal,
): { readonly reports: TickReport[]; readonly end: Promise<unknown> } {
  const reports: TickReport[] = [];
  const options = {
    keeper,
    host: "other",
    onTick: (report: TickReport) => void reports.push(report),
    onError: () => undefined,
  };
  return { reports, end: runLoop(options, signal).catch((error: unknown) => error) };
}

test.each([
  ["another pid", { pid: 2 }],
  ["the same pid in another container", { started: "later" }],
])("a second agent with %s refuses to keep the account", async (_, self) => {
  const on = await onStage();
  await on.declare({ training: wish });
  on.start();
  await on.clock.advance(MINUTE);
  const { reports, end } = run(another(on, self), new AbortController().signal);
  expect(String(await end)).toContain("an agent keeps this account already: process 1 on stage");
  expect(reports).toEqual([]);
  await on.clock.advance(MINUTE);
  expect(on.launches()).toBe(2);
});

test("a second agent goes on at once where the first one has died, and with the same machines", async () => {
  const on = await onStage();
  await on.declare({ training: wish });
  const dead = new Set<number>();
  const aborting = new AbortController();
  const first = run(another(on, { pid: 7 }, dead), aborting.signal);
  await on.clock.advance(10 * MINUTE);
  expect(first.reports.length).toBeGreaterThan(10);
  dead.add(7);
  const second = run(another(on, { pid: 8 }, dead), aborting.signal);
  await on.clock.advance(MINUTE);
  expect(second.reports.length).toBeGreaterThan(2);
  // The first one was only frozen: it stands back.
  expect(String(await first.end)).toContain("process 8");
  expect(on.launches()).toBe(2);
  aborting.abort();
  await second.end;
});

test("an agent that ends leaves the account to the next one", async () => {
  const on = await onStage();
  const first = new AbortController();
  const { end } = run(another(on, { pid: 7 }), first.signal);
  await on.clock.advance(MINUTE);
  first.abort();
  expect(await end).toBeUndefined();
  const second = new AbortController();
  const next = run(another(on, { pid: 8 }), second.signal);
  await on.clock.advance(MINUTE);
  expect(next.reports.length).toBeGreaterThan(2);
  second.abort();
  await next.end;
});

test("two that tick at once, as an agent and pulumi up do, rent no machine twice", async () => {
  const on = await onStage({ latencyMs: 300 });
  await on.declare({ training: { ...wish, gpus: 64 } });
  const aborting = new AbortController();
  on.start();
  const { tick } = await import("../../agent/reconcile/tick.ts");
  const other = another(on, { pid: 2 });
  const ticking = (async () => {
    while (!aborting.signal.aborted) {
      const { wake } = await tick(other, aborting.signal);
      await other.clock.sleep(Math.max(wake, 100), aborting.signal).catch(() => undefined);
    }
  })();
  await on.clock.advance(10 * MINUTE);
  aborting.abort();
  await ticking;
  expect(on.alive()).toHaveLength(8);
  expect(on.launches()).toBe(8);
});

test("an agent's own lists renew its beat, and no other process's: one that hangs is replaced all the same", async () => {
  const on = await onStage();
  await on.declare({ training: wish });
  on.start();
  await on.clock.advance(MINUTE);
  const beat = async () => (await on.keeper.ledger.read(on.keeper.account)).account.agent?.beat.mono;
  const list = (keeper: Keeper) => on.clock.run(takeList(keeper, new AbortController().signal));
  await on.clock.advance(1000);
  const before = await beat();
  await list(another(on, { pid: 2 }));
  expect(await beat()).toBe(before);
  await list(on.keeper);
  expect(await beat()).toBeGreaterThan(Number(before));
});
