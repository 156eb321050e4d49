import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { openSqliteLedger } from "../../ledger/sqlite.ts";
import { machine } from "../../provider/impl.ts";
import { keeperOn, stage } from "../support/stage.ts";
import { createMachine, deskOn, destroy, machineInputsOf, slotOf } from "./support.ts";

/** A machine that replaced a lost one, and the ledger of before, which knows the slot with the lost one in it. */
async function restored() {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-restored-"));
  const file = join(folder, "ledger.db");
  const on = await stage({ ledger: openSqliteLedger({ path: file, newId: "ledger000000", now: 1 }) });
  const first = await on.clock.run(createMachine(deskOn(on), await slotOf(deskOn(on))));
  const backup = join(folder, "backup.db");
  const db = new DatabaseSync(file);
  db.exec(`VACUUM INTO '${backup}'`);
  db.close();
  on.simulator.control.interrupt(first.machine!.id, { now: true });
  await on.clock.advance(60_000);
  const state = await on.clock.run(createMachine(deskOn(on), first));
  const ledger = openSqliteLedger({ path: backup, newId: "unused000000", now: 1 });
  const keeper = await keeperOn(on.simulator, on.clock, "plain", "exclusive", ledger);
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
