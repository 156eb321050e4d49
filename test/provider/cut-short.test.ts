import { expect, it } from "vitest";
import type { Stage } from "../support/stage.ts";
import { stage } from "../support/stage.ts";
import { COMBINATION, createMachine, deskOn, failure, slotOf } from "./support.ts";

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
    message: `interrupted: ${on.alive()[0]?.id} is launched and bills; the next up or destroy goes on`,
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
  expect(await cut(on, 0)).toMatchObject({
    message: `interrupted: ${on.alive()[1]?.id} is launched and bills; the next up or destroy goes on`,
    id: on.alive()[1]?.id,
  });
});

it("a create that is cut before anything was sent says that nothing was launched, and one without an answer that it may bill", async () => {
  const on = await stage();
  on.simulator.control.cooldown(COMBINATION, 600);
  const cooling = deskOn(on);
  const waiting = failure(createMachine(cooling, await slotOf(cooling)));
  await on.clock.advance(1_000);
  cooling.kill();
  expect((await on.clock.run(waiting)).message).toBe(
    "interrupted: nothing was launched; the next up or destroy goes on",
  );
  await on.clock.advance(600_000);
  on.simulator.control.faults.next("launch", { kind: "commitLate", seconds: 60 });
  const late = deskOn(on);
  const looking = failure(createMachine(late, await slotOf(late)));
  await on.clock.advance(30_000);
  late.kill();
  expect((await on.clock.run(looking)).message).toBe(
    "interrupted: a launch is not answered yet, and may bill; the next up or destroy goes on",
  );
});

it("the line of a wait says what one Ctrl-C does where it runs", async () => {
  const on = await stage();
  const [classes, plugin] = [deskOn(on), { ...deskOn(on), cutAtOnce: true as const }];
  for (const desk of [classes, plugin]) await on.clock.run(createMachine(desk, await slotOf(desk)));
  expect(classes.lines.join("\n")).toMatch(
    /runs: so does one Ctrl-C; after two, the next up or destroy goes on/,
  );
  expect(plugin.lines.join("\n")).toMatch(/runs: one Ctrl-C ends this wait, the state keeps the machine/);
});
