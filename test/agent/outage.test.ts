import { expect, test } from "vitest";
import { runLoop } from "../../agent/reconcile/loop.ts";
import type { Failure } from "../../agent/status/outage.ts";
import { NOT_BELIEVED, outageOf, storeOutage, whyDistrusted } from "../../agent/status/outage.ts";
import { alertOf } from "../../agent/tell/notify/outbox.ts";
import type { AccountRow } from "../../ledger/rows.ts";
import { LaunchBench } from "../launch/bench.ts";
import type { Stage } from "../support/stage.ts";
import { H100 } from "../support/stage.ts";
import { candidate, draftOf, MINUTE, onStage, SECOND } from "./on-stage.ts";

const DOWN: Failure = { message: "The service cannot be reached.", refused: false };
const REFUSED: Failure = { message: "The service refused the credential.", refused: true };
const KINDS = ["unreadable", "keyRefused", "readable"];

function told(on: LaunchBench): readonly string[] {
  return on.ledger
    .eventsNow(on.account)
    .flatMap(({ kind }) => (KINDS.includes(kind) ? kind : []))
    .reverse();
}

/** Looks each minute, and what came of each. */
function looks(on: LaunchBench, minutes: number, failure: Failure | undefined): void {
  for (let minute = 0; minute < minutes; minute++) {
    on.advance(MINUTE);
    if (!failure) on.list();
    on.decide((draft, context) => storeOutage(draft, failure, context));
  }
}

const rowOf = (on: LaunchBench) => on.draft.account;

test("a service that cannot be read for ten minutes is told once, and so is its end", () => {
  const on = new LaunchBench();
  looks(on, 1, undefined);
  looks(on, 10, DOWN);
  expect(told(on)).toEqual([]);
  expect(outageOf(rowOf(on))).toBeUndefined();
  looks(on, 120, DOWN);
  expect(told(on)).toEqual(["unreadable"]);
  expect(outageOf(rowOf(on))).toMatchObject({ kind: "unreadable", reason: DOWN.message });
  looks(on, 3, undefined);
  expect(told(on)).toEqual(["unreadable", "readable"]);
  expect(outageOf(rowOf(on))).toBeUndefined();
  looks(on, 12, DOWN);
  looks(on, 1, undefined);
  expect(told(on)).toEqual(["unreadable", "readable", "unreadable", "readable"]);
});

test("short breaks are nobody's business, however many", () => {
  const on = new LaunchBench();
  for (let hour = 0; hour < 5; hour++) {
    looks(on, 9, DOWN);
    looks(on, 1, undefined);
  }
  expect(told(on)).toEqual([]);
});

test("a key that is refused is told after a second look, once, and not as unreadable as well", () => {
  const on = new LaunchBench();
  looks(on, 1, REFUSED);
  expect(told(on)).toEqual([]);
  looks(on, 1, REFUSED);
  expect(told(on)).toEqual(["keyRefused"]);
  expect(outageOf(rowOf(on))?.kind).toBe("refused");
  looks(on, 30, DOWN);
  looks(on, 30, REFUSED);
  expect(told(on)).toEqual(["keyRefused"]);
  looks(on, 1, undefined);
  expect(told(on)).toEqual(["keyRefused", "readable"]);
});

test("of an outage that becomes a refused key both are told", () => {
  const on = new LaunchBench();
  looks(on, 20, DOWN);
  looks(on, 5, REFUSED);
  expect(told(on)).toEqual(["unreadable", "keyRefused"]);
});

test("a list that another process has taken ends it", () => {
  const on = new LaunchBench();
  looks(on, 20, DOWN);
  on.advance(MINUTE);
  on.list();
  expect(outageOf(rowOf(on))).toBeUndefined();
  // The next look of the agent fails: that is another outage, which has only begun.
  looks(on, 1, DOWN);
  expect(told(on)).toEqual(["unreadable", "readable"]);
});

test("its begin and its end are alerts, each outage's own", () => {
  const on = new LaunchBench();
  looks(on, 12, DOWN);
  looks(on, 1, undefined);
  looks(on, 5, REFUSED);
  const alerts = on.ledger
    .eventsNow(on.account)
    .flatMap((event) => alertOf(event, on.draft, () => undefined) ?? [])
    .reverse();
  expect(alerts.map(({ kind }) => kind)).toEqual(["unreadable", "readable", "refused"]);
});

async function outages(on: Stage): Promise<readonly string[]> {
  const events = await on.keeper.ledger.events(on.keeper.account, 1000);
  return events.flatMap(({ kind }) => (KINDS.includes(kind) ? kind : [])).reverse();
}

async function running(): Promise<Stage> {
  const on = await onStage();
  await on.declare({ training: { gpus: 16, candidates: [candidate(H100)] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  return on;
}

test.each([
  ["is down", { kind: "refuse" } as const, "unreadable"],
  ["asks to be left alone", { kind: "tooMany", seconds: 3600 } as const, "unreadable"],
  ["refuses the key", { kind: "errorBefore", status: 401 } as const, "keyRefused"],
])("the loop writes it down of a service that %s", async (_, fault, kind) => {
  const on = await running();
  on.simulator.control.faults.chance("deployments", [{ fault, probability: 1 }]);
  await on.clock.advance(11 * MINUTE + 30 * SECOND);
  expect(await outages(on)).toEqual([kind]);
  expect(outageOf((await draftOf(on)).account)?.since).toBeLessThan(on.keeper.clock.now().wall - 10 * MINUTE);
  on.simulator.control.faults.clear();
  await on.clock.advance(16 * MINUTE);
  expect(await outages(on)).toEqual([kind, "readable"]);
});

test("an agent that is started again within an outage neither forgets it nor tells it anew", async () => {
  const on = await running();
  await on.stop();
  on.simulator.control.faults.chance("deployments", [{ fault: { kind: "refuse" }, probability: 1 }]);
  const live = async (minutes: number): Promise<void> => {
    const { keeper } = on;
    const ending = new AbortController();
    const gate = { onTick: () => undefined, onError: () => undefined };
    const loop = runLoop({ keeper, host: "test", ...gate }, ending.signal);
    await on.clock.advance(minutes * MINUTE);
    ending.abort();
    await loop;
  };
  await live(6);
  expect(await outages(on)).toEqual([]);
  await live(6);
  expect(await outages(on)).toEqual(["unreadable"]);
  await live(20);
  expect(await outages(on)).toEqual(["unreadable"]);
  on.simulator.control.faults.clear();
  await live(2);
  expect(await outages(on)).toEqual(["unreadable", "readable"]);
});

test("what is known is older than the newest look: by a list that lacks too much, in an outage, and before the first list", () => {
  const now = { wall: 0, mono: 0, boot: "b" };
  const row = { list: now, doubt: null, outage: null } as unknown as AccountRow;
  expect(whyDistrusted(row)).toBeNull();
  expect(whyDistrusted({ ...row, doubt: { begun: now, missing: ["m1"] } })).toBe(NOT_BELIEVED);
  expect(whyDistrusted({ ...row, outage: { since: now, reason: "The service is down." } })).toBe(
    "The service is down.",
  );
  expect(whyDistrusted({ ...row, list: null })).toBe("No list has been read yet.");
});
