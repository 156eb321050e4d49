import { describe, expect, it } from "vitest";
import { askStop, storeStop } from "../../launch/ends/stop.ts";
import { LaunchBench } from "./bench.ts";

function stopping(bench = new LaunchBench()): LaunchBench {
  bench.machine("m1");
  bench.decide((draft, context) => askStop(draft, "m1", "surplus", context));
  bench.decide((draft, context) =>
    storeStop(draft, "m1", { kind: "accepted", said: "the service answered 200" }, context),
  );
  return bench;
}

const end = (bench: LaunchBench): string | null => bench.row("m1").end;

function show(bench: LaunchBench, status: string, more = {}): string | null {
  bench.show("m1", { status, ...more });
  bench.poll(bench.settings.poll);
  return end(bench);
}

it.each(["failed", "interrupted"])("is over when the service shows it as %s", (status) => {
  const bench = new LaunchBench();
  bench.machine("m1");
  expect(show(bench, status, { failureCode: "UNKNOWN" })).toBe(status);
  expect(bench.events).toContain(status);
});

it("is over in a terminal state that the profile names", () => {
  const bench = new LaunchBench({ terminal: ["terminated"] });
  bench.machine("m1");
  expect(show(bench, "terminated")).toBe("stopped");
});

it("is not over by an accepted stop, nor by stopping", () => {
  const bench = stopping();
  bench.poll(60_000);
  expect(end(bench)).toBeNull();
  expect(show(bench, "stopping")).toBeNull();
});

describe("a state that neither the specification nor the profile names", () => {
  it("is capacity", () => {
    const bench = new LaunchBench();
    bench.machine("m1");
    expect(show(bench, "hibernated")).toBeNull();
    bench.poll(600_000);
    expect(end(bench)).toBeNull();
  });

  it("is an end after an accepted stop, in two full lists", () => {
    const bench = stopping();
    expect(show(bench, "terminated")).toBeNull();
    bench.poll(bench.settings.poll);
    expect(end(bench)).toBe("stopped");
  });

  it("is no end by GETs, nor by one list that shows it twice", () => {
    const bench = stopping();
    bench.show("m1", { status: "terminated" });
    for (let look = 0; look < 3; look++) {
      bench.advance(1_000);
      bench.look("m1");
    }
    expect(end(bench)).toBeNull();
    const twice = { id: "m1", status: "terminated" };
    bench.advance(1_000);
    bench.list(bench.now, [twice, twice]);
    expect(end(bench)).toBeNull();
  });

  it("is no end if the two lists show two of them", () => {
    const bench = stopping();
    expect(show(bench, "draining")).toBeNull();
    expect(show(bench, "terminated")).toBeNull();
    bench.poll(bench.settings.poll);
    expect(end(bench)).toBe("stopped");
  });

  it("is an end after stopping was seen, whoever stopped it, also if a GET was the first to show it", () => {
    const bench = new LaunchBench();
    bench.machine("m1");
    show(bench, "stopping");
    bench.show("m1", { status: "terminated" });
    bench.advance(1_000);
    bench.look("m1");
    bench.poll(2 * bench.settings.poll);
    expect(end(bench)).toBe("stopped");
  });

  it("is no end after stopping was seen and then running again", () => {
    const bench = new LaunchBench();
    bench.machine("m1");
    show(bench, "stopping");
    show(bench, "running");
    show(bench, "hibernated");
    bench.poll(60_000);
    expect(end(bench)).toBeNull();
  });

  it("is an end beside a stop_reason", () => {
    const bench = new LaunchBench();
    bench.machine("m1");
    expect(show(bench, "terminated", { stopReason: "health_check" })).toBe("stopped");
  });

  it("is an end once it was learned under this profile, and not under another one", () => {
    const bench = stopping();
    show(bench, "terminated");
    bench.poll(bench.settings.poll);
    bench.machine("m2");
    bench.show("m2", { status: "terminated" });
    bench.poll(bench.settings.poll);
    expect(bench.row("m2").end).toBe("stopped");
    bench.machine("m3");
    bench.wire = { ...bench.wire, profileHash: "profile-2" };
    bench.show("m3", { status: "terminated" });
    bench.poll(bench.settings.poll);
    expect(bench.row("m3").end).toBeNull();
  });
});

it.each(["failed", "interrupted", "gone", "stopped"] as const)(
  "is taken back when what was %s is shown as running",
  (was) => {
    const bench = new LaunchBench({ terminal: ["terminated"] });
    bench.machine("m1");
    if (was === "gone") {
      bench.shown.delete("m1");
      bench.poll(15_000);
      bench.look("m1");
      bench.poll(75_000);
    } else show(bench, was === "stopped" ? "terminated" : was);
    expect(end(bench)).toBe(was);
    bench.poll(bench.settings.settle);
    expect(show(bench, "running")).toBeNull();
    expect(bench.row("m1")).toMatchObject({ claim: "certain", owner: "fleet:web" });
  },
);

it.each(["failed", "interrupted"])(
  "is not taken back by a list that may be from before it was %s: only by a GET, another boot, or a later list",
  (was) => {
    const bench = new LaunchBench();
    bench.machine("m1");
    show(bench, was);
    for (let waited = bench.settings.poll; waited < bench.settings.settle; waited += bench.settings.poll)
      expect(show(bench, "running")).toBe(was);
    expect(show(bench, "running")).toBeNull();

    show(bench, was);
    bench.show("m1", { status: "running" });
    bench.advance(1_000);
    bench.look("m1");
    expect(end(bench)).toBeNull();

    show(bench, was);
    bench.reboot(0);
    expect(show(bench, "running")).toBeNull();
  },
);

it("is not overwritten by an answer that was overtaken", () => {
  const bench = new LaunchBench();
  bench.machine("m1");
  const early = bench.now;
  bench.advance(5_000);
  const late = bench.now;
  bench.show("m1", { status: "failed" });
  bench.list(late);
  bench.list(early, [{ id: "m1", status: "running" }]);
  expect(end(bench)).toBe("failed");
});

it("is seen after a reboot with the clock set back", () => {
  const bench = new LaunchBench();
  bench.machine("m1");
  bench.reboot(-3_600_000);
  expect(show(bench, "interrupted")).toBe("interrupted");
});
