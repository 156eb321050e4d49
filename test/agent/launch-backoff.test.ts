import { describe, expect, test } from "vitest";
import { resumeFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import { parseWish } from "../../agent/fleet/wish/wish.ts";
import { launchBackoffOf } from "../../agent/planning/choices/launch-backoff.ts";
import { choose } from "../../agent/planning/choices/options.ts";
import { askStop, storeStop } from "../../launch/ends/stop.ts";
import type { Hold } from "../../launch/facts/hold.ts";
import { holdText } from "../../launch/facts/hold.ts";
import type { LaunchAnswer } from "../../service/contract/service.ts";
import { FLEET, LaunchBench } from "../launch/bench.ts";
import { EIGHT, OSLO, planOn, wishFor } from "./on-bench.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const REFUSED: LaunchAnswer = { kind: "rejected", status: 400, code: "bad_request" };
const COOLING: LaunchAnswer = {
  kind: "rejected",
  status: 503,
  code: "offer_cooling_down",
  retryAfter: 60,
};

/** Each combination is a group of its own, so that a launch without an answer holds no other. */
function bench(): LaunchBench {
  const shownBack = ["provider=north", "location=oslo", ...offers(20).map((offer) => `offer=${offer}`)];
  return new LaunchBench({ combination: true, shownBack });
}

function offers(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `o${index}`);
}

function waitsOn(on: LaunchBench, parameters = {}, offer = "o0") {
  const wish = parseWish({ gpus: 8, candidates: [{ ...EIGHT, offer }], parameters });
  const [waiting] = choose(on.draft, FLEET, wish, undefined, on.context).waiting;
  return msOf(on, waiting?.hold) ?? 0;
}

function msOf(on: LaunchBench, held: Hold | undefined): number | undefined {
  return held?.until === undefined ? undefined : held.until - on.now.wall;
}

function holdOn(on: LaunchBench) {
  const wish = parseWish({ gpus: 8, candidates: [EIGHT] });
  const held = launchBackoffOf(on.draft, FLEET, wish, on.context).waitForAll();
  return held && { ms: msOf(on, held), why: holdText(held) };
}

/** One launch that comes to this. */
function fail(on: LaunchBench, answer: LaunchAnswer, offer = "o0"): void {
  on.answer(on.launch({ ...OSLO, offer }), answer);
}

describe("a combination", () => {
  test.each([
    ["that was refused", (on: LaunchBench) => fail(on, REFUSED), 30],
    [
      "whose launch has no answer",
      (on: LaunchBench) => fail(on, { kind: "unknown", reason: "HTTP 500" }),
      30,
    ],
    ["whose machine failed", (on: LaunchBench) => failMachine(on), 30],
  ] as const)("%s waits", (_, trouble, seconds) => {
    const on = bench();
    trouble(on);
    expect(waitsOn(on)).toBe(seconds * SECOND);
    on.advance(seconds * SECOND - 1);
    expect(waitsOn(on)).toBe(1);
    on.advance(1);
    expect(waitsOn(on)).toBe(0);
  });

  test("waits twice as long with each refusal, up to a quarter of an hour", () => {
    const on = bench();
    const waits = [1, 2, 3, 4, 5, 6, 7].map(() => {
      fail(on, REFUSED);
      const ms = waitsOn(on);
      on.advance(ms);
      return ms / SECOND;
    });
    expect(waits).toEqual([30, 60, 120, 240, 480, 900, 900]);
  });

  test("begins anew after a machine of it ran, and not while one is only on its way", () => {
    const on = bench();
    fail(on, REFUSED);
    on.advance(30 * SECOND);
    on.machine("m1", { ...OSLO, offer: "o0" }, { ...OSLO, offer: "o0", status: "provisioning" });
    fail(on, REFUSED);
    expect(waitsOn(on)).toBe(60 * SECOND);
    on.advance(MINUTE);
    on.machine("m2", { ...OSLO, offer: "o0" }, { ...OSLO, offer: "o0", status: "running" });
    fail(on, REFUSED);
    expect(waitsOn(on)).toBe(30 * SECOND);
  });

  test("waits longer where the service asks for it, and no shorter", () => {
    const on = bench();
    fail(on, { ...REFUSED, retryAfter: 300 });
    expect(waitsOn(on)).toBe(300 * SECOND);
    on.advance(300 * SECOND);
    fail(on, { ...REFUSED, retryAfter: 1 });
    expect(waitsOn(on)).toBe(60 * SECOND);
    expect(holdOn(on)).toBeUndefined();
  });

  test("does not wait for mistakes that were corrected: other parameters, another profile", () => {
    const on = bench();
    on.wire = { ...on.wire, abilities: { ...on.wire.abilities, parameters: ["image"] } };
    fail(on, REFUSED);
    expect(waitsOn(on, { image: "ubuntu" })).toBe(0);
    on.wire = { ...on.wire, profileHash: "profile-2" };
    expect(waitsOn(on)).toBe(0);
  });

  test.each([
    ["ubuntu", 30],
    ["debian", 0],
  ])(
    "knows the parameters of a launch by an older version, which stored their values (%s)",
    (image, seconds) => {
      const on = bench();
      fail(on, REFUSED);
      on.decide((draft) => {
        for (const intent of draft.intents.values())
          draft.putIntent({ ...intent, parameters: { image: "ubuntu" } });
      });
      expect(waitsOn(on, { image })).toBe(seconds * SECOND);
    },
  );

  test("cools as long as the service said, and no backoff comes on top, however often", () => {
    const on = bench();
    for (let times = 0; times < 5; times++) {
      fail(on, COOLING);
      expect(waitsOn(on)).toBe(60 * SECOND);
      on.advance(60 * SECOND);
      expect(waitsOn(on)).toBe(0);
    }
  });

  test("that cools for 0 seconds, again and again, is asked once a poll", () => {
    const on = bench();
    fail(on, { ...COOLING, retryAfter: 0 });
    expect(waitsOn(on)).toBe(on.settings.poll);
  });

  test("that cools for a second, again and again, is asked once a poll from the third time on", () => {
    const on = bench();
    const waits = [1, 2, 3, 4].map(() => {
      fail(on, { ...COOLING, retryAfter: 1 });
      const ms = waitsOn(on);
      on.advance(ms);
      return ms / SECOND;
    });
    expect(waits).toEqual([1, 1, 15, 15]);
  });

  test("remembers failures as long as its waits need to grow", () => {
    const on = bench();
    for (let hours = 0; hours < 6; hours += 0.25) {
      fail(on, REFUSED);
      if (hours > 2) expect(waitsOn(on)).toBe(900 * SECOND);
      on.advance(900 * SECOND);
    }
  });

  test("backs off where a message merely names the cooldown's code", () => {
    const on = bench();
    fail(on, COOLING);
    on.advance(MINUTE);
    const message = "unlike offer_cooling_down this is for good";
    fail(on, { kind: "rejected", status: 422, code: "nope", message });
    expect(waitsOn(on)).toBe(30 * SECOND);
  });

  test("is judged by what refused it, and not by the sentence that people read", () => {
    const on = bench();
    fail(on, { ...COOLING, retryAfter: 1 });
    on.decide((draft) => {
      for (const intent of draft.intents.values()) draft.putIntent({ ...intent, detail: "it cools" });
    });
    expect(waitsOn(on)).toBe(SECOND);
    const message = "HTTP 503 offer_cooling_down: not this time";
    fail(on, { kind: "rejected", status: 422, code: "nope", message }, "o1");
    expect(waitsOn(on, {}, "o1")).toBe(30 * SECOND);
  });

  test("was cooling, for all that anybody knows, where an older version wrote no status down: only its own wait counts", () => {
    const on = bench();
    for (const offer of offers(3)) fail(on, COOLING, offer);
    fail(on, { ...REFUSED, retryAfter: 300 }, "o3");
    fail(on, { kind: "rejected", status: 429, retryAfter: 300 }, "o4");
    on.decide((draft) => {
      for (const { refusal: _refusal, ...older } of draft.intents.values()) draft.putIntent(older);
    });
    expect(waitsOn(on)).toBe(60 * SECOND);
    on.advance(60 * SECOND);
    expect([waitsOn(on), waitsOn(on, {}, "o3"), waitsOn(on, {}, "o4")]).toEqual([0, 240_000, 240_000]);
    expect(holdOn(on)).toBeUndefined();
  });

  test("is tried by one launch after a refusal, until one was accepted", () => {
    const on = bench();
    const most = (stock?: number): number =>
      launchBackoffOf(on.draft, FLEET, parseWish({ gpus: 8, candidates: [EIGHT] }), on.context).mostAtOnce({
        ...OSLO,
        offer: "o0",
        stock,
      });
    expect(most(3)).toBe(Number.POSITIVE_INFINITY);
    fail(on, COOLING);
    on.advance(MINUTE);
    expect(most(3)).toBe(1);
    on.machine("m1", { ...OSLO, offer: "o0" }, { ...OSLO, offer: "o0", status: "initializing" });
    expect(most(3)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("a launch whose answer is lost", () => {
  const LOST: LaunchAnswer = { kind: "unknown", reason: "the connection broke", lost: true };

  test("makes nothing wait, neither while it is looked for nor after: the service has refused nothing", () => {
    const on = bench();
    fail(on, LOST);
    expect([waitsOn(on), holdOn(on)]).toEqual([0, undefined]);
    on.untilAbsent();
    expect([waitsOn(on), holdOn(on)]).toEqual([0, undefined]);
  });

  test("neither hides a refusal before it nor makes its wait longer", () => {
    const on = bench();
    fail(on, REFUSED);
    on.advance(10 * SECOND);
    fail(on, LOST);
    expect(waitsOn(on)).toBe(20 * SECOND);
    on.untilAbsent();
    fail(on, REFUSED);
    expect(waitsOn(on)).toBe(60 * SECOND);
  });

  test("makes its combination wait if it is the second in a row: the others may be answered", () => {
    const on = bench();
    fail(on, LOST);
    const waits = [1, 2, 3].map(() => {
      on.untilAbsent();
      fail(on, LOST);
      expect(waitsOn(on, {}, "o1")).toBe(0);
      return waitsOn(on) / SECOND;
    });
    expect(waits).toEqual([30, 60, 120]);
  });

  test.each([
    ["a refusal", COOLING],
    ["a machine", { kind: "accepted", id: "m1", deployment: {} }],
  ] as const)("is the first of its row again after %s", (_, answer) => {
    const on = bench();
    fail(on, LOST);
    on.untilAbsent();
    fail(on, answer);
    on.advance(MINUTE);
    fail(on, LOST);
    expect(waitsOn(on)).toBe(0);
  });

  test("makes all wait where three combinations give no answer, and not where any gives one between", () => {
    const on = bench();
    for (const offer of offers(3)) fail(on, LOST, offer);
    expect(holdOn(on)).toEqual({
      ms: 30 * SECOND,
      why: "launches in 3 combinations got no answer one after the other (the last: o2 @ north/oslo, the connection broke), so all wait",
    });
    on.machine("m1", { ...OSLO, offer: "o3" }, { ...OSLO, offer: "o3", status: "initializing" });
    for (const offer of ["o4", "o5"]) fail(on, LOST, offer);
    expect(holdOn(on)).toBeUndefined();
  });

  test("of a sender that died is one, too", () => {
    const on = bench();
    on.launch({ ...OSLO, offer: "o0" }, 7);
    on.dead.add(7);
    on.untilAbsent();
    expect(waitsOn(on)).toBe(0);
  });
});

describe("a launch that was not sent", () => {
  const UNSENT: LaunchAnswer = { kind: "notSent", reason: "connection refused" };

  test("makes all wait a little, and never longer than a minute: a network that is back is used soon", () => {
    const on = bench();
    const waits = [1, 2, 3, 4, 5, 6, 7].map((_, index) => {
      fail(on, UNSENT, `o${index}`);
      expect(waitsOn(on, {}, `o${index}`)).toBe(0);
      const ms = holdOn(on)?.ms ?? 0;
      on.advance(ms);
      expect(holdOn(on)).toBeUndefined();
      return ms / SECOND;
    });
    expect(waits).toEqual([5, 10, 20, 40, 60, 60, 60]);
  });

  test("counts once, however many left together", () => {
    const on = bench();
    for (const offer of offers(20)) fail(on, UNSENT, offer);
    expect(holdOn(on)).toEqual({
      ms: 5 * SECOND,
      why: "nothing could be sent (connection refused), so all wait",
    });
  });

  test("neither hides a failure before it nor makes one longer", () => {
    const on = bench();
    fail(on, REFUSED);
    fail(on, UNSENT);
    expect(waitsOn(on)).toBe(30 * SECOND);
    expect(holdOn(on)?.ms).toBe(5 * SECOND);
    on.advance(30 * SECOND);
    fail(on, REFUSED);
    expect(waitsOn(on)).toBe(60 * SECOND);
  });

  test("and never could be, for a part that the profile lacks, backs off like any failure", () => {
    const on = bench();
    for (const offer of offers(3))
      fail(on, { kind: "notSent", reason: "no {image}", permanent: true }, offer);
    expect(waitsOn(on)).toBe(30 * SECOND);
    expect(holdOn(on)?.ms).toBe(30 * SECOND);
  });
});

describe("a failure that the profile calls permanent", () => {
  const blocksOn = (on: LaunchBench): readonly string[] => {
    const wish = parseWish({ gpus: 8, candidates: [{ ...EIGHT, offer: "o0" }] });
    return choose(on.draft, "fleet:web", wish, undefined, on.context).blocks.map(({ hold }) =>
      holdText(hold),
    );
  };

  function failForGood(code: string): LaunchBench {
    const on = bench();
    on.wire = { ...on.wire, isRetryable: (each) => (each === "BROKEN" ? false : undefined) };
    wishFor(on, { gpus: 8, candidates: [{ ...EIGHT, offer: "o0" }] }, { born: true });
    on.advance(1);
    const launched = { ...OSLO, offer: "o0", owner: "fleet:web" as const };
    on.machine("m1", launched, { ...OSLO, offer: "o0", status: "initializing" });
    on.show("m1", { status: "failed", failureCode: code });
    on.advance(1);
    on.list();
    return on;
  }

  test("blocks its combination for this fleet, however long ago it was", () => {
    const on = failForGood("BROKEN");
    on.reboot(48 * 3_600_000);
    on.list();
    expect(blocksOn(on)).toEqual([
      "o0 @ north/oslo failed for good (BROKEN, deployment m1) and is not tried again before the fleet or the profile is changed, or: fleetkeeper resume web",
    ]);
    expect(planOn(on)).toMatchObject({ launches: [], reasons: [expect.stringContaining("failed for good")] });
  });

  test("is forgiven when the wish, the profile or an operator changes something", () => {
    const edited = failForGood("BROKEN");
    edited.advance(1);
    wishFor(edited, { gpus: 9, candidates: [{ ...EIGHT, offer: "o0" }] });
    expect(blocksOn(edited)).toEqual([]);
    const resumed = failForGood("BROKEN");
    resumed.advance(1);
    resumed.decide((draft, context) => void resumeFleet(draft, "web", context));
    expect(blocksOn(resumed)).toEqual([]);
    const corrected = failForGood("BROKEN");
    corrected.wire = { ...corrected.wire, profileHash: "profile-2" };
    expect(blocksOn(corrected)).toEqual([]);
  });

  test("is forgiven by an operator, and not by itself, also where a reboot set the clock back", () => {
    const on = failForGood("BROKEN");
    on.reboot(-48 * 3_600_000);
    on.decide((draft, context) => void resumeFleet(draft, "web", context));
    expect(blocksOn(on)).toEqual([]);
    const later = bench();
    later.wire = { ...later.wire, isRetryable: () => false };
    wishFor(later, { gpus: 8, candidates: [{ ...EIGHT, offer: "o0" }] }, { born: true });
    later.reboot(-48 * 3_600_000);
    later.list();
    later.advance(1);
    const launched = { ...OSLO, offer: "o0", owner: "fleet:web" as const };
    later.machine("m1", launched, { ...OSLO, offer: "o0", status: "initializing" });
    later.show("m1", { status: "failed", failureCode: "BROKEN" });
    later.advance(1);
    later.list();
    expect(blocksOn(later)).toHaveLength(1);
  });

  test("is only what the profile calls so: all others back off", () => {
    const on = failForGood("UNKNOWN");
    expect(blocksOn(on)).toEqual([]);
    expect(planOn(on).reasons).toEqual([expect.stringContaining("is left alone for 30 s more")]);
  });
});

describe("a fleet", () => {
  test("is held when three combinations fail one after the other, ever longer", () => {
    const on = bench();
    for (const offer of offers(2)) fail(on, REFUSED, offer);
    expect(holdOn(on)).toBeUndefined();
    fail(on, REFUSED, "o2");
    expect(holdOn(on)).toMatchObject({
      ms: 30 * SECOND,
      why: "launches failed in 3 combinations one after the other (the last: o2 @ north/oslo, HTTP 400 bad_request; what is sent stands in launch.body of the profile), so all wait",
    });
    const waits = [1, 2, 3, 4, 5, 6].map(() => {
      const ms = holdOn(on)?.ms ?? 0;
      on.advance(ms);
      expect(holdOn(on)).toBeUndefined();
      fail(on, REFUSED, "o0");
      return ms / SECOND;
    });
    expect(waits).toEqual([30, 60, 120, 240, 480, 900]);
  });

  test("is told the code and the id of the machine that failed last", () => {
    const on = bench();
    for (const offer of offers(3)) failMachine(on, offer);
    expect(holdOn(on)?.why).toBe(
      "launches failed in 3 combinations one after the other (the last: o2 @ north/oslo, UNKNOWN, deployment o2-machine), so all wait",
    );
  });

  test("is not held by machines that we stopped, though the service calls them failed", () => {
    const on = bench();
    for (const offer of offers(3)) {
      young(on, offer);
      on.decide((draft, context) => void askStop(draft, `${offer}-machine`, "drained", context));
      const accepted = { kind: "accepted", said: "the service answered 200" } as const;
      on.decide((draft, context) => storeStop(draft, `${offer}-machine`, accepted, context));
      end(on, offer);
    }
    expect(holdOn(on)).toBeUndefined();
    expect(waitsOn(on)).toBe(0);
  });

  test("is held by machines that failed before their stop left", () => {
    const on = bench();
    for (const offer of offers(3)) {
      young(on, offer);
      on.decide((draft, context) => void askStop(draft, `${offer}-machine`, "drained", context));
      end(on, offer);
    }
    expect(holdOn(on)?.ms).toBe(30 * SECOND);
  });

  test("is not held again by old failures once what ran after them is stopped", () => {
    const on = bench();
    for (const offer of offers(3)) fail(on, REFUSED, offer);
    on.advance(MINUTE);
    on.machine("m1", { ...OSLO, offer: "o0" }, { ...OSLO, offer: "o0", status: "running" });
    fail(on, REFUSED);
    expect(waitsOn(on)).toBe(30 * SECOND);
    on.decide((draft, context) => void askStop(draft, "m1", "drained", context));
    on.decide((draft, context) =>
      storeStop(draft, "m1", { kind: "accepted", said: "the service answered 200" }, context),
    );
    on.show("m1", { status: "stopped", stopReason: "user" });
    on.advance(1);
    on.list();
    expect(on.row("m1").end).toBe("stopped");
    expect(waitsOn(on)).toBe(30 * SECOND - 1);
    expect(holdOn(on)).toBeUndefined();
  });

  test.each([
    [
      "an operator resumes it",
      (on: LaunchBench) => on.decide((draft, context) => void resumeFleet(draft, "web", context)),
    ],
    ["its wish is changed", (on: LaunchBench) => wishFor(on, { gpus: 16, candidates: [EIGHT] })],
  ])("tries now when %s, but never before the service wants it to", (_, change) => {
    const on = bench();
    wishFor(on, { gpus: 8, candidates: [EIGHT] }, { born: true });
    on.advance(1);
    for (const offer of offers(3)) fail(on, REFUSED, offer);
    fail(on, { ...REFUSED, retryAfter: 300 }, "o3");
    fail(on, { ...COOLING, retryAfter: 300 }, "o4");
    const waits = (): readonly number[] =>
      offers(5).map((offer) => {
        const wish = parseWish({ gpus: 8, candidates: [{ ...EIGHT, offer }] });
        return msOf(on, choose(on.draft, FLEET, wish, undefined, on.context).waiting[0]?.hold) ?? 0;
      });
    expect(waits()).toEqual([30_000, 30_000, 30_000, 300_000, 300_000]);
    expect(holdOn(on)?.ms).toBe(30 * SECOND);
    on.advance(1);
    change(on);
    expect(waits()).toEqual([0, 0, 0, 299_999, 299_999]);
    expect(holdOn(on)).toBeUndefined();
    fail(on, REFUSED);
    expect(waits()[0]).toBe(30 * SECOND);
  });

  test("is not held by many failures of one combination: the others are free", () => {
    const on = bench();
    for (let times = 0; times < 6; times++) fail(on, REFUSED);
    expect(holdOn(on)).toBeUndefined();
  });

  test("is not held when something ran in between", () => {
    const on = bench();
    for (const offer of offers(2)) fail(on, REFUSED, offer);
    on.machine("m1", OSLO, { ...OSLO, status: "running" });
    for (const offer of ["o2", "o3"]) fail(on, REFUSED, offer);
    expect(holdOn(on)).toBeUndefined();
  });

  test("asks eight cooling combinations in a row at most, and then waits for the next poll", () => {
    const on = bench();
    for (const offer of offers(7)) fail(on, COOLING, offer);
    expect(holdOn(on)).toBeUndefined();
    fail(on, COOLING, "o7");
    expect(holdOn(on)?.ms).toBe(on.settings.poll);
  });

  test("asks on where one is granted between the cooldowns: the others are to be had", () => {
    const on = bench();
    for (const offer of offers(7)) fail(on, COOLING, offer);
    on.machine("m1", { ...OSLO, offer: "o8" }, { ...OSLO, offer: "o8", status: "initializing" });
    for (const offer of ["o9", "o10"]) fail(on, COOLING, offer);
    expect(holdOn(on)).toBeUndefined();
  });

  test("is held as long as the service says that refuses so many requests, whoever sent them", () => {
    const on = bench();
    const tooMany: LaunchAnswer = { kind: "rejected", status: 429, code: "too_fast", retryAfter: 300 };
    const parameters = { image: "debian" };
    on.answer(on.launch({ ...OSLO, offer: "o0", owner: "fleet:other", parameters }), tooMany);
    wishFor(on, { gpus: 8, candidates: [EIGHT] }, { born: true });
    expect(planOn(on)).toMatchObject({
      launches: [],
      reasons: ["the service refuses so many requests (HTTP 429 too_fast), so all wait for 300 s more"],
      wake: 300 * SECOND,
    });
    on.list();
    expect(on.why(on.admit({ ...OSLO, offer: "o1" }))).toBe("tooMany");
    on.advance(300 * SECOND);
    expect(planOn(on).reasons).toEqual([]);
  });

  test("is not held by another fleet's failures", () => {
    const on = bench();
    for (const offer of offers(4)) on.answer(on.launch({ ...OSLO, offer, owner: "fleet:other" }), REFUSED);
    expect(holdOn(on)).toBeUndefined();
  });
});

function failMachine(on: LaunchBench, offer = "o0"): void {
  young(on, offer);
  end(on, offer);
}

function young(on: LaunchBench, offer: string): void {
  on.machine(`${offer}-machine`, { ...OSLO, offer }, { ...OSLO, offer, status: "initializing" });
}

function end(on: LaunchBench, offer: string): void {
  on.show(`${offer}-machine`, { status: "failed", failureCode: "UNKNOWN" });
  on.advance(1);
  on.list();
}
