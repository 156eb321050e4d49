import { expect, onTestFinished, test } from "vitest";
import type { Properties } from "../../provider/kinds.ts";
import { fleet, wish } from "../../provider/kinds.ts";
import { UNKNOWN } from "../../provider/runtime/inputs/unknown.ts";
import { H100, type Stage, stage } from "../support/stage.ts";
import { COMBINATION, deskOn } from "./support.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A window of 24 GPUs from an hour ago until in half an hour, and 8 else. */
function sized(on: Stage, more: Properties = {}): Properties {
  const wall = (ms: number): string => new Date(on.clock.now() + ms).toISOString().slice(11, 16);
  const entries = [{ from: wall(-HOUR), to: wall(HOUR / 2), gpus: 24 }];
  return {
    gpus: 8,
    candidates: [{ ...COMBINATION, gpus: H100.gpus, pricePerHour: H100.pricePerHour }],
    range: { min: 0, max: 64 },
    schedule: { timeZone: "UTC", entries },
    ...more,
  };
}

async function scene(): Promise<Stage> {
  const on = await stage();
  onTestFinished(() => on.stop());
  on.start();
  await on.clock.advance(1_000);
  return on;
}

const label = "project/dev/training";

test("up waits for what is asked for then, and the agent follows the clock after it", async () => {
  const on = await scene();
  const desk = deskOn(on);
  const { id, outs } = await fleet.create(desk, { label, name: "training" });
  const up = wish.create(desk, { ...outs, ...sized(on), source: `stack:${id}` });
  const { outs: met } = await on.clock.run(up);
  expect(met).toMatchObject({ runningGpus: 24 });
  expect(desk.lines.at(-1)).toMatch(/^training: 24 of 24 GPUs run/);
  await on.clock.advance(65 * MINUTE);
  expect(on.alive().reduce((sum, { gpus }) => sum + gpus, 0)).toBe(8);
  expect((await on.keeper.ledger.read(on.keeper.account)).fleets[0]?.wish).toMatchObject({
    gpus: 8,
    schedule: { timeZone: "UTC", min: 0, max: 64, at: 8 },
  });
});

test("a preview says what is asked for now and at most, when that changes, and what could not be paid", async () => {
  const on = await scene();
  const desk = deskOn(on);
  const preview = async (more: Properties): Promise<string> => {
    desk.lines.length = 0;
    const unknown = { source: UNKNOWN, ledger: UNKNOWN };
    const { failures } = await wish.check(desk, { label, name: "training", ...unknown, ...sized(on, more) });
    expect(failures).toEqual([]);
    return desk.lines.join("\n");
  };
  const said = await preview({});
  expect(said).toContain("it asks for 24 GPUs now, and for 24 at most");
  expect(said).toMatch(/the schedule asks for 24 GPUs now, and for 8 from \S+ \S+ on \(UTC\)/);
  const { schedule } = sized(on);
  const entries = [{ from: "2030-06-01 08:00", to: "2030-06-01 20:00", gpus: 64 }];
  const large = { schedule: { ...(schedule as Properties), entries }, budget: { perHour: "50.00" } };
  const later = await preview(large);
  expect(later).toContain("it asks for 8 GPUs now, and for 64 at most");
  expect(later).toContain(
    "the largest count of the schedule, 64 GPUs, cannot be had: the budget of 50.00 USD",
  );
});
