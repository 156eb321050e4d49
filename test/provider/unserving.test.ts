import { expect, test } from "vitest";
import { machine } from "../../provider/kinds.ts";
import { stage } from "../support/stage.ts";
import { createMachine, deskOn, failure, machineInputsOf, slotOf } from "./support.ts";

/*
 * The service halts the machine of a Deployment, and bills it on. What follows is what follows an interruption: the
 * next up puts another one into its place, and not before the first one is gone.
 */

async function halted() {
  const on = await stage({ dialect: "elsewhere", settings: { stoppingSeconds: [60, 60] } });
  const state = await on.clock.run(createMachine(deskOn(on), await slotOf(deskOn(on))));
  const { id, outs } = state.machine!;
  on.simulator.control.halt(id);
  await on.clock.advance(1_000);
  const diff = () => machine.diff(deskOn(on), id, outs, machineInputsOf(state));
  return { on, state, id, outs, diff };
}

test("an up of a halted machine waits, stops it, and says so; the next up launches another one", async () => {
  const { on, state, id, outs, diff } = await halted();
  expect(await on.clock.run(diff())).toEqual({ changes: true, replaces: [] });
  const error = await on.clock.run(failure(machine.update(deskOn(on), id, outs, machineInputsOf(state))));
  expect(error.message).toContain(`${id} was stopped`);
  expect(on.alive()).toEqual([]);
  expect(await on.clock.run(diff())).toEqual({ changes: true, replaces: ["deploymentId"] });
  await on.clock.run(createMachine(deskOn(on), state));
  expect(on.alive().map((each) => each.state)).toEqual(["running"]);
  expect(on.launches()).toBe(2);
});

test("an agent that keeps the account stops it between two ups", async () => {
  const { on, state, id, diff } = await halted();
  on.start();
  await on.clock.advance(10 * 60_000);
  await on.stop();
  expect(on.alive()).toEqual([]);
  expect(await on.clock.run(diff())).toEqual({ changes: true, replaces: ["deploymentId"] });
  await on.clock.run(createMachine(deskOn(on), state));
  expect(on.alive().map((each) => each.id)).not.toContain(id);
  expect(on.launches()).toBe(2);
});
