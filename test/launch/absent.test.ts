import { describe, expect, it } from "vitest";
import { LaunchBench } from "./bench.ts";

function lost(bench = new LaunchBench()): { bench: LaunchBench; intent: string } {
  const intent = bench.launch();
  bench.lose(intent);
  return { bench, intent };
}

it("is absent after the POST's timeout and the settle time, covered by lists, and not before", () => {
  const { bench, intent } = lost();
  const { postTimeout, settle, poll } = bench.settings;
  bench.poll(postTimeout + settle - poll);
  expect(bench.intent(intent).state).toBe("open");
  bench.poll(poll);
  expect(bench.intent(intent).state).toBe("absent");
  expect(bench.why(bench.admit())).toBe("admitted");
});

it("is not proven absent by a long sleep and one list", () => {
  const { bench, intent } = lost();
  bench.advance(8 * 3_600_000);
  bench.list();
  expect(bench.intent(intent)).toMatchObject({ state: "open", settle: { covered: 0, lists: 1 } });
  bench.advance(8 * 3_600_000);
  bench.list();
  expect(bench.intent(intent)).toMatchObject({ state: "open", settle: { covered: 15_000, lists: 2 } });
});

it("takes three lists even where one poll interval is as long as the settle time", () => {
  const { bench, intent } = lost(new LaunchBench({ settings: { poll: 120_000, settle: 120_000 } }));
  bench.advance(120_000);
  bench.list();
  bench.advance(120_000);
  bench.list();
  expect(bench.intent(intent).state).toBe("open");
  bench.advance(120_000);
  bench.list();
  expect(bench.intent(intent).state).toBe("absent");
});

it("counts the lists of all processes, but no list twice and none that another one overtook", () => {
  const { bench, intent } = lost();
  bench.advance(bench.settings.postTimeout);
  const early = bench.now;
  bench.advance(5_000);
  bench.list();
  bench.advance(5_000);
  bench.list();
  const { settle } = bench.intent(intent);
  bench.list(early);
  bench.list();
  expect(bench.intent(intent).settle).toEqual(settle);
});

it.each([-3_600_000, 3_600_000])("is neither early nor late when the wall clock jumps by %d ms", (jump) => {
  const { bench, intent } = lost();
  bench.advance(0, jump);
  bench.poll(bench.settings.postTimeout + bench.settings.settle - bench.settings.poll);
  expect(bench.intent(intent).state).toBe("open");
  bench.poll(bench.settings.poll);
  expect(bench.intent(intent).state).toBe("absent");
});

describe("across a reboot", () => {
  it.each([60_000, -365 * 24 * 3_600_000])("is looked for, also with the clock set by %d ms", (wall) => {
    const { bench, intent } = lost();
    bench.reboot(wall);
    bench.list();
    bench.poll(bench.settings.settle);
    expect(bench.intent(intent).state).toBe("open");
    bench.poll(bench.settings.postTimeout);
    expect(bench.intent(intent).state).toBe("absent");
  });

  it("goes on where lists had begun to cover it, and proves nothing by its own length", () => {
    const { bench, intent } = lost();
    bench.poll(bench.settings.postTimeout + 45_000);
    const covered = bench.intent(intent).settle?.covered ?? 0;
    bench.reboot(3_600_000);
    bench.list();
    expect(bench.intent(intent).settle?.covered).toBe(covered + bench.settings.poll);
  });
});
