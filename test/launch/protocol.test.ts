import { describe, expect, it } from "vitest";
import { askStop } from "../../launch/ends/stop.ts";
import { learn } from "../../launch/facts/context.ts";
import { takeBalance } from "../../launch/keeper.ts";
import { adopt, disown } from "../../launch/people/operator.ts";
import { enterSlot, setDeadline } from "../../launch/people/slot.ts";
import { carryOutStops, launch, takeList } from "../../launch/protocol.ts";
import { slotOwner } from "../../ledger/owner.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { parseUsd } from "../../service/contract/money.ts";
import type { StopAnswer } from "../../service/contract/service.ts";
import { LaunchBench, ROME } from "./bench.ts";
import { keeperOn, SIGNAL } from "./fake-service.ts";

const broken = (): never => {
  throw new FleetkeeperError("UNREADABLE_ANSWER", "HTTP 500");
};

/** What the process did, and for how long by its monotonic and its wall clock, in ms. */
const PAUSES: readonly [string, number, number][] = [
  ["stood still", 60_000, 60_000],
  ["slept, and its monotonic clock with it", 0, 60_000],
];

it("does not believe a list of null where a machine is known to live, unless it was disowned", async () => {
  const { bench, service, keeper } = keeperOn();
  service.onList = () => null;
  expect(await takeList(keeper, SIGNAL)).toBe(true);
  expect(await launch(keeper, bench.wish())).toEqual({ kind: "claimed", id: "m1" });
  await expect(takeList(keeper, SIGNAL)).rejects.toMatchObject({
    code: "LIST_INCOMPLETE",
    message: expect.stringContaining("fleetkeeper disown m1"),
  });
  expect(bench.row("m1").missing).toBeNull();
  bench.decide((draft, context) => disown(draft, "m1", context));
  expect(await takeList(keeper, SIGNAL)).toBe(true);
});

describe("launch", () => {
  it("writes first, sends once, and stores the answer", async () => {
    const { bench, service, keeper } = keeperOn();
    await takeList(keeper, SIGNAL);
    service.onLaunch = (request) => {
      const [intent] = bench.rows.intents;
      expect(intent).toMatchObject({ state: "open", detail: "sending", marker: request.marker });
      return service.make();
    };
    expect(await launch(keeper, bench.wish())).toEqual({ kind: "claimed", id: "m1" });
    expect(service.posts).toHaveLength(1);
  });

  it("sends the values of parameters, which may be secrets, and stores none of them", async () => {
    const { bench, service, keeper } = keeperOn();
    await takeList(keeper, SIGNAL);
    await launch(keeper, bench.wish({ parameters: { token: "hunter2" } }));
    expect(service.posts[0]).toMatchObject({ parameters: { token: "hunter2" } });
    expect(bench.rows.intents[0]?.parameters).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify([bench.rows, bench.ledger.eventsNow(bench.account)])).not.toContain("hunter2");
  });

  it("sends nothing when it is refused", async () => {
    const { bench, service, keeper } = keeperOn();
    expect(await launch(keeper, bench.wish())).toMatchObject({
      kind: "refused",
      holds: [{ kind: "unlisted" }],
    });
    expect(service.posts).toEqual([]);
  });

  it("sends nothing when the process was paused after it wrote", async () => {
    const { bench, service, keeper } = keeperOn();
    await takeList(keeper, SIGNAL);
    bench.ledger.crash = () => {
      bench.advance(10_000);
      return undefined;
    };
    expect(await launch(keeper, bench.wish())).toMatchObject({
      kind: "notSent",
      reason: expect.stringContaining("too late"),
    });
    expect(service.posts).toEqual([]);
  });

  it("sends nothing within a limit once it was learned, after it wrote, that prices do not hold", async () => {
    const { bench, service, keeper } = keeperOn();
    await takeList(keeper, SIGNAL);
    const doubt = { ...ROME, gpus: 8, deployment: "m0", expected: "2", costs: "16", by: "record" } as const;
    bench.ledger.crash = () => {
      bench.ledger.crash = () => undefined;
      bench.decide((draft, { wire }) => learn(draft, wire.profileHash, { prices: { doubts: [doubt] } }));
      return undefined;
    };
    expect(await launch(keeper, bench.wish({ limits: { perHour: parseUsd("1000") } }))).toMatchObject({
      kind: "notSent",
      reason: expect.stringContaining("prices do not hold"),
    });
    expect(service.posts).toEqual([]);
  });

  it.each(PAUSES)(
    "does not let the POST leave when the process %s after its last look",
    async (_what, mono, wall) => {
      const { bench, service, keeper } = keeperOn();
      await takeList(keeper, SIGNAL);
      service.onLaunch = ({ mayLeave }) => {
        bench.advance(10_000);
        expect(mayLeave?.()).toBe(true);
        bench.advance(mono, wall);
        expect(mayLeave?.()).toBe(false);
        return { kind: "notSent", reason: "too late" };
      };
      expect(await launch(keeper, bench.wish())).toMatchObject({ kind: "notSent" });
    },
  );

  it("sends nothing when its process is to end after it wrote, and says so", async () => {
    const { bench, service, keeper } = keeperOn();
    await takeList(keeper, SIGNAL);
    const ending = new AbortController();
    bench.ledger.crash = () => {
      ending.abort();
      return undefined;
    };
    expect(await launch(keeper, bench.wish(), ending.signal)).toMatchObject({
      kind: "notSent",
      reason: "given up before sending: nobody waits for it any more",
    });
    expect(service.posts).toEqual([]);
    expect(bench.rows.intents.map(({ state }) => state)).toEqual(["notSent"]);
  });

  it("does not let the POST leave when its process is to end while it connects; what has left is waited for", async () => {
    const { bench, service, keeper } = keeperOn();
    await takeList(keeper, SIGNAL);
    const ending = new AbortController();
    service.onLaunch = ({ mayLeave }) => {
      expect(mayLeave?.()).toBe(true);
      ending.abort();
      expect(mayLeave?.()).toBe(false);
      return service.make();
    };
    expect(await launch(keeper, bench.wish(), ending.signal)).toEqual({ kind: "claimed", id: "m1" });
  });

  it("sends nothing when the ledger cannot be written", async () => {
    for (const dead of [1, 2]) {
      const { bench, service, keeper } = keeperOn();
      await takeList(keeper, SIGNAL);
      const first = bench.ledger.commits;
      bench.ledger.crash = (commit) => (commit === first + dead ? "before" : undefined);
      await expect(launch(keeper, bench.wish())).rejects.toMatchObject({ code: "LEDGER" });
      expect(service.posts).toEqual([]);
    }
  });

  it.each([new TypeError("a bug"), new FleetkeeperError("INTERNAL", "a bug that we noticed")])(
    "is unknown if the client throws, whatever it throws: the POST may have left (%s)",
    async (error) => {
      const { bench, service, keeper } = keeperOn();
      await takeList(keeper, SIGNAL);
      service.onLaunch = () => {
        throw error;
      };
      await expect(launch(keeper, bench.wish())).rejects.toBe(error);
      expect(bench.rows.intents).toMatchObject([{ state: "open", answer: { id: null } }]);
    },
  );
});

describe("a list", () => {
  it("is of use although the GET of a missing machine fails", async () => {
    const { bench, service, keeper } = keeperOn();
    bench.machine("m1");
    bench.advance(15_000);
    service.onGet = broken;
    expect(await takeList(keeper, SIGNAL)).toBe(true);
    expect(bench.row("m1").missing).toMatchObject({ notFound: false });
    bench.poll(120_000);
    expect(bench.row("m1").end).toBeNull();
  });

  it("asks by id for what it lacks", async () => {
    const { bench, keeper } = keeperOn();
    bench.machine("m1");
    bench.advance(15_000);
    await takeList(keeper, SIGNAL);
    expect(bench.row("m1").missing).toMatchObject({ notFound: true });
  });

  it("concludes nothing if there is no whole one to be had", async () => {
    const { bench, service, keeper } = keeperOn();
    bench.machine("m1");
    const before = bench.log.length;
    service.onList = broken;
    await expect(takeList(keeper, SIGNAL)).rejects.toThrow("HTTP 500");
    expect(bench.log).toHaveLength(before);
  });
});

describe("a stop", () => {
  async function toStop(): Promise<ReturnType<typeof keeperOn>> {
    const on = keeperOn();
    await takeList(on.keeper, SIGNAL);
    await launch(on.keeper, on.bench.wish());
    on.bench.advance(1_000);
    await takeList(on.keeper, SIGNAL);
    on.bench.decide((draft, context) => askStop(draft, "m1", "surplus", context));
    return on;
  }

  it("is sent after a last look, and its answer is stored", async () => {
    const { bench, service, keeper } = await toStop();
    await carryOutStops(keeper, SIGNAL);
    expect(service.stops).toEqual(["m1"]);
    expect(bench.row("m1").stop).toMatchObject({ attempts: 1, accepted: true });
  });

  it("that hangs keeps no other machine billing", async () => {
    const { bench, service, keeper } = await toStop();
    await launch(keeper, bench.wish());
    bench.advance(1_000);
    await takeList(keeper, SIGNAL);
    bench.decide((draft, context) => askStop(draft, "m2", "surplus", context));
    let answer: (answer: StopAnswer) => void = () => undefined;
    const hanging = new Promise<StopAnswer>((resolve) => {
      answer = resolve;
    });
    const sent = new Promise<void>((resolve) => {
      service.onStop = ({ id }) => {
        if (id === "m1") return hanging;
        resolve();
        return { kind: "accepted", said: "the service answered 200" };
      };
    });
    const round = carryOutStops(keeper, SIGNAL);
    await sent;
    answer({ kind: "accepted", said: "the service answered 200" });
    await round;
    expect(service.stops.sort()).toEqual(["m1", "m2"]);
    for (const id of service.stops) expect(bench.row(id).stop).toMatchObject({ attempts: 1, accepted: true });
  });

  it("that was sent is waited for by a process that is to end", async () => {
    const { bench, service, keeper } = await toStop();
    const ending = new AbortController();
    service.onStop = async (_request, signal) => {
      ending.abort();
      return signal.aborted
        ? { kind: "failed", reason: "aborted" }
        : { kind: "accepted", said: "the service answered 200" };
    };
    await carryOutStops(keeper, ending.signal);
    expect(bench.row("m1").stop).toMatchObject({ attempts: 1, accepted: true });
  });

  it("is not sent to what the last look shows as over, or stopping", async () => {
    for (const status of ["interrupted", "stopping"]) {
      const { service, keeper, bench } = await toStop();
      service.shown.set("m1", { id: "m1", status });
      bench.advance(1_000);
      await carryOutStops(keeper, SIGNAL);
      expect(service.stops).toEqual([]);
    }
  });

  it("is not sent to what was disowned in the meantime", async () => {
    const { service, keeper, bench } = await toStop();
    service.onGet = (id) => {
      bench.decide((draft, context) => disown(draft, "m1", context));
      return service.shown.get(id);
    };
    bench.advance(1_000);
    await carryOutStops(keeper, SIGNAL);
    expect(service.stops).toEqual([]);
  });

  it.each(PAUSES)(
    "does not leave when the process %s after the last word on it, and is due again",
    async (_what, mono, wall) => {
      const { service, keeper, bench } = await toStop();
      service.onStop = ({ mayLeave }) => {
        bench.advance(10_000);
        expect(mayLeave?.()).toBe(true);
        bench.advance(mono, wall);
        expect(mayLeave?.()).toBe(false);
        return { kind: "failed", reason: "too late" };
      };
      await carryOutStops(keeper, SIGNAL);
      bench.advance(15_000);
      service.onStop = () => ({ kind: "accepted", said: "the service answered 200" });
      await carryOutStops(keeper, SIGNAL);
      expect(bench.row("m1").stop).toMatchObject({ attempts: 2, accepted: true });
    },
  );

  it("is not sent where it was taken back in the meantime, and is not taken back once it is sent", async () => {
    const { bench, service, keeper } = keeperOn();
    bench.decide((draft, context) => enterSlot(draft, "s1", "web", context));
    await takeList(keeper, SIGNAL);
    await launch(keeper, bench.wish({ owner: slotOwner("s1") }));
    const setTo = (ms: number) =>
      bench.decide((draft, context) => setDeadline(draft, "s1", context.now.wall + ms, context));
    setTo(0);
    bench.advance(1_000);
    await takeList(keeper, SIGNAL);
    expect(bench.row("m1").stop).not.toBeNull();
    service.onGet = (id) => {
      setTo(60_000);
      return service.shown.get(id);
    };
    await carryOutStops(keeper, SIGNAL);
    expect(service.stops).toEqual([]);
    expect(bench.row("m1").stop).toBeNull();
    service.onGet = (id) => service.shown.get(id);
    setTo(0);
    await takeList(keeper, SIGNAL);
    service.onStop = () => {
      setTo(60_000);
      return { kind: "failed", reason: "HTTP 500" };
    };
    await carryOutStops(keeper, SIGNAL);
    expect(bench.row("m1").stop).toMatchObject({ attempts: 1, error: "HTTP 500" });
  });

  it("is sent although the last look fails: else a GET that never answers would let it bill for ever", async () => {
    const { service, keeper } = await toStop();
    service.onGet = broken;
    await carryOutStops(keeper, SIGNAL);
    expect(service.stops).toEqual(["m1"]);
  });

  it("is tried again after an error, and an accepted one of a machine that runs on as well", async () => {
    const { bench, service, keeper } = await toStop();
    service.onStop = () => ({ kind: "failed", reason: "HTTP 500" });
    await carryOutStops(keeper, SIGNAL);
    expect(bench.row("m1").stop?.error).toBe("HTTP 500");
    service.onStop = () => ({ kind: "accepted", said: "the service answered 200" });
    for (const wait of [15_000, 30_000]) {
      bench.advance(wait);
      await carryOutStops(keeper, SIGNAL);
    }
    expect(service.stops).toHaveLength(3);
  });

  it("says what to do where the profile maps none", async () => {
    const { bench, service, keeper } = await toStop();
    service.abilities.stop = false;
    await carryOutStops(keeper, SIGNAL);
    expect(service.stops).toEqual([]);
    expect(bench.row("m1").stop?.error).toContain("dashboard");
  });

  it("never reaches a stranger's machine on a shared account", async () => {
    const on = keeperOn(new LaunchBench({ tenure: "shared" }));
    const { bench, service, keeper } = on;
    bench.decide((draft, context) => enterSlot(draft, "s1", "web", context));
    await takeList(keeper, SIGNAL);
    service.onLaunch = () => ({ kind: "unknown", reason: "timeout" });
    await launch(keeper, bench.wish({ owner: slotOwner("s1") }));
    for (const id of ["a", "b", "c"]) service.shown.set(id, { id, status: "running" });
    for (let tick = 0; tick < 20; tick++) {
      bench.advance(15_000);
      await takeList(keeper, SIGNAL);
      await carryOutStops(keeper, SIGNAL);
    }
    expect(service.stops).toEqual([]);
    bench.decide((draft, context) => adopt(draft, "b", slotOwner("s1"), context));
    bench.decide((draft, context) => askStop(draft, "b", "control: this one is ours", context));
    await carryOutStops(keeper, SIGNAL);
    expect(service.stops).toEqual(["b"]);
  });
});

it("keeps the newest balance when answers overtake each other", async () => {
  const { bench, service, keeper } = keeperOn();
  const early = bench.now;
  bench.advance(5_000);
  await takeBalance(keeper, SIGNAL);
  service.money = "1.0000";
  bench.now = early;
  await takeBalance(keeper, SIGNAL);
  expect(bench.rows.account.balance?.amount).toBe("1000.0000");
});
