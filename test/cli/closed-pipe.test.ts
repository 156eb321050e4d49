import { expect, test } from "vitest";
import { alive, FLEET, place, running, until } from "./cli.ts";

test("what is to be stopped is stopped, and what is kept is kept, when nobody reads what is said", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  const agent = on.start(["agent"]);
  await until("both run", () => running(on) === 2);
  agent.leave();
  for (const { id } of alive(on)) on.simulator.control.interrupt(id, { now: true });
  await until("replacements run", () => on.simulator.truth().launches.length === 4 && running(on) === 2);
  agent.kill("SIGTERM");
  expect((await agent.ended).code).toBe(0);
  const stop = on.start(["stop", "--all", "--yes"]);
  stop.leave();
  expect((await stop.ended).code).toBe(0);
  expect(alive(on)).toEqual([]);
  const wrong = on.start(["stop"]);
  wrong.leave();
  expect((await wrong.ended).code).toBe(2);
});

test("what does nothing but print ends when nobody reads it", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  const dry = on.start(["agent", "--dry-run"]);
  await dry.shows("training: 16 GPUs asked for");
  dry.leave();
  on.write("fleet.yaml", FLEET.replace("gpus: 16", "gpus: 8"));
  expect((await dry.ended).code).toBe(0);
  expect(on.simulator.truth().launches).toEqual([]);
});
