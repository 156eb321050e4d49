import { describe, expect, it } from "vitest";
import { sameAccount } from "../../account/index.ts";
import { openSqliteLedger } from "../../ledger/index.ts";
import type { Properties } from "../../provider/kinds.ts";
import { fleet, machine, slot, wish } from "../../provider/kinds.ts";
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

/**
 * The accounts of two people, in one ledger or in one each, and a desk of the second one: its key opens neither slots nor
 * fleets of the first.
 */
async function twoAccounts(
  ledgers: "one" | "two" = "one",
): Promise<{ readonly on: Stage; readonly other: Stage; readonly desk: Desk }> {
  const on = await stage();
  const ledger =
    ledgers === "one"
      ? on.keeper.ledger
      : openSqliteLedger({ path: ":memory:", newId: "otherledger0", now: on.clock.now() });
  const other = await stage({ ledger, seed: 2, email: "other@example.com" });
  expect(other.keeper.account).not.toBe(on.keeper.account);
  return { on, other, desk: deskOn(other) };
}

type MachineCall = (desk: Desk, id: string, outs: Properties, news: Properties) => Promise<unknown>;

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

  it.each<[string, "one" | "two", MachineCall]>([
    ["diff", "one", machine.diff],
    ["read", "one", machine.read],
    ["update", "one", machine.update],
    ["diff", "two", machine.diff],
    ["read", "two", machine.read],
    ["update", "two", machine.update],
    // Where the ledger knows the slot, it is the slot's delete that stops the machine.
    ["delete", "two", machine.delete],
  ])("the %s of a machine is an error, and not its end: %s ledger(s)", async (_, ledgers, call) => {
    const { on, other, desk } = await twoAccounts(ledgers);
    const made = await on.clock.run(createMachine(deskOn(on), await slotOf(deskOn(on))));
    const { id, outs } = made.machine!;
    const error = await other.clock.run(failure(call(desk, id, outs, machineInputsOf(made))));
    expect(error).toMatchObject({ code: "WRONG_ACCOUNT" });
    expect(error.message).toContain(`${id} belongs to another account (${on.keeper.account})`);
    expect(on.alive()).toMatchObject([{ id }]);
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

it("another base URL is named as what differs", async () => {
  const { keeper } = await stage();
  const owner = keeper.account.replace(keeper.service.baseUrl, "https://old.example.com");
  expect(() => sameAccount(keeper, owner, "slot a")).toThrow(
    `slot a was made with fleetkeeper:baseUrl https://old.example.com, and it is ${keeper.service.baseUrl} now`,
  );
});
