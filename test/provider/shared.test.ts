import { expect, it } from "vitest";
import { CoalescedRun } from "../../provider/runtime/session/coalesced-run.ts";

it("runs once at a time, and whoever asks meanwhile shares the next run", async () => {
  const ends: ((run: number) => void)[] = [];
  let runs = 0;
  const shared = new CoalescedRun(() => {
    runs += 1;
    return new Promise<number>((resolve) => ends.push(resolve));
  });
  const first = shared.next();
  const others = [shared.next(), shared.next(), shared.next()];
  expect(runs).toBe(1);
  ends[0]?.(1);
  expect(await first).toBe(1);
  await new Promise(setImmediate);
  expect(runs).toBe(2);
  ends[1]?.(2);
  expect(await Promise.all(others)).toEqual([2, 2, 2]);
  expect(shared.running).toBeUndefined();
});

it("goes on after a run that failed", async () => {
  let runs = 0;
  const shared = new CoalescedRun(async () => {
    runs += 1;
    if (runs === 1) throw new Error("the first one");
    return runs;
  });
  const [first, second] = [shared.next(), shared.next()];
  await expect(first).rejects.toThrow("the first one");
  expect(await second).toBe(2);
});
