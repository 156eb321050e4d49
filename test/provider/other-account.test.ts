import { describe, expect, it } from "vitest";
import { fleet, machine, slot, wish } from "../../provider/impl.ts";
import { H100, type Stage, stage } from "../support/stage.ts";
import {
  COMBINATION,
  createMachine,
  type Desk,
  deskOn,
  failure,
  machineInputsOf,
  slotOf,
} from "./support.ts";

/** A ledger with the accounts of two people, and a desk of the second one: its key opens neither slots nor fleets of the first. */
async function twoAccounts(): Promise<{ readonly on: Stage; readonly other: Stage; readonly desk: Desk }> {
  const on = await stage();
  const other = await stage({ ledger: on.keeper.ledger, seed: 2, email: "other@example.com" });
  expect(other.keeper.account).not.toBe(on.keeper.account);
  return { on, other, desk: deskOn(other) };
}

describe("with the key of another account", () => {
  it("nothing is launched into a slot", async () => {
    const { on, other, desk } = await twoAccounts();
    const made = await on.clock.run(createMachine(deskOn(on), await slotOf(deskOn(on))));
    const error = await other.clock.run(failure(machine.create(desk, machineInputsOf(made))));
    expect(error).toMatchObject({ code: "WRONG_ACCOUNT" });
    expect(error.message).toContain(`slot ${made.slot.id} belongs to another account (${on.keeper.account})`);
    expect(other.launches()).toBe(0);
  });

  it("a slot is not deleted while its machine bills", async () => {
    const { on, other, desk } = await twoAccounts();
    const made = await on.clock.run(createMachine(deskOn(on), await slotOf(deskOn(on))));
    const error = await other.clock.run(failure(slot.delete(desk, made.slot.id, made.slot.outs)));
    expect(error).toMatchObject({ code: "WRONG_ACCOUNT" });
    expect(on.alive()).toHaveLength(1);
    await on.clock.run(slot.delete(deskOn(on), made.slot.id, made.slot.outs));
    expect(on.alive()).toEqual([]);
  });

  it("a fleet is neither declared nor deleted", async () => {
    const { on, other, desk } = await twoAccounts();
    const named = await fleet.create(deskOn(on), { label: "project/dev/training", name: "training" });
    const inputs = {
      ...named.outs,
      gpus: 8,
      candidates: [{ ...COMBINATION, gpus: H100.gpus, pricePerHour: H100.pricePerHour }],
      reconcile: "inline",
      source: `stack:${named.id}`,
    };
    await on.clock.run(wish.create(deskOn(on), inputs));
    expect(on.alive()).toHaveLength(1);
    expect(await other.clock.run(failure(wish.create(desk, inputs)))).toMatchObject({
      code: "WRONG_ACCOUNT",
    });
    const error = await other.clock.run(failure(fleet.delete(desk, named.id, named.outs)));
    expect(error).toMatchObject({ code: "WRONG_ACCOUNT" });
    expect(error.message).toContain("fleet training belongs to another account");
    expect(on.alive()).toHaveLength(1);
    expect(other.launches()).toBe(0);
  });
});
