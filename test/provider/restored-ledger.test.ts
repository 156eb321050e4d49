import { describe, expect, it } from "vitest";
import { adopt, contextOf, disown, takeList } from "../../launch/index.ts";
import { machine } from "../../provider/kinds.ts";
import { stageOnDisk } from "../support/backup.ts";
import { createMachine, deskOn, destroy, failure, killedAfter, machineInputsOf, slotOf } from "./support.ts";

/** A launch whose create was killed, and the ledger of before, which knows another one of the same wire. */
async function killedAndRestored() {
  const { on, backUp } = await stageOnDisk();
  await on.clock.run(takeList(on.keeper, new AbortController().signal));
  const restore = backUp();
  const state = await slotOf(deskOn(on));
  await killedAfter(5_000, on, (desk) => createMachine(desk, state));
  const [made] = on.alive();
  const keeper = await restore();
  return { on, other: { ...on, keeper }, state, id: made!.id };
}

describe("a machine that neither the state nor a ledger from a backup knows, since its create was killed", () => {
  it("is not paid for twice: an up waits until somebody says whose it is", async () => {
    const { on, other, state, id } = await killedAndRestored();
    const desk = deskOn(other);
    const up = on.clock.run(createMachine(desk, state));
    await on.clock.advance(60_000);
    expect(desk.lines.join("\n")).toContain(`${id} carries this ledger's marker`);
    expect(on.launches()).toBe(1);
    const { ledger, account } = other.keeper;
    await ledger.decide(account, (draft) =>
      adopt(draft, id, `slot:${state.slot.id}`, contextOf(other.keeper)),
    );
    expect((await up).machine?.id).toBe(id);
    expect(on.launches()).toBe(1);
    await on.clock.run(destroy(deskOn(other), await up));
    expect(on.alive()).toEqual([]);
  });

  it("is not left behind: a destroy is refused until somebody says whose it is", async () => {
    const { on, other, state, id } = await killedAndRestored();
    for (const _again of [1, 2]) {
      const refused = await on.clock.run(failure(destroy(deskOn(other), state)));
      expect(refused.message).toContain(`${id} carries this ledger's marker`);
    }
    expect(on.alive()).toHaveLength(1);
    const { ledger, account } = other.keeper;
    await ledger.decide(account, (draft) => disown(draft, id, contextOf(other.keeper)));
    await on.clock.run(destroy(deskOn(other), state));
  });
});

/** A machine that replaced a lost one, and the ledger of before, which knows the slot with the lost one in it. */
async function restored() {
  const { on, backUp } = await stageOnDisk();
  const first = await on.clock.run(createMachine(deskOn(on), await slotOf(deskOn(on))));
  const restore = backUp();
  on.simulator.control.interrupt(first.machine!.id, { now: true });
  await on.clock.advance(60_000);
  const state = await on.clock.run(createMachine(deskOn(on), first));
  const keeper = await restore();
  const { id, outs } = state.machine!;
  expect(outs.claim).toBe("certain");
  return { on, other: { ...on, keeper }, state, id, outs };
}

describe("a machine in the state that a ledger from a backup does not know, though it knows the slot", () => {
  it("is stopped by a destroy", async () => {
    const { on, other, state } = await restored();
    await on.clock.run(destroy(deskOn(other), state));
    expect(on.alive()).toEqual([]);
  });

  it("is taken over by an up, and not replaced", async () => {
    const { on, other, state, id, outs } = await restored();
    const desk = deskOn(other);
    const inputs = machineInputsOf(state);
    expect(await on.clock.run(machine.diff!(desk, id, outs, inputs))).toEqual({
      changes: true,
      replaces: [],
    });
    await on.clock.run(machine.update!(desk, id, outs, inputs));
    const { deployments } = await other.keeper.ledger.read(other.keeper.account);
    expect(deployments.find((row) => row.id === id)).toMatchObject({
      claim: "certain",
      owner: `slot:${state.slot.id}`,
    });
    expect(on.alive().map((each) => each.id)).toEqual([id]);
    expect(await on.clock.run(machine.diff!(desk, id, outs, inputs))).toMatchObject({ changes: false });
    await on.clock.run(destroy(deskOn(other), state));
    expect(on.alive()).toEqual([]);
  });
});
