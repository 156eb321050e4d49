import { expect, test } from "vitest";
import type { Stage } from "../support/stage.ts";
import { H100, H100_SOUTH } from "../support/stage.ts";
import { candidate, MINUTE, onStage } from "./on-stage.ts";

const LATENCY = 40;

async function running(select: boolean): Promise<Stage> {
  const on = await onStage({ latencyMs: LATENCY });
  const source = select
    ? { select: { gpuModel: "H100" } }
    : { candidates: [candidate(H100), candidate(H100_SOUTH)] };
  await on.declare({ training: { gpus: 32, ...source } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(on.alive().map(({ state }) => state)).toEqual(Array(on.alive().length).fill("running"));
  return on;
}

const offered = [true, false].map((select) => ({ select, from: select ? "a selector" : "candidates" }));

test.each(offered)(
  "the replacement's POST leaves in the very tick whose list first shows the loss, with $from",
  async ({ select }) => {
    const on = await running(select);
    const launched = on.launches();
    const ticks = on.reports.length;
    on.simulator.control.interrupt(on.alive()[0]?.id ?? "", { now: true });
    const lost = on.clock.now();
    await on.clock.advance(16_000);
    const [report] = on.reports.slice(ticks);
    expect(report?.launched.map(({ result }) => result.kind)).toEqual(["claimed"]);
    expect(on.launches()).toBe(launched + 1);
    const sent = on.simulator.truth().launches.at(-1)?.at ?? 0;
    // The list (and the offers where they are needed), each there and back, and the POST on its way: no wait in between.
    const [seen] = on.reports.slice(ticks);
    expect(seen).toBeDefined();
    const listed = nextPoll(on, lost);
    expect(sent - listed).toBeLessThanOrEqual(250);
  },
);

test("many that are lost at once are replaced in that tick, too", async () => {
  const on = await running(false);
  const launched = on.launches();
  const ids = on.alive().map(({ id }) => id);
  for (const id of ids) on.simulator.control.interrupt(id, { now: true });
  const ticks = on.reports.length;
  await on.clock.advance(16_000);
  expect(on.reports[ticks]?.launched).toHaveLength(ids.length);
  expect(on.launches()).toBe(launched + ids.length);
  await on.clock.advance(10 * MINUTE);
  expect(on.alive().reduce((sum, { gpus }) => sum + gpus, 0)).toBe(32);
});

/** When the list that followed the loss was answered: the newest list's own start, and its way there and back. */
function nextPoll(on: Stage, lost: number): number {
  const polls = 15_000 + 2 * LATENCY;
  const sent = on.simulator.truth().launches.at(-1)?.at ?? 0;
  expect(sent - lost).toBeLessThanOrEqual(polls + 250);
  return sent - 3 * LATENCY;
}
