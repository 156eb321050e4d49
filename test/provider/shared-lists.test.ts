import { describe, expect, it } from "vitest";
import { machine } from "../../provider/kinds.ts";
import { stage } from "../support/stage.ts";
import { createMachine, deskOn, failure, machineInputsOf, slotOf } from "./support.ts";

const POLL = 15_000;

async function afterAFailedList() {
  const on = await stage();
  const state = await on.clock.run(createMachine(deskOn(on), await slotOf(deskOn(on))));
  const id = state.machine?.id ?? "";
  // Longer than the reader tries again.
  const fault = { kind: "errorBefore", status: 500 } as const;
  on.simulator.control.faults.next("deployments", fault, { times: 4 });
  const desk = deskOn(on);
  const { lists } = await desk.session();
  await on.clock.run(failure(lists.next()));
  return { on, desk, lists, state, id };
}

describe("a list of another resource that failed", () => {
  it("is no recent list: an update does not report what is over as running", async () => {
    const { on, desk, state, id } = await afterAFailedList();
    on.simulator.control.interrupt(id, { now: true });
    const news = machineInputsOf(state, { gpus: 8 });
    const error = await on.clock.run(failure(machine.update(desk, id, state.machine!.outs, news)));
    expect(error.message).toContain(`${id} was interrupted`);
    const { deployments } = await on.keeper.ledger.read(on.keeper.account);
    expect(deployments.find((row) => row.id === id)?.end).toBe("interrupted");
  });

  it("is not followed by another one without a pause, however many ask", async () => {
    const { on, lists } = await afterAFailedList();
    const { deployments: before } = on.simulator.truth().requests;
    const asking = Promise.all([1, 2, 3, 4].map(() => lists.recent(POLL)));
    await on.clock.advance(POLL / 2);
    expect(on.simulator.truth().requests.deployments - before).toBe(0);
    await on.clock.run(asking);
    expect(on.simulator.truth().requests.deployments - before).toBe(1);
  });
});

it("a list that came is recent for as long as was asked", async () => {
  const on = await stage();
  const { lists } = await deskOn(on).session();
  await on.clock.run(lists.next());
  const { deployments: before } = on.simulator.truth().requests;
  await on.clock.run(lists.recent(POLL));
  expect(on.simulator.truth().requests.deployments - before).toBe(0);
  await on.clock.advance(POLL + 1);
  await on.clock.run(lists.recent(POLL));
  expect(on.simulator.truth().requests.deployments - before).toBe(1);
});
