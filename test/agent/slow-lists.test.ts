import { expect, test } from "vitest";
import { H100 } from "../support/stage.ts";
import { candidate, MINUTE, onStage, reasonsOf } from "./on-stage.ts";

async function withLists(seconds: number, poll: number) {
  const on = await onStage({ protocol: { poll } });
  on.simulator.control.faults.next("deployments", { kind: "slow", seconds }, { times: 10_000 });
  await on.declare({ training: { gpus: 8, candidates: [candidate(H100)] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  return on;
}

test("lists that take longer than a poll: nothing is launched, and why and what to do is said", async () => {
  const on = await withLists(16, 15_000);
  expect(on.launches()).toBe(0);
  expect(reasonsOf(on)).toContain("the newest full list was asked for 16 s ago");
  expect(reasonsOf(on)).toContain("the list itself took 16 s");
  expect(reasonsOf(on)).toContain(`FLEETKEEPER_PROTOCOL='{"poll": "32s"}'`);
});

test("with the longer poll they launch", async () => {
  const on = await withLists(16, 32_000);
  expect(on.launches()).toBe(1);
});
