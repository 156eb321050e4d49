import { describe, expect, it } from "vitest";
import { markerOf } from "../../launch/claim/groups.ts";
import { disown, haltsOf } from "../../launch/people/operator.ts";
import { FLEET, LaunchBench, ROME } from "./bench.ts";

const shared = { tenure: "shared", marker: true } as const;

it("makes a claim certain on a shared account, among strangers' machines", () => {
  const bench = new LaunchBench({ ...shared, shownBack: ["marker"] });
  const intent = bench.launch();
  bench.lose(intent);
  bench.show("theirs");
  bench.show("ours", { marker: bench.intent(intent).marker });
  bench.advance(1_000);
  bench.list();
  expect(bench.row("ours")).toMatchObject({ claim: "certain", intent });
  expect(bench.reported).toEqual(["theirs"]);
});

it("counts as not mapped until an answered launch has shown it back: then looking is by guess", () => {
  const bench = new LaunchBench(shared);
  const intent = bench.launch();
  bench.lose(intent);
  bench.show("any", { marker: "something" });
  bench.advance(1_000);
  bench.list();
  expect(bench.row("any")).toMatchObject({ claim: "inferred", intent });
});

it("is proven by a machine that carries ours, although its launch was not answered", () => {
  const bench = new LaunchBench(shared);
  const first = bench.launch();
  bench.lose(first);
  bench.show("ours", { marker: bench.intent(first).marker });
  bench.advance(1_000);
  bench.list();
  expect(bench.row("ours")).toMatchObject({ claim: "certain", intent: first });
  const second = bench.launch();
  bench.lose(second);
  bench.show("theirs");
  bench.poll(10 * 60_000);
  expect(bench.row("theirs").claim).toBeNull();
  expect(bench.intent(second).state).toBe("absent");
});

it.each([
  ["another ledger's", markerOf("otherledger0", "intent000001")],
  ["another launch's", markerOf("memoryledger", "intent999999")],
])(
  "is a stranger's if it is %s, also before a marker was shown back, and on an exclusive account",
  (_whose, marker) => {
    for (const bench of [
      new LaunchBench(shared),
      new LaunchBench({ ...shared, shownBack: ["marker"] }),
      new LaunchBench({ marker: true }),
    ]) {
      const intent = bench.launch();
      bench.lose(intent);
      bench.show("theirs", { marker });
      bench.advance(1_000);
      bench.list();
      expect(bench.row("theirs").claim).toBeNull();
      expect(bench.intent(intent).state).toBe("open");
      expect(bench.reported).toEqual(["theirs"]);
    }
  },
);

it.each([
  ["on an exclusive account", { marker: true } as const, "certain"],
  ["on a shared one", shared, "inferred"],
])(
  "that a service cuts where it still looks whole makes no stranger of a machine %s",
  (_where, options, how) => {
    const bench = new LaunchBench(options);
    const first = bench.launch();
    bench.accept(first, "answered");
    bench.show("answered", { marker: bench.intent(first).marker.slice(0, -2) });
    bench.list();
    const second = bench.launch();
    bench.lose(second);
    bench.show("cut", { marker: bench.intent(second).marker.slice(0, -1) });
    bench.untilAbsent();
    expect(bench.row("cut")).toMatchObject({ claim: how, intent: second });
    expect(bench.intent(second).state).toBe("claimed");
    bench.poll(10 * 60_000);
    expect(bench.row("cut")).toMatchObject({ claim: how, intent: second });
  },
);

it("claims all that carry it: a proxy that sent the POST twice made two machines of ours", () => {
  const bench = new LaunchBench({ ...shared, shownBack: ["marker"] });
  const intent = bench.launch();
  bench.lose(intent);
  bench.show("m1", { marker: bench.intent(intent).marker });
  bench.show("m2", { marker: bench.intent(intent).marker });
  bench.advance(1_000);
  bench.list();
  expect(bench.rows.deployments.map(({ claim }) => claim)).toEqual(["certain", "certain"]);
  expect(bench.intent(intent).deployment).toBe("m1");
});

describe.each(["exclusive", "shared"] as const)("on an account that is %s", (tenure) => {
  const known = { tenure, marker: true, shownBack: ["marker"] } as const;

  it("claims a second machine that carries it, whenever it comes: a gateway repeated the POST", () => {
    const bench = new LaunchBench(known);
    const intent = bench.machine("m1");
    bench.poll(2 * bench.settings.settle);
    bench.show("m2", { marker: bench.intent(intent).marker });
    bench.list();
    expect(bench.row("m2")).toMatchObject({ claim: "certain", owner: FLEET, intent });
    expect(bench.intent(intent).deployment).toBe("m1");
    expect(bench.reported).toEqual([]);
  });

  it("claims the machine of a POST that was refused when it came a second time", () => {
    const bench = new LaunchBench(known);
    const intent = bench.launch();
    bench.answer(intent, { kind: "rejected", status: 503, code: "offer_cooling_down", retryAfter: 60 });
    bench.show("m1", { marker: bench.intent(intent).marker });
    bench.list();
    expect(bench.row("m1").claim).toBe("certain");
    expect(bench.intent(intent)).toMatchObject({ state: "claimed", deployment: "m1" });
  });

  it("leaves alone what was disowned", () => {
    const bench = new LaunchBench(known);
    const intent = bench.machine("m1");
    bench.show("m2", { marker: bench.intent(intent).marker });
    bench.list();
    bench.decide((draft, context) => disown(draft, "m2", context));
    bench.poll(bench.settings.settle);
    expect(bench.row("m2").claim).toBe("foreign");
  });
});

describe("a claim by looking alone, on a shared account", () => {
  function inferred(shown: object = {}): { bench: LaunchBench; intent: string } {
    const bench = new LaunchBench(shared);
    const intent = bench.launch();
    bench.lose(intent);
    bench.show("theirs", { status: "connecting", ...shown });
    bench.advance(1_000);
    bench.list();
    expect(bench.row("theirs")).toMatchObject({ claim: "inferred", intent });
    return { bench, intent };
  }
  const prove = (bench: LaunchBench): void => {
    const other = bench.launch();
    bench.accept(other, "ours");
    bench.show("ours", { marker: bench.intent(other).marker });
    bench.poll(bench.settings.poll);
  };

  it("falls once the marker is proven and the machine has run without one, and its launch is looked for again", () => {
    const { bench, intent } = inferred();
    prove(bench);
    bench.show("theirs", { status: "running" });
    bench.poll(bench.settings.settle - bench.settings.poll);
    expect(bench.row("theirs").claim).toBe("inferred");
    bench.poll(3 * bench.settings.poll);
    expect(bench.row("theirs")).toMatchObject({ claim: null, owner: null });
    expect(bench.intent(intent)).toMatchObject({ state: "open", deployment: null });
    expect(bench.reported).toEqual(["theirs"]);
    bench.untilAbsent();
    expect(bench.intent(intent).state).toBe("absent");
  });

  it("falls in a dispute as well, and the launch is looked for again when the last one fell", () => {
    const { bench, intent } = inferred();
    bench.show("more", { status: "connecting" });
    bench.poll(bench.settings.poll);
    expect(bench.intent(intent).state).toBe("disputed");
    prove(bench);
    bench.show("theirs", { status: "running" });
    bench.poll(2 * bench.settings.settle);
    expect([bench.row("theirs").claim, bench.row("more").claim]).toEqual([null, "disputed"]);
    expect(bench.intent(intent).state).toBe("disputed");
    bench.show("more", { status: "running" });
    bench.poll(2 * bench.settings.settle);
    expect(bench.row("more").claim).toBeNull();
    expect(["open", "absent"]).toContain(bench.intent(intent).state);
    expect(bench.reported).toEqual(["theirs", "more"]);
  });

  it("stands while the machine may show one yet, without such a proof, and where it shows the right one", () => {
    const early = inferred().bench;
    prove(early);
    early.poll(10 * 60_000);
    const unproven = inferred().bench;
    unproven.show("theirs", { status: "running" });
    unproven.poll(10 * 60_000);
    for (const bench of [early, unproven]) expect(bench.row("theirs").claim).toBe("inferred");
    const { bench: right, intent } = inferred();
    prove(right);
    right.show("theirs", { status: "running", marker: right.intent(intent).marker });
    right.poll(10 * 60_000);
    expect(right.row("theirs")).toMatchObject({ claim: "certain", intent });
  });
});

it("settles what was only inferred before it was shown: the other one is a stranger's", () => {
  const bench = new LaunchBench(shared);
  const intent = bench.launch();
  bench.lose(intent);
  bench.show("theirs");
  bench.list();
  expect(bench.row("theirs")).toMatchObject({ claim: "inferred", intent });
  bench.poll(2 * bench.settings.settle);
  bench.show("ours", { marker: bench.intent(intent).marker });
  bench.list();
  expect(bench.intent(intent)).toMatchObject({ state: "claimed", deployment: "ours" });
  expect(bench.reported).toEqual(["theirs"]);
});

describe("where it is shown only once the machine runs", () => {
  const known = (tenure: "exclusive" | "shared"): LaunchBench =>
    new LaunchBench({ tenure, marker: true, shownBack: ["marker"] });

  function lost(bench: LaunchBench, pid?: number): string {
    const intent = bench.launch({}, pid);
    bench.lose(intent);
    return intent;
  }

  it("claims what has none yet on an exclusive account, rather than to launch anew", () => {
    const bench = known("exclusive");
    const intent = lost(bench);
    bench.show("m1", { status: "connecting" });
    bench.untilAbsent();
    expect(bench.row("m1")).toMatchObject({ claim: "certain", intent });
  });

  it("lets go what it took when that shows the marker of a launch for something else, and looks for its own again", () => {
    const bench = known("exclusive");
    const first = bench.machine("m1", { ...ROME, pricePerHour: "19" });
    const intent = lost(bench);
    bench.show("twin", { status: "connecting", pricePerHour: "40" });
    bench.untilAbsent();
    expect(bench.row("twin")).toMatchObject({ claim: "certain", intent });
    expect(haltsOf(bench.rows.account)).toEqual([]);
    bench.show("twin", { status: "running", marker: bench.intent(first).marker });
    bench.poll(bench.settings.poll);
    expect(bench.row("twin")).toMatchObject({ claim: "certain", intent: first });
    expect(bench.intent(intent)).toMatchObject({ state: "open", deployment: null });
    bench.untilAbsent();
    expect(bench.intent(intent).state).toBe("absent");
  });

  it("keeps what it took when that shows its marker, none, or that of a launch for the same", () => {
    for (const marked of ["own", "none", "twin"]) {
      const bench = known("exclusive");
      const first = bench.machine("m1");
      const intent = lost(bench);
      bench.show("m2", { status: "connecting" });
      bench.untilAbsent();
      const shown = { own: bench.intent(intent).marker, none: null, twin: bench.intent(first).marker }[
        marked
      ];
      bench.show("m2", { status: "running", ...(shown ? { marker: shown } : {}) });
      bench.poll(10 * 60_000);
      expect(bench.row("m2"), marked).toMatchObject({ claim: "certain", intent, owner: FLEET });
    }
  });

  it.each(["exclusive", "shared"] as const)(
    "waits for the markers of two machines that nobody can tell apart on an account that is %s",
    (tenure) => {
      const bench = known(tenure);
      const [one, other] = [lost(bench, 1), lost(bench, 2)];
      bench.show("m1", { status: "connecting" });
      bench.show("m2", { status: "connecting" });
      bench.untilAbsent();
      expect([bench.intent(one).state, bench.intent(other).state]).toEqual(["open", "open"]);
      bench.show("m1", { status: "running", marker: bench.intent(other).marker });
      bench.show("m2", { status: "running", marker: bench.intent(one).marker });
      bench.poll(bench.settings.poll);
      expect([bench.row("m1").intent, bench.row("m2").intent]).toEqual([other, one]);
    },
  );

  it("waits on a shared account, and says for what", () => {
    const bench = known("shared");
    const intent = lost(bench);
    bench.show("m1", { status: "connecting" });
    bench.untilAbsent();
    bench.poll(2 * bench.settings.poll);
    expect(bench.intent(intent)).toMatchObject({
      state: "open",
      detail: expect.stringContaining("m1 may be its machine, and does not show yet whose it is"),
    });
    expect(bench.reported).toEqual(["m1"]);
  });

  it("waits for what shows it a while after it runs", () => {
    const bench = known("shared");
    const intent = lost(bench);
    bench.show("m1", { status: "connecting" });
    bench.untilAbsent();
    bench.show("m1", { status: "running" });
    bench.poll(bench.settings.settle - bench.settings.poll);
    bench.show("m1", { marker: bench.intent(intent).marker });
    bench.poll(bench.settings.poll);
    expect(bench.row("m1")).toMatchObject({ claim: "certain", intent });
  });

  it.each([
    [
      "has run for a while without one",
      (bench: LaunchBench) => {
        bench.show("m1", { status: "running" });
        bench.poll(bench.settings.settle);
      },
    ],
    ["ends", (bench: LaunchBench) => bench.show("m1", { status: "failed" })],
    ["is disowned", (bench: LaunchBench) => bench.decide((draft, context) => disown(draft, "m1", context))],
  ])("waits no longer for a machine that %s", (_what, happens) => {
    const bench = known("shared");
    const intent = lost(bench);
    bench.show("m1", { status: "connecting" });
    bench.untilAbsent();
    expect(bench.intent(intent).state).toBe("open");
    happens(bench);
    bench.poll(bench.settings.poll);
    expect(bench.intent(intent).state).toBe("absent");
  });
});
