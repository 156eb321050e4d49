import { execFileSync } from "node:child_process";
import { closeSync, constants, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { Place } from "./cli.ts";
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

/** A pipe that is full, and whose reader reads no more. */
function fullPipe({ folder }: Place): number {
  const path = join(folder, "full");
  execFileSync("mkfifo", [path]);
  const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => closeSync(pipe));
  for (const size of [4096, 1])
    try {
      for (;;) writeSync(pipe, "x".repeat(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
    }
  return pipe;
}

test("an agent whose reader reads no more keeps its fleet, and ends when it is told to", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  const agent = on.start(["agent"], {}, fullPipe(on));
  await until("both run", () => running(on) === 2);
  agent.kill("SIGTERM");
  expect((await agent.ended).code).toBe(0);
  expect(running(on)).toBe(2);
});

test("a command whose reader reads no more ends when it is told to", async () => {
  const on = await place();
  const offers = on.start(["offers"], {}, fullPipe(on));
  await until("it has asked", () => on.simulator.truth().requests.offers > 0);
  offers.kill("SIGTERM");
  expect([0, 130]).toContain((await offers.ended).code);
});
