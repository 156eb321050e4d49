import { expect, test } from "vitest";
import { slot } from "../../provider/kinds.ts";
import { createMachine, deskOn, failure, slotOf } from "../provider/support.ts";
import { stage } from "../support/stage.ts";

test("a deployment that is deleted before it runs is stopped at once, ends as stopped and is refunded in full", async () => {
  const on = await stage({ balance: "100.0000", settings: { provisioningSeconds: [3600, 3600] } });
  const desk = deskOn(on);
  const state = await slotOf(desk);
  const creating = failure(createMachine(desk, state));
  await on.clock.advance(60_000);
  desk.kill();
  await on.clock.run(creating);
  await on.clock.run(slot.delete(deskOn(on), state.slot.id, state.slot.outs));
  const { machines, accounts } = on.simulator.truth();
  expect(machines.map(({ states }) => states.map(({ state }) => state))).toEqual([
    ["initializing", "provisioning", "stopping", "stopped"],
  ]);
  expect(accounts[0]?.balance).toBe("100.0000");
});
