import { afterEach, expect, it } from "vitest";
import { fleet, machine, slot } from "../../provider/kinds.ts";
import { type Stage, stage } from "../support/stage.ts";
import { createMachine, deskOn, machineInputsOf, slotOf } from "./support.ts";

let on: Stage | undefined;
afterEach(async () => on?.stop());

/** As `aliases` leave it: the same resources, with another label. */
const label = "project/dev/notebook";

it("a Deployment that was renamed keeps its machine, and is called by its new name", async () => {
  on = await stage();
  const desk = deskOn(on);
  const state = await on.clock.run(createMachine(desk, await slotOf(desk)));
  const { id, outs } = state.machine!;
  const inputs = machineInputsOf(state, { label });
  expect(await slot.diff(desk, state.slot.id, state.slot.outs, { ...state.slot.outs, label })).toEqual({
    changes: true,
    replaces: [],
  });
  expect(await on.clock.run(machine.diff(desk, id, outs, inputs))).toEqual({ changes: true, replaces: [] });
  const updated = await on.clock.run(machine.update(desk, id, outs, inputs));
  expect(updated).toMatchObject({ label, deploymentId: id });
  const { slots } = await on.keeper.ledger.read(on.keeper.account);
  expect(slots.map(({ name }) => name)).toEqual([label]);
  expect(desk.lines.at(-1)).toMatch(/^notebook: /);
  expect(on.alive()).toHaveLength(1);
});

it("so is a Fleet whose name in the ledger stays", async () => {
  on = await stage();
  const desk = deskOn(on);
  const { id, outs } = await fleet.create(desk, { label: "project/dev/web", name: "web" });
  expect(await fleet.diff(desk, id, outs, { ...outs, label })).toEqual({ changes: true, replaces: [] });
  expect(await fleet.update(desk, id, outs, { ...outs, label })).toMatchObject({ label });
});
