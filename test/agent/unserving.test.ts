import { expect, test } from "vitest";
import { pauseFleet, resumeFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { ledgerStatus } from "../../agent/status/account-status.ts";
import { contextOf } from "../../launch/keeper.ts";
import { resume } from "../../launch/people/operator.ts";
import type { Stage } from "../support/stage.ts";
import { H100 } from "../support/stage.ts";
import { candidate, draftOf, MINUTE, onStage, reasonsOf, SECOND } from "./on-stage.ts";

/*
 * The service halts machines and bills them on, in a state that the profile names under deployments.states.replace. What
 * lives is judged by the simulator's truth.
 */

const fleet = (machines: number, more: Partial<WishInput> = {}): Readonly<Record<string, WishInput>> => ({
  training: { gpus: 8 * machines, candidates: [candidate(H100)], ...more },
});

async function running(machines: number, more: Partial<WishInput> = {}): Promise<Stage> {
  const on = await onStage({ dialect: "elsewhere", settings: { stoppingSeconds: [200, 200] } });
  await on.declare(fleet(machines, more));
  on.start();
  await on.clock.advance(8 * MINUTE);
  expect(on.alive().map(({ state }) => state)).toEqual(Array.from({ length: machines }, () => "running"));
  return on;
}

/** The most machines that live at once until this while is over, and how many stops began meanwhile. */
async function watch(on: Stage, ms: number): Promise<{ readonly most: number; readonly stopped: number }> {
  const before = on.simulator.truth().requests.stop;
  let most = 0;
  for (let at = 0; at < ms; at += 5 * SECOND) {
    await on.clock.advance(5 * SECOND);
    most = Math.max(most, on.alive().length);
  }
  return { most, stopped: on.simulator.truth().requests.stop - before };
}

function halt(on: Stage, index = 0): string {
  const { id = "" } = on.alive().filter(({ state }) => state === "running")[index] ?? {};
  on.simulator.control.halt(id);
  return id;
}

async function statusOf({ keeper }: Stage) {
  // As the command: the ledger alone, without a profile.
  const { wire: _wire, ...context } = contextOf(keeper);
  const abilities = { marker: false, combination: false, get: false };
  const wire = { profileHash: "", abilities, isTerminal: () => false };
  const [status] = (await ledgerStatus(keeper.ledger, { ...context, wire })).accounts;
  if (!status) throw new Error("no account");
  return status;
}

test("it is stopped, and replaced once it is gone", async () => {
  const on = await running(2);
  const id = halt(on);
  expect(await watch(on, 15 * MINUTE)).toEqual({ most: 2, stopped: 1 });
  expect(on.alive().map(({ state }) => state)).toEqual(["running", "running"]);
  expect(on.alive().map((each) => each.id)).not.toContain(id);
});

test("with surge its replacement does not wait until it is gone", async () => {
  const on = await running(2, { surge: 8 });
  halt(on);
  expect(await watch(on, 4 * MINUTE)).toEqual({ most: 3, stopped: 1 });
});

test("it is told, with what it costs, until it is gone", async () => {
  const on = await running(1);
  const id = halt(on);
  await on.clock.advance(150 * SECOND);
  const said = `${id} is powered-off: it costs 16.00 USD an hour, and does not serve. It is stopped, and replaced once it is gone`;
  const owner = "fleet:training";
  await on.clock.advance(15 * SECOND);
  const { notServing, events } = await statusOf(on);
  // The service says that it is stopping by then.
  expect(notServing).toEqual([]);
  expect(events.filter(({ kind }) => kind === "notServing")).toMatchObject([{ owner, text: said }]);
  expect(events.find(({ kind }) => kind === "stop")?.text).toBe(
    `stopping ${id}: it is powered-off: billed, and it does not serve`,
  );
});

test("one that is halted for a moment is left alone", async () => {
  const on = await running(1);
  const id = halt(on);
  await on.clock.advance(90 * SECOND);
  on.simulator.control.halt(id, false);
  expect(await watch(on, 10 * MINUTE)).toEqual({ most: 1, stopped: 0 });
});

test("several are stopped one after the other, each once a machine in the place of the last one serves", async () => {
  const on = await running(3);
  halt(on, 0);
  halt(on, 0);
  await on.clock.advance(4 * MINUTE);
  expect(reasonsOf(on)).toContain(
    "was stopped for that just now, and a machine in its place has to serve first",
  );
  expect((await watch(on, 25 * MINUTE)).stopped).toBe(1);
  expect(on.alive().map(({ state }) => state)).toEqual(["running", "running", "running"]);
  expect((await statusOf(on)).halted).toEqual([]);
});

/** The profile calls the service's word for running a state in which machines do not serve. */
async function mistaken(machines: number): Promise<Stage> {
  const on = await onStage({
    dialect: "elsewhere",
    alter: (text) => text.replace("up: running, ", "").replace("[powered-off]", "[up]"),
  });
  await on.declare(fleet(machines));
  on.start();
  return on;
}

test("a serving state that is named so costs two machines, and then people are asked", async () => {
  const on = await mistaken(3);
  expect((await watch(on, 3 * 60 * MINUTE)).stopped).toBe(2);
  const { halted, notServing } = await statusOf(on);
  expect(halted.join()).toContain("take it out of deployments.states.replace in the profile");
  expect(notServing.length).toBeGreaterThan(0);
  expect(notServing[0]?.text).toContain("It is not stopped: such stops are halted");
  expect(on.launches()).toBeLessThanOrEqual(4);
  const launches = on.launches();
  expect((await watch(on, 60 * MINUTE)).stopped).toBe(0);
  expect(on.launches()).toBe(launches);
});

test("a person lets it go on", async () => {
  const on = await mistaken(1);
  await on.clock.advance(60 * MINUTE);
  const { keeper } = on;
  const said = await keeper.ledger.decide(keeper.account, (draft) => resume(draft, contextOf(keeper)));
  expect(said.halted).toBe(1);
  expect((await statusOf(on)).halted).toEqual([]);
  expect((await watch(on, 60 * MINUTE)).stopped).toBe(2);
});

test("that a state is wrong shows though the first stop was long ago", async () => {
  const on = await running(1);
  for (const _ of [1, 2, 3]) {
    halt(on);
    await on.clock.advance(75 * MINUTE);
  }
  expect((await statusOf(on)).halted).toEqual([]);
  expect(on.alive().map(({ state }) => state)).toEqual(["running"]);
  // What came in its place is halted before it served for ten minutes.
  halt(on);
  await on.clock.advance(11 * MINUTE);
  halt(on);
  await on.clock.advance(10 * MINUTE);
  expect((await statusOf(on)).halted.join()).toContain("were stopped one after the other");
});

test("in a paused fleet it is told and kept; one that runs again before its stop is sent is kept, too", async () => {
  const on = await running(1);
  const { keeper } = on;
  const order = (how: typeof pauseFleet) =>
    keeper.ledger.decide(keeper.account, (draft) => how(draft, "training", contextOf(keeper)));
  await order(pauseFleet);
  const id = halt(on);
  expect((await watch(on, 5 * MINUTE)).stopped).toBe(0);
  expect((await statusOf(on)).notServing).toMatchObject([
    { id, text: expect.stringContaining("It is not stopped: its fleet is paused") },
  ]);
  on.simulator.control.faults.next("deployment", { kind: "errorBefore", status: 503 }, { times: 40 });
  await order(resumeFleet);
  await on.clock.advance(1 * SECOND);
  on.simulator.control.halt(id, false);
  on.simulator.control.faults.clear();
  await on.clock.advance(10 * MINUTE);
  expect(on.alive().map((each) => each.id)).toEqual([id]);
  expect((await draftOf(on)).deployments.get(id)?.stop).toBeNull();
});
