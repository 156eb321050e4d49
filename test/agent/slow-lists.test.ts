import { expect, test } from "vitest";
import { tellingSlowLists } from "../../account/slow-watch.ts";
import { accountStatus } from "../../agent/status/account-status.ts";
import { contextOf } from "../../launch/keeper.ts";
import { storeSlowList } from "../../launch/list/slow-list.ts";
import { takeList } from "../../launch/protocol.ts";
import { H100 } from "../support/stage.ts";
import { candidate, MINUTE, onStage, reasonsOf } from "./on-stage.ts";

async function withLists(seconds: number, poll: number) {
  const on = await onStage({ protocol: { poll } });
  on.simulator.control.faults.next("deployments", { kind: "slow", seconds }, { times: 10_000 });
  await on.declare({ training: { gpus: 8, candidates: [candidate(H100)] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  return on;
}

test("lists that take longer than a poll: nothing is launched, and why and what to do is said", async () => {
  const on = await withLists(16, 15_000);
  expect(on.launches()).toBe(0);
  expect(reasonsOf(on)).toContain("the newest full list was asked for 16 s ago");
  expect(reasonsOf(on)).toContain("the list itself took 16 s");
  expect(reasonsOf(on)).toContain(`FLEETKEEPER_PROTOCOL='{"poll": "32s"}'`);
});

test("with the longer poll they launch", async () => {
  const on = await withLists(16, 32_000);
  expect(on.launches()).toBe(1);
});

test("a list that does not end is told after one poll interval, once, and not only when it has ended", async () => {
  const on = await onStage();
  const told: string[] = [];
  const keeper = tellingSlowLists(on.keeper, (text) => told.push(text));
  const slow = { kind: "slow", seconds: 90 } as const;
  on.simulator.control.faults.next("deployments", slow, { times: 2 });
  const lists = (async () => {
    for (const _list of [1, 2, 3]) await takeList(keeper, new AbortController().signal);
  })();
  const slowSince = async () =>
    (await accountStatus(keeper.ledger, keeper.account, contextOf(keeper))).slowSince;
  const begun = on.clock.now();
  await on.clock.advance(14_000);
  expect([told.length, await slowSince()]).toEqual([0, null]);
  await on.clock.advance(2_000);
  expect(told).toEqual([
    expect.stringContaining(
      "takes longer than 15 s (one poll interval): nothing new is decided before it ends",
    ),
  ]);
  expect(await slowSince()).toBe(begun);
  await on.clock.advance(120_000);
  expect(told).toHaveLength(1);
  await on.clock.run(lists);
  expect([told.length, await slowSince()]).toEqual([1, null]);
  const events = await keeper.ledger.events(keeper.account, 100);
  expect(events.filter(({ kind }) => kind === "slowList")).toHaveLength(1);
});

test("a ledger that lists were slow for in another process forgets it at the first one that is not", async () => {
  const on = await onStage();
  await on.keeper.ledger.decide(on.keeper.account, (draft) =>
    storeSlowList(draft, on.keeper.clock.now(), contextOf(on.keeper)),
  );
  const keeper = tellingSlowLists(on.keeper, () => undefined);
  await on.clock.run(takeList(keeper, new AbortController().signal));
  expect((await keeper.ledger.read(keeper.account)).account.slow?.since).toBeNull();
});
