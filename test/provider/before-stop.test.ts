import { describe, expect, it, vi } from "vitest";
import { machine, slot } from "../../provider/kinds.ts";
import type { Properties } from "../../provider/runtime/inputs/resource-kind.ts";
import { type Stage, stage } from "../support/stage.ts";
import type { Desk, State } from "./support.ts";
import { createMachine, deskOn, destroy, killedAfter, machineInputsOf, slotOf } from "./support.ts";

const MINUTE = 60_000;
const SAVED = { beforeStop: { command: ["./save.sh", "all"], within: "5m" } };
type Run = Desk["run"];

async function running(on: Stage, args: Properties = SAVED): Promise<State> {
  const desk = deskOn(on);
  return on.clock.run(createMachine(desk, await slotOf(desk, args), args));
}

const saving = (on: Stage, run: Run): Desk => ({ ...deskOn(on), run });

/** Runs so long, or until it is ended. */
const lasting =
  (on: Stage, ms: number): Run =>
  (_row, _command, signal) =>
    on.keeper.clock.sleep(ms, signal);

/** The stage of a process that comes after the first one has died. */
function nextProcess(on: Stage): Stage {
  const { clock } = on.keeper;
  const self = { ...clock.self, pid: clock.self.pid + 1 };
  return {
    ...on,
    keeper: { ...on.keeper, clock: { ...clock, self, isAlive: ({ pid }) => pid === self.pid } },
  };
}

/** When the service was asked to stop its first machine, by its truth. Undefined: never. */
const stoppedAt = (on: Stage): number | undefined =>
  on.simulator.truth().machines[0]?.states.find(({ state }) => state === "stopping")?.at;

describe("what runs before a delete stops the machine", () => {
  it("is told why and until when, and the stop waits for it, and no longer", async () => {
    const on = await stage();
    const state = await running(on);
    const begun = on.clock.now();
    const run = vi.fn(lasting(on, 2 * MINUTE));
    const desk = saving(on, run);
    await on.clock.run(destroy(desk, state));
    expect(run).toHaveBeenCalledTimes(1);
    const [row, command] = run.mock.calls[0] ?? [];
    expect(row?.id).toBe(state.machine?.id);
    expect(command).toEqual({
      command: ["./save.sh", "all"],
      timeoutMs: 5 * MINUTE,
      keeps: "end",
      endsWithUs: true,
      more: {
        FLEETKEEPER_WHY: "its resource is deleted",
        FLEETKEEPER_UNTIL: new Date(begun + 5 * MINUTE).toISOString(),
      },
    });
    expect(stoppedAt(on)).toBe(begun + 2 * MINUTE);
    expect(on.alive()).toEqual([]);
    expect(desk.lines).toContain(`web: the beforeStop of ${row?.id} is over`);
  });

  it("that fails is told as a warning, and does not hold the stop", async () => {
    const on = await stage();
    const state = await running(on);
    const warnings: string[] = [];
    const desk: Desk = {
      ...saving(on, () => Promise.reject(new Error("it ended with 3"))),
      say: (text, _name, level) => level === "warning" && warnings.push(text),
    };
    const begun = on.clock.now();
    await on.clock.run(destroy(desk, state));
    expect(stoppedAt(on)).toBe(begun);
    expect(warnings).toEqual([
      `the beforeStop of ${state.machine?.id} failed, and the machine is stopped: it ended with 3`,
    ]);
  });

  it("that hangs is waited for until its time is up", async () => {
    const on = await stage();
    const state = await running(on);
    const begun = on.clock.now();
    await on.clock.run(destroy(saving(on, lasting(on, 60 * MINUTE)), state));
    expect(stoppedAt(on)).toBeGreaterThanOrEqual(begun + 5 * MINUTE);
    expect(stoppedAt(on)).toBeLessThanOrEqual(begun + 5 * MINUTE + on.keeper.settings.poll);
  });

  it("whose process is killed is not run twice, and the stop does not come earlier", async () => {
    const on = await stage();
    const state = await running(on);
    const begun = on.clock.now();
    const run = vi.fn(lasting(on, 4 * MINUTE));
    await killedAfter(MINUTE, on, (desk) => destroy({ ...desk, run }, state));
    expect(stoppedAt(on)).toBeUndefined();
    await on.clock.run(destroy(saving(nextProcess(on), run), state));
    expect(run).toHaveBeenCalledTimes(1);
    expect(stoppedAt(on)).toBeGreaterThanOrEqual(begun + 5 * MINUTE);
    expect(on.alive()).toEqual([]);
  });

  it("whose process is killed is run again within its time, where it may", async () => {
    const on = await stage();
    const state = await running(on, { beforeStop: { ...SAVED.beforeStop, again: true } });
    const begun = on.clock.now();
    const run = vi.fn(lasting(on, 2 * MINUTE));
    await killedAfter(MINUTE, on, (desk) => destroy({ ...desk, run }, state));
    await on.clock.run(destroy(saving(nextProcess(on), run), state));
    expect(run.mock.calls.map(([, { timeoutMs }]) => timeoutMs)).toEqual([5 * MINUTE, 4 * MINUTE]);
    expect(stoppedAt(on)).toBe(begun + 3 * MINUTE);
  });

  it("ends with a machine that ends meanwhile", async () => {
    const on = await stage();
    const state = await running(on);
    const begun = on.clock.now();
    const ended = vi.fn();
    const run: Run = (_row, _command, signal) =>
      on.keeper.clock.sleep(4 * MINUTE, signal).catch((error: unknown) => {
        ended();
        throw error;
      });
    const destroying = destroy(saving(on, run), state);
    await on.clock.advance(MINUTE);
    on.simulator.control.interrupt(state.machine?.id ?? "", { now: true });
    await on.clock.run(destroying);
    expect(ended).toHaveBeenCalledTimes(1);
    expect(on.clock.now()).toBeLessThan(begun + 3 * MINUTE);
  });

  it("leaves time for the stop before the delete's timeout is over", async () => {
    const on = await stage();
    const args = { ...SAVED, timeouts: { delete: "3m" } };
    const state = await running(on, args);
    const begun = on.clock.now();
    await on.clock.run(destroy(saving(on, lasting(on, 60 * MINUTE)), state));
    expect(stoppedAt(on)).toBeLessThan(begun + 3 * MINUTE);
    expect(on.alive()).toEqual([]);
  });

  it("has no longer than until", async () => {
    const on = await stage();
    const until = on.clock.now() + 10 * MINUTE;
    const args = { ...SAVED, until: new Date(until).toISOString() };
    const state = await running(on, args);
    await on.clock.advance(until - MINUTE - on.clock.now());
    await on.clock.run(destroy(saving(on, lasting(on, 60 * MINUTE)), state));
    expect(stoppedAt(on)).toBeLessThanOrEqual(until + on.keeper.settings.poll);
  });

  it.each([
    ["a timeout that leaves no time, and says so", { timeouts: { delete: "20s" } }, true],
    ["a machine that is let go", { onDelete: "abandon" }, false],
    ["a resource without one", { beforeStop: undefined }, false],
  ])("is left out for %s", async (_what, more, isTold) => {
    const on = await stage({ settings: { stoppingSeconds: [1, 1] } });
    const state = await running(on, { ...SAVED, ...more });
    const run = vi.fn(lasting(on, MINUTE));
    const desk = saving(on, run);
    await on.clock.run(destroy(desk, state));
    expect(run).not.toHaveBeenCalled();
    expect(desk.lines.some((line) => line.includes("beforeStop is not run"))).toBe(isTold);
  });

  it("is left out for a machine that does not run", async () => {
    const on = await stage();
    const desk = deskOn(on);
    const args = { ...SAVED, awaitRunning: false };
    const state = await on.clock.run(createMachine(desk, await slotOf(desk, args), args));
    const run = vi.fn(lasting(on, MINUTE));
    await on.clock.run(destroy(saving(on, run), state));
    expect(run).not.toHaveBeenCalled();
    expect(on.alive()).toEqual([]);
  });
});

it("changes in place, and in both halves", async () => {
  const on = await stage();
  const state = await running(on);
  const { id = "", outs = {} } = state.machine ?? {};
  const news = { beforeStop: { ...SAVED.beforeStop, within: "1m" } };
  const kept = { changes: true, replaces: [] };
  expect(await on.clock.run(machine.diff(deskOn(on), id, outs, machineInputsOf(state, news)))).toEqual(kept);
  const given = { ...state.slot.outs, ...news };
  expect(await on.clock.run(slot.diff(deskOn(on), state.slot.id, state.slot.outs, given))).toEqual(kept);
});

it("names a command that cannot be run, and one that is missing", async () => {
  const on = await stage();
  const desk = { ...deskOn(on), whyNotRun: (program: string) => `there is no ${program}` };
  const inputs = machineInputsOf(await slotOf(desk), SAVED);
  expect(await machine.check(desk, inputs)).toMatchObject({
    failures: [{ property: "beforeStop.command", reason: "there is no ./save.sh" }],
  });
  const { failures } = await slot.check(desk, {
    label: "project/dev/web",
    ...inputs,
    beforeStop: { within: "5m" },
  });
  expect(failures.map(({ property }) => property)).toContain("beforeStop.command");
});
