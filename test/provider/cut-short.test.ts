import { expect, it } from "vitest";
import type { Stage } from "../support/stage.ts";
import { stage } from "../support/stage.ts";
import { createMachine, deskOn, failure, slotOf } from "./support.ts";

/** Ends a create's waits once the service has the machine, as a Ctrl-C does where the host is told of it. */
async function cut(on: Stage, ms: number): Promise<Error> {
  const desk = deskOn(on);
  const before = on.launches();
  const failed = failure(createMachine(desk, await slotOf(desk)));
  while (on.launches() === before) await on.clock.advance(100);
  await on.clock.advance(ms);
  desk.kill();
  return on.clock.run(failed);
}

it("a create that is cut while its machine starts says its id, so that the state has it", async () => {
  const on = await stage();
  expect(await cut(on, 1_000)).toMatchObject({
    message: "killed",
    id: on.alive()[0]?.id,
    outs: { deploymentId: on.alive()[0]?.id, claim: "certain" },
  });
});

it("a create that is cut before its launch is answered says the id of the answer", async () => {
  const on = await stage();
  // Until a list has shown the first answered id, no answer is believed.
  const first = deskOn(on);
  await on.clock.run(createMachine(first, await slotOf(first)));
  on.simulator.control.faults.next("launch", { kind: "slow", seconds: 5 });
  expect(await cut(on, 0)).toMatchObject({ message: "killed", id: on.alive()[1]?.id });
});
