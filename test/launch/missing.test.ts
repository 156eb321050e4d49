import { expect, it } from "vitest";
import { toLookUp } from "../../launch/resolve/missing.ts";
import { LaunchBench } from "./bench.ts";

const end = (bench: LaunchBench): string | null => bench.row("m1").end;

function vanished(bench = new LaunchBench()): LaunchBench {
  bench.machine("m1");
  bench.shown.delete("m1");
  bench.poll(bench.settings.poll);
  return bench;
}

it("is gone after a GET that finds nothing and two full lists 60 s apart", () => {
  const bench = vanished();
  expect(bench.decide(toLookUp)).toEqual(["m1"]);
  bench.look("m1");
  bench.poll(45_000);
  expect(end(bench)).toBeNull();
  bench.poll(15_000);
  expect(end(bench)).toBe("gone");
});

it.each([60_000, -60_000])(
  "waits anew across a reboot, whatever the wall clock says (%i ms more)",
  (wall) => {
    const bench = vanished();
    bench.look("m1");
    bench.reboot(wall);
    bench.poll(15_000);
    expect(end(bench)).toBeNull();
    bench.look("m1");
    bench.poll(45_000);
    expect(end(bench)).toBeNull();
    bench.poll(15_000);
    expect(end(bench)).toBe("gone");
  },
);

it("is not gone while no GET was asked, however many lists lack it", () => {
  const bench = vanished();
  bench.poll(600_000);
  expect(end(bench)).toBeNull();
});

it("is gone by lists alone where the profile maps no GET", () => {
  const bench = vanished(new LaunchBench({ get: false }));
  bench.poll(60_000);
  expect(end(bench)).toBe("gone");
});

it("is not gone while a GET shows it, and its row is not written at every list", () => {
  const bench = new LaunchBench();
  bench.machine("m1");
  const shown = bench.shown.get("m1");
  bench.poll(15_000);
  for (let tick = 0; tick < 10; tick++) {
    bench.shown.delete("m1");
    bench.poll(15_000);
    if (shown) bench.shown.set("m1", shown);
    bench.look("m1");
  }
  expect(end(bench)).toBeNull();
  expect(bench.log.filter(({ table }) => table === "deployment").length).toBeLessThan(8);
});

/** Lists lack it five times, and a GET shows it each time. Then its id is not found. */
function deniedAtLast(): LaunchBench {
  const bench = new LaunchBench();
  bench.machine("m1");
  const shown = bench.shown.get("m1");
  for (let tick = 0; tick < 5; tick++) {
    bench.shown.delete("m1");
    bench.poll(15_000);
    if (shown) bench.shown.set("m1", shown);
    bench.look("m1");
  }
  bench.shown.delete("m1");
  bench.look("m1");
  return bench;
}

it("is not gone by lists that lacked it while a GET showed it: the minute begins with the first list after the 404", () => {
  const bench = deniedAtLast();
  bench.poll(15_000);
  bench.poll(45_000);
  expect(end(bench)).toBeNull();
  bench.poll(15_000);
  expect(end(bench)).toBe("gone");
});

it("is not gone by one list after the 404, however rare lists are", () => {
  const bench = deniedAtLast();
  bench.advance(600_000);
  bench.list();
  expect(end(bench)).toBeNull();
  bench.advance(600_000);
  bench.list();
  expect(end(bench)).toBe("gone");
});

it("is back when a list shows it, and the next absence begins anew", () => {
  const bench = vanished();
  bench.look("m1");
  bench.show("m1");
  bench.poll(15_000);
  expect(bench.row("m1").missing).toBeNull();
  bench.shown.delete("m1");
  bench.poll(30_000);
  expect(end(bench)).toBeNull();
});

it("is never gone before anything showed it: a 404 then is no end", () => {
  const bench = new LaunchBench();
  bench.accept(bench.launch(), "m1");
  bench.look("m1");
  bench.poll(600_000);
  bench.look("m1");
  expect(end(bench)).toBeNull();
});

it("is not missing in a list that was begun before it was seen", () => {
  const bench = new LaunchBench();
  bench.list();
  const early = bench.now;
  bench.advance(1_000);
  bench.machine("m1");
  bench.list(early, []);
  expect(bench.row("m1").missing).toBeNull();
});

it("is believed gone also after a reboot with the clock set back", () => {
  const bench = vanished();
  bench.look("m1");
  bench.reboot(-3_600_000);
  bench.list();
  bench.poll(60_000);
  expect(end(bench)).toBe("gone");
});
