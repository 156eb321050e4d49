import { describe, expect, it } from "vitest";
import { askStop, carryOutStops, contextOf, takeList } from "../../launch/index.ts";
import { machine } from "../../provider/kinds.ts";
import { type Stage, stage } from "../support/stage.ts";
import {
  createMachine,
  deskOn,
  destroy,
  failure,
  machineInputsOf,
  never,
  type State,
  slotOf,
} from "./support.ts";

const HOUR = 3_600_000;

/** A machine whose deadline has passed an hour ago, and that nothing has stopped. */
async function overdue(alter?: (profile: string) => string) {
  const on = await stage({ alter });
  const desk = deskOn(on);
  const until = new Date(on.clock.now() + HOUR).toISOString();
  const state = await on.clock.run(createMachine(desk, await slotOf(desk), { until }));
  await on.clock.advance(2 * HOUR);
  const later = new Date(on.clock.now() + 10 * HOUR).toISOString();
  return { on, state, until, later, ...state.machine! };
}

const diff = (on: Stage, { machine: made, ...state }: State, args = {}) =>
  on.clock.run(machine.diff(deskOn(on), made!.id, made!.outs, machineInputsOf(state, args)));
const update = (on: Stage, { machine: made, ...state }: State, args = {}) =>
  on.clock.run(machine.update(deskOn(on), made!.id, made!.outs, machineInputsOf(state, args)));

const stopOf = async ({ keeper }: Stage, id: string) =>
  (await keeper.ledger.read(keeper.account)).deployments.find((row) => row.id === id)?.stop;

/** What a later run of another program does on the same ledger. */
async function anotherDeployment(on: Stage): Promise<void> {
  const desk = deskOn(on);
  await on.clock.run(createMachine(desk, await slotOf(desk)));
  await on.clock.advance(120_000);
}

it("a deadline that has passed is said in the preview, with the machine that it stops", async () => {
  const { on, state, until, id } = await overdue();
  const desk = deskOn(on);
  const { id: made, outs } = state.machine!;
  await on.clock.run(machine.diff(desk, made, outs, machineInputsOf(state, { until })));
  expect(desk.lines.join("\n")).toContain(
    `its deadline (until: ${until}) has passed: pulumi up stops ${id}, and rents no other`,
  );
});

describe("a deadline that has passed, and is moved later before anything was stopped", () => {
  it.each(["later", "never"])("keeps the machine: %s", async (how) => {
    const { on, state, later, id } = await overdue();
    const args = how === "later" ? { until: later } : {};
    expect(await diff(on, state, args)).toEqual({ changes: true, replaces: [] });
    expect(await stopOf(on, id)).toBeNull();
    expect(await update(on, state, args)).toMatchObject({ status: "running" });
    await on.clock.advance(HOUR);
    await anotherDeployment(on);
    expect(on.alive()).toMatchObject([{ id, state: "running" }, { state: "running" }]);
  });

  it("keeps it too where somebody had asked for the stop, and nobody had called yet", async () => {
    const { on, state, later, id } = await overdue();
    await on.clock.run(takeList(on.keeper, never()));
    expect(await stopOf(on, id)).not.toBeNull();
    expect(await diff(on, state, { until: later })).toEqual({ changes: true, replaces: [] });
    await update(on, state, { until: later });
    await anotherDeployment(on);
    expect(on.alive()).toMatchObject([{ id, state: "running" }, { state: "running" }]);
  });

  it("keeps it where the profile cannot stop: nothing was sent", async () => {
    const { on, state, later, id } = await overdue((profile) => profile.replace(/\nstop:\n( .*\n)+/, "\n"));
    expect(on.keeper.service.abilities.stop).toBe(false);
    await on.clock.run(takeList(on.keeper, never()));
    await on.clock.run(carryOutStops(on.keeper, never()));
    await update(on, state, { until: later });
    expect(await stopOf(on, id)).toBeNull();
  });

  it("does not take back what an operator asked for as well", async () => {
    const { on, state, later, id } = await overdue();
    await on.clock.run(takeList(on.keeper, never()));
    await on.keeper.ledger.decide(on.keeper.account, (draft) =>
      askStop(draft, id, "an operator stopped it", contextOf(on.keeper)),
    );
    expect(await diff(on, state, { until: later })).toEqual({ changes: true, replaces: ["deploymentId"] });
  });

  it("is moved within the past: the stop stays", async () => {
    const { on, state, id } = await overdue();
    await on.clock.run(takeList(on.keeper, never()));
    const args = { until: new Date(on.clock.now() - 1_000).toISOString() };
    expect(await update(on, state, args)).toMatchObject({ deploymentId: id, status: "stopped" });
    expect(on.alive()).toEqual([]);
  });
});

describe("a machine whose stop was called, and failed", () => {
  const failing = (on: Stage, times: number) =>
    on.simulator.control.faults.next("stop", { kind: "errorBefore", status: 500 }, { times });

  it("by the deadline is replaced by an up with a later one, once it has ended", async () => {
    const { on, state, later, id } = await overdue();
    failing(on, 3);
    await on.clock.run(takeList(on.keeper, never()));
    await on.clock.run(carryOutStops(on.keeper, never()));
    expect(await diff(on, state, { until: later })).toEqual({ changes: true, replaces: ["deploymentId"] });
    const next = await on.clock.run(createMachine(deskOn(on), state, { until: later }));
    expect(next.machine?.id).not.toBe(id);
    await on.clock.advance(HOUR);
    expect(on.alive()).toMatchObject([{ id: next.machine?.id, state: "running" }]);
  });

  it("by a destroy that did not come to its end is no machine that an up leaves as it is", async () => {
    const on = await stage();
    const desk = deskOn(on);
    const state = await on.clock.run(createMachine(desk, await slotOf(desk)));
    failing(on, 1_000);
    const late = {
      ...state,
      slot: { ...state.slot, outs: { ...state.slot.outs, timeouts: { delete: "1m" } } },
    };
    await on.clock.run(failure(destroy(deskOn(on), late)));
    expect(await diff(on, state)).toEqual({ changes: true, replaces: ["deploymentId"] });
    const error = await on.clock.run(failure(createMachine(deskOn(on), state)));
    expect(error.message).toContain("run pulumi destroy to its end");
  });
});

it("an up that waits for a machine which somebody stops does not take it for running", async () => {
  const { on, state, id } = await overdue();
  await update(on, state);
  await on.keeper.ledger.decide(on.keeper.account, (draft) =>
    askStop(draft, id, "an operator stopped it", contextOf(on.keeper)),
  );
  const error = await failure(update(on, state));
  expect(error.message).toContain("The next pulumi up replaces it.");
  expect(on.alive()).toEqual([]);
});
