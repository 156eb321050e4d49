import { expect, it } from "vitest";
import { accountStatus } from "../../agent/status/account-status.ts";
import { storeAlarms } from "../../agent/tell/notify/alarms.ts";
import { askStop, dueStops, hurryStop, storeStop } from "../../launch/ends/stop.ts";
import { livingOf } from "../../launch/facts/occupancy.ts";
import { disown } from "../../launch/people/operator.ts";
import { takeList } from "../../launch/protocol.ts";
import { unshown } from "../../launch/resolve/doubted.ts";
import { storeLook, witnessOf } from "../../launch/resolve/missing.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { FLEET, LaunchBench } from "./bench.ts";
import { keeperOn, SIGNAL } from "./fake-service.ts";

const MINUTE = 60_000;
const DOWN = new FleetkeeperError("UNREACHABLE", "no answer");

/** A machine that lists lack, beside one that is there. Its GET says nothing that is understood. */
function vanished(): LaunchBench {
  const bench = new LaunchBench();
  bench.machine("m1");
  bench.machine("m2");
  bench.shown.delete("m1");
  return bench;
}

it("counts for ever, and is told within ten minutes, once: event, alert, status", async () => {
  const bench = vanished();
  for (let minute = 0; minute < 9; minute++) {
    bench.rounds(MINUTE, (id) => bench.lookInVain(id));
    bench.decide(storeAlarms);
  }
  expect(bench.told("unshown")).toEqual([
    expect.stringMatching(/^m1 is in no list any more.*answered 400[^.]*\. [A-Z].*fleetkeeper disown m1/),
  ]);
  bench.rounds(600 * MINUTE, (id) => bench.lookInVain(id));
  bench.decide(storeAlarms);
  expect(bench.told("unshown")).toHaveLength(1);
  expect(livingOf(bench.draft, FLEET).map(({ id }) => id)).toEqual(["m1", "m2"]);
  const { launches } = await accountStatus(bench.ledger, bench.account, bench.context);
  expect(launches).toEqual([
    expect.objectContaining({
      owner: FLEET,
      state: "unshown",
      detail: expect.stringContaining("answered 400"),
    }),
  ]);
});

it("is told where its GET has failed for as long, and is not before", () => {
  const bench = vanished();
  bench.rounds(4 * MINUTE, (id) => bench.lookInVain(id, DOWN));
  expect(bench.decide(unshown)).toEqual([]);
  bench.rounds(2 * MINUTE, (id) => bench.lookInVain(id, DOWN));
  expect(bench.decide(unshown)[0]?.text).toContain("no answer");
  expect(bench.decide(unshown)[0]?.text).not.toContain("deployments.get.missing");
});

it("is no doubt any more once a list or its GET shows it, it is not found, or a person disowns it", () => {
  const doubted = (): LaunchBench => {
    const bench = vanished();
    bench.rounds(20 * MINUTE, (id) => bench.lookInVain(id));
    expect(bench.decide(unshown)).toHaveLength(1);
    return bench;
  };
  const listed = doubted();
  listed.show("m1");
  listed.poll(15_000);
  expect(listed.row("m1").missing).toBeNull();
  const asked = doubted();
  asked.show("m1");
  asked.look("m1");
  expect(asked.row("m1").missing).not.toHaveProperty("doubt");
  const denied = doubted();
  denied.look("m1");
  expect(denied.decide(unshown)).toEqual([]);
  denied.poll(2 * MINUTE);
  expect(denied.row("m1").end).toBe("gone");
  const disowned = doubted();
  disowned.decide((draft, context) => disown(draft, "m1", context));
  expect(disowned.decide(unshown)).toEqual([]);
});

it("writes nothing while the same is answered", () => {
  const bench = vanished();
  bench.rounds(10 * MINUTE, (id) => bench.lookInVain(id));
  const written = bench.log.length;
  bench.lookInVain("m1");
  bench.lookInVain("m1", DOWN);
  bench.decide(() => undefined);
  expect(bench.log).toHaveLength(written);
});

/** Stop calls of the next hours, each with the look before it. */
function stops(bench: LaunchBench, ms: number, look: (id: string) => void): number {
  let sent = 0;
  bench.rounds(ms, (id) => {
    look(id);
    bench.decide((draft, context) => {
      for (const row of dueStops(draft, context)) {
        sent += 1;
        storeStop(draft, row.id, { kind: "failed", reason: "400", sent: "DELETE" }, context);
      }
    });
  });
  return sent;
}

it("is told to stop for a quarter of an hour, and then only if something shows it or somebody waits for it", () => {
  const bench = vanished();
  bench.decide((draft, context) => askStop(draft, "m1", "surplus", context));
  const refused = (id: string): void => bench.lookInVain(id);
  expect(stops(bench, 30 * MINUTE, refused)).toBeGreaterThanOrEqual(4);
  expect(stops(bench, 600 * MINUTE, refused)).toBe(0);
  expect(bench.decide(unshown)[0]?.text).toContain("Its stop is not repeated");
  bench.decide((draft) => hurryStop(draft, "m1"));
  expect(stops(bench, MINUTE, refused)).toBe(1);
  bench.show("m1");
  bench.poll(5 * MINUTE);
  expect(bench.decide(dueStops).map(({ id }) => id)).toEqual(["m1"]);
});

it("is told to stop for ever while its GET is only down", () => {
  const bench = vanished();
  bench.decide((draft, context) => askStop(draft, "m1", "surplus", context));
  stops(bench, 60 * MINUTE, (id) => bench.lookInVain(id, DOWN));
  expect(stops(bench, 60 * MINUTE, (id) => bench.lookInVain(id, DOWN))).toBeGreaterThan(8);
});

/** Answered as the profile says that none is, and nothing lives to show how living ones are answered. */
function lookAlone(bench: LaunchBench, id: string): void {
  const { now } = bench;
  bench.decide((draft, context) => storeLook(draft, id, undefined, now, context, false));
}

it("takes ten minutes more to be gone where no other machine lives to be asked for", () => {
  const bench = new LaunchBench();
  bench.machine("m1");
  bench.shown.delete("m1");
  expect(bench.decide((draft) => witnessOf(draft, "m1"))).toBeUndefined();
  bench.rounds(9 * MINUTE, (id) => lookAlone(bench, id));
  expect(bench.row("m1")).toMatchObject({ end: null, missing: { notFound: false } });
  bench.rounds(4 * MINUTE, (id) => lookAlone(bench, id));
  expect(bench.row("m1").end).toBe("gone");
});

it("is held against one that lists show and nobody stops", () => {
  const bench = vanished();
  bench.machine("m3");
  bench.poll(15_000);
  bench.decide((draft, context) => askStop(draft, "m2", "surplus", context));
  expect(bench.decide((draft) => witnessOf(draft, "m1"))).toBe("m3");
  expect(bench.decide((draft) => witnessOf(draft, "m3"))).toBeUndefined();
});

it("is looked up beside the living one that lists show, and what the service says of it is remembered", async () => {
  const bench = vanished();
  const { keeper, service } = keeperOn(bench);
  service.abilities.missing = true;
  service.onList = () => [{ id: "m2", status: "running" }];
  const beside: (string | undefined)[] = [];
  service.deployment = async (_id, _signal, living) => {
    beside.push(await living?.());
    return undefined;
  };
  bench.advance(15_000);
  await takeList(keeper, SIGNAL);
  expect(beside).toEqual(["m2"]);
  expect(bench.row("m1").missing).toMatchObject({ notFound: true });
  service.onList = () => [];
  bench.advance(15_000);
  await takeList(keeper, SIGNAL);
  bench.advance(15_000);
  await takeList(keeper, SIGNAL);
  expect(beside).toEqual(["m2", undefined, undefined]);
  expect(bench.row("m2").missing).toMatchObject({ notFound: false });
  service.deployment = async () => {
    throw new FleetkeeperError("REFUSED", "answered 400", { status: 400 });
  };
  bench.advance(15_000);
  await takeList(keeper, SIGNAL);
  expect(bench.row("m2").missing?.doubt).toMatchObject({ why: "answered 400", refused: true });
});
