import { describe, expect, it } from "vitest";
import { sharedBudgetOf } from "../../agent/fleet/money/remaining-budget.ts";
import { disown } from "../../launch/people/operator.ts";
import { enterSlot, setLabels } from "../../launch/people/slot.ts";
import type { BudgetRow, Owner } from "../../ledger/rows.ts";
import { type BenchOptions, LaunchBench, ROME } from "./bench.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Two slots of the team vision and one of nobody, and a limit. */
function benchWith(limit: Omit<BudgetRow, "source">, options: BenchOptions = {}): LaunchBench {
  const on = new LaunchBench({ marker: true, shownBack: ["marker"], combination: true, ...options });
  on.decide((draft, context) => {
    for (const slot of ["one", "two", "free"]) enterSlot(draft, slot, slot, context);
    for (const slot of ["one", "two"]) setLabels(draft, slot, { project: "x", team: "vision" });
    draft.putAccount({ ...draft.account, budgets: [{ source: "file:/f.yaml", ...limit }] });
  });
  on.list();
  return on;
}

const [ONE, TWO, FREE] = ["slot:one", "slot:two", "slot:free"] as const satisfies readonly Owner[];
const VISION = { label: { team: "vision" } };

describe("under a limit over a label counts", () => {
  it("a launch whose outcome is not known", () => {
    const on = benchWith({ ...VISION, total: "20" });
    on.lose(on.send({ owner: ONE }));
    expect(on.admit({ owner: TWO, ...ROME })).toMatchObject({
      refused: {
        kind: "sharedTotal",
        text: "32.00 USD in all for team=vision would be above its limit of 20.00 (budgets)",
      },
    });
    expect(on.why(on.admit({ owner: FREE, ...ROME }))).toBe("admitted");
  });

  it("what has ended, through the archive, and on its own day alone", () => {
    const on = benchWith({ ...VISION, perDay: "40", total: "60" }, { settings: { archiveKept: 0 } });
    on.machine("old", { owner: ONE });
    on.advance(90 * 60_000);
    on.show("old", { status: "failed", failureCode: "X" });
    on.list();
    expect(on.decide((draft, context) => sharedBudgetOf(draft, TWO, context)?.usd.toFixed())).toBe("8");
    on.advance(3 * DAY);
    on.list();
    expect(on.decide((draft, context) => sharedBudgetOf(draft, TWO, context)?.usd.toFixed())).toBe("28");
    on.machine("new", { owner: TWO });
    expect(on.why(on.admit({ owner: TWO, ...ROME }))).toBe("sharedTotal");
  });

  it("nothing of another label, and nothing that was disowned", () => {
    const on = benchWith({ ...VISION, total: "20" });
    on.machine("free", { owner: FREE });
    on.machine("one", { owner: ONE });
    expect(on.why(on.admit({ owner: TWO, ...ROME }))).toBe("sharedTotal");
    on.decide((draft, context) => disown(draft, "one", context));
    expect(on.why(on.admit({ owner: TWO, ...ROME }))).toBe("admitted");
  });

  it("a machine of another label that it has now: what it was launched under counts", () => {
    const on = benchWith({ ...VISION, total: "20" });
    on.machine("one", { owner: ONE });
    on.decide((draft) => setLabels(draft, "one", { team: "speech" }));
    on.decide((draft) => setLabels(draft, "free", { team: "speech" }));
    expect(on.why(on.admit({ owner: TWO, ...ROME }))).toBe("sharedTotal");
    expect(on.why(on.admit({ owner: FREE, ...ROME }))).toBe("admitted");
  });
});

it("nothing is launched under a limit without a price, its own or that of what counts", () => {
  const on = benchWith({ ...VISION, perDay: "1000" });
  expect(on.why(on.admit({ owner: ONE, pricePerHour: null }))).toBe("unpriced");
  on.machine("free", { owner: FREE, pricePerHour: null });
  expect(on.why(on.admit({ owner: ONE, ...ROME }))).toBe("admitted");
  on.decide((draft) => setLabels(draft, "free", VISION.label));
  on.decide((draft) => draft.putAccount({ ...draft.account, budgets: [{ source: "f", total: "1000" }] }));
  expect(on.why(on.admit({ owner: TWO, ...ROME, offer: "other" }))).toBe("unpricedSum");
});

it("a doubted price holds whoever has a limit, a shared one, too", () => {
  const on = benchWith({ ...VISION, perDay: "1000" });
  on.wire = { ...on.wire, abilities: { ...on.wire.abilities, offerPrice: true } };
  on.machine(
    "free",
    { owner: FREE },
    { pricePerHour: "128.0000", offer: "h100-8", provider: "north", location: "oslo" },
  );
  expect(on.why(on.admit({ owner: ONE, ...ROME }))).toBe("prices");
  expect(on.why(on.admit({ owner: "slot:other", ...ROME, offer: "other" }))).not.toBe("prices");
});
