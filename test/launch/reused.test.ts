import { describe, expect, it } from "vitest";
import { declareFleet } from "../../agent/fleet/declare/fleets.ts";
import { parseWish } from "../../agent/fleet/wish/wish.ts";
import { askStop, dueStops, mayStop } from "../../launch/ends/stop.ts";
import { billOf } from "../../launch/money/spend.ts";
import { adopt, disown } from "../../launch/people/operator.ts";
import type { Tenure } from "../../ledger/rows.ts";
import { FLEET, LaunchBench } from "./bench.ts";

const OURS = { status: "running", offer: "h100-8", gpus: 8, pricePerHour: "16.0000" };
const THEIRS = { status: "running", offer: "a100-2", gpus: 2, pricePerHour: "3.0000" };

/** A machine of ours that shows what it is. */
function ours(
  tenure: Tenure = "shared",
  more: ConstructorParameters<typeof LaunchBench>[0] = {},
): LaunchBench {
  const bench = new LaunchBench({ tenure, combination: true, shownBack: ["offer=h100-8"], ...more });
  const wish = parseWish({
    gpus: 8,
    candidates: [{ offer: "h100-8", provider: "north", location: "oslo", gpus: 8 }],
  });
  bench.decide((draft, context) => declareFleet(draft, { name: "web", source: "file:a", wish }, context));
  bench.machine("m1", {}, OURS);
  expect(bench.row("m1").claim).toBe("certain");
  return bench;
}

describe("an id that shows another offer and another size, where others launch", () => {
  function reused(): LaunchBench {
    const bench = ours();
    bench.show("m1", THEIRS);
    bench.poll(bench.settings.poll);
    return bench;
  }

  it("is not certainly ours any more, and is told and reported", () => {
    const bench = reused();
    expect(bench.row("m1")).toMatchObject({ claim: "inferred", owner: FLEET, end: null, offer: "a100-2" });
    expect(bench.told("reused")).toEqual([
      "m1 was h100-8 with 8 GPUs, and is shown as a100-2 with 2 GPUs: the id may be somebody else's machine's by now. It is not " +
        "stopped, and counts as ours until you say whose it is: fleetkeeper adopt m1 keeps it, fleetkeeper disown m1 leaves it to them",
    ]);
    expect(bench.reported).toEqual(["m1"]);
  });

  it("is not stopped, whoever asks", () => {
    const bench = reused();
    expect(mayStop(bench.row("m1"))).toBe(false);
    expect(bench.decide((draft, context) => askStop(draft, "m1", "too many", context))).toBe(false);
  });

  it("is not stopped though that was asked for before", () => {
    const bench = ours();
    bench.decide((draft, context) => askStop(draft, "m1", "too many", context));
    bench.show("m1", THEIRS);
    bench.look("m1");
    expect(bench.decide((draft, context) => dueStops(draft, context))).toEqual([]);
    bench.decide((draft, context) => adopt(draft, "m1", FLEET, context));
    expect(bench.row("m1").stop).toBeNull();
  });

  it("goes on counting, at the higher price, until a person decides", () => {
    const bench = reused();
    bench.poll(3 * bench.settings.settle);
    expect(bench.row("m1").claim).toBe("inferred");
    expect(bench.told("reused")).toHaveLength(1);
    expect(billOf(bench.draft, bench.row("m1"), bench.context).price?.toFixed()).toBe("16");
    expect(bench.halted).toBeUndefined();
  });

  it("is ours again once it is adopted, and nobody's once it is disowned, with no launch looked for", () => {
    const adopted = reused();
    adopted.decide((draft, context) => adopt(draft, "m1", FLEET, context));
    adopted.poll(adopted.settings.poll);
    expect(adopted.row("m1").claim).toBe("certain");
    expect(adopted.reported).toEqual([]);
    const disowned = reused();
    disowned.decide((draft, context) => disown(draft, "m1", context));
    disowned.poll(disowned.settings.poll);
    expect(disowned.row("m1")).toMatchObject({ claim: "foreign", owner: null });
    expect([...disowned.draft.intents.values()].map(({ state }) => state)).toEqual(["claimed"]);
  });
});

describe("an id that goes on being ours", () => {
  it.each([
    ["only the offer changed", { offer: "h100-8-new" }],
    ["only the size changed", { gpus: 4 }],
    ["it is over", { ...THEIRS, status: "failed" }],
  ])("%s", (_, shown) => {
    const bench = ours();
    bench.show("m1", shown);
    bench.poll(bench.settings.poll);
    expect(bench.row("m1").claim).toBe("certain");
    expect(bench.told("reused")).toEqual([]);
  });

  it("no answered launch has shown that the offer is read right", () => {
    const bench = new LaunchBench({ tenure: "shared", combination: true });
    bench.machine("m1", {}, { ...OURS, offer: "somewhere" });
    bench.show("m1", THEIRS);
    bench.poll(bench.settings.poll);
    expect(bench.row("m1").claim).toBe("certain");
  });

  it("another profile reads it", () => {
    const bench = ours();
    bench.wire = { ...bench.wire, profileHash: "profile-2" };
    bench.show("m1", THEIRS);
    bench.poll(bench.settings.poll);
    expect(bench.row("m1").claim).toBe("certain");
  });

  it("it carries our marker, at once or later", () => {
    const bench = ours("shared", { marker: true, shownBack: ["offer=h100-8"] });
    const { marker } = bench.intent(bench.row("m1").intent ?? "");
    bench.show("m1", { ...THEIRS, marker });
    bench.poll(bench.settings.poll);
    expect(bench.row("m1").claim).toBe("certain");
    const later = ours("shared", { marker: true, shownBack: ["offer=h100-8"] });
    later.show("m1", THEIRS);
    later.poll(later.settings.poll);
    expect(later.row("m1").claim).toBe("inferred");
    later.show("m1", { marker: later.intent(later.row("m1").intent ?? "").marker });
    later.poll(later.settings.poll);
    expect(later.row("m1").claim).toBe("certain");
    expect(later.reported).toEqual([]);
  });

  it("nobody else launches in the account: it is told once, and stays stoppable", () => {
    const bench = ours("exclusive");
    for (const shown of [THEIRS, OURS, THEIRS]) {
      bench.show("m1", shown);
      bench.poll(bench.settings.poll);
    }
    expect(bench.row("m1").claim).toBe("certain");
    expect(mayStop(bench.row("m1"))).toBe(true);
    expect(bench.told("reused")).toEqual([expect.stringContaining("nobody else launches in this account")]);
    expect(bench.halted).toBeUndefined();
  });
});

describe.each(["shared", "exclusive"] as const)(
  "an id that ended and is given anew, on an account that is %s",
  (tenure) => {
    it("is nobody's, and what ended keeps its owner and its costs", () => {
      const bench = ours(tenure);
      bench.poll(bench.settings.settle);
      bench.show("m1", { status: "interrupted" });
      bench.poll(bench.settings.poll);
      const was = bench.row("m1");
      const bill = billOf(bench.draft, was, bench.context);
      bench.show("m1", THEIRS);
      bench.poll(3 * bench.settings.settle);
      expect(bench.row("m1")).toMatchObject({ claim: null, owner: null, end: null, offer: "a100-2" });
      expect(bench.row("m1").sequence).toBeGreaterThan(was.sequence);
      expect(bench.row("m1~1")).toEqual({ ...was, id: "m1~1" });
      expect(billOf(bench.draft, bench.row("m1~1"), bench.context)).toEqual({ ...bill, of: "m1~1" });
      expect(bench.told("reused")).toEqual([
        expect.stringContaining("What had it was interrupted, and is called m1~1"),
      ]);
      expect(bench.reported).toEqual(["m1"]);
      expect([...bench.draft.intents.values()]).toMatchObject([{ state: "claimed", deployment: "m1~1" }]);
    });

    it("is the machine of the launch that is answered with it", () => {
      const bench = ours(tenure);
      bench.show("m1", { status: "interrupted" });
      bench.poll(bench.settings.poll);
      const intent = bench.launch();
      bench.show("m1", { ...THEIRS, status: "initializing" });
      bench.advance(1);
      bench.list();
      bench.accept(intent, "m1");
      expect(bench.row("m1")).toMatchObject({ claim: "certain", intent });
      expect(bench.row("m1").reused).toBeUndefined();
      expect(bench.halted).toBeUndefined();
    });
  },
);
