import { expect, it } from "vitest";
import type { Context } from "../../launch/facts/context.ts";
import { coolingFor, whyTooMany } from "../../launch/facts/cooling.ts";
import { hold } from "../../launch/facts/hold.ts";
import { resume } from "../../launch/people/operator.ts";
import type { Draft } from "../../ledger/draft.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import { BASE_URL, LaunchBench, OSLO, ROME } from "./bench.ts";

const cooling = (bench: LaunchBench): number =>
  bench.decide((draft: Draft, context: Context) => coolingFor(draft.cooldown(OSLO), context));

function cool(bench: LaunchBench, retryAfter?: number): void {
  bench.answer(bench.launch(), {
    kind: "rejected",
    status: 503,
    code: "offer_cooling_down",
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

it("refuses the combination exactly as long as Retry-After said, and no other", () => {
  const bench = new LaunchBench();
  cool(bench, 45);
  expect(bench.admit()).toMatchObject({ refused: { kind: "cooling", ms: 45_000 } });
  expect(
    bench.why(
      bench.admit({ ...ROME, rules: [{ from: "admit", to: "admit", ask: () => hold("unresolved", {}) }] }),
    ),
  ).toBe("unresolved");
  bench.advance(44_999);
  bench.list();
  expect(bench.admit()).toMatchObject({ refused: { kind: "cooling", ms: 1 } });
  bench.advance(1);
  expect(bench.why(bench.admit())).toBe("admitted");
});

it("holds a launch that was written before another one was told of it", () => {
  const bench = new LaunchBench({ marker: true, shownBack: ["marker"] });
  bench.list();
  const written = bench.admit();
  if ("refused" in written) throw new Error(written.refused.text);
  cool(bench, 45);
  const { id } = written.intent;
  expect(bench.stamp(id)).toBe(false);
  expect(bench.intent(id)).toMatchObject({ state: "notSent", detail: expect.stringContaining("cools") });
});

it("waits about a minute where the service names no time", () => {
  const bench = new LaunchBench();
  cool(bench);
  expect(cooling(bench)).toBe(60_000);
});

it("is shared by the accounts of one base address, and by no other service", async () => {
  const ledger = new MemoryLedger();
  const bench = new LaunchBench({ ledger });
  cool(bench, 45);
  const account = { id: "other", email: "", display_name: "", created_at: "" };
  const same = await ledger.openAccount({ baseUrl: BASE_URL, account });
  const elsewhere = await ledger.openAccount({ baseUrl: "https://other.example.com", account });
  expect(ledger.readNow(same).cooldowns).toMatchObject([{ ...OSLO, seconds: 45 }]);
  expect(ledger.readNow(elsewhere).cooldowns).toEqual([]);
});

it.each([-3_600_000, 3_600_000])("never lasts longer when the wall clock jumps by %d ms", (jump) => {
  const bench = new LaunchBench();
  cool(bench, 45);
  bench.advance(15_000, jump);
  expect(cooling(bench)).toBe(30_000);
});

it("counts the time of a reboot by the wall clock", () => {
  const bench = new LaunchBench();
  cool(bench, 45);
  bench.reboot(40_000);
  expect(cooling(bench)).toBe(5_000);
});

it("never waits for a clock that was set back across a reboot to catch up", () => {
  const bench = new LaunchBench();
  cool(bench, 45);
  bench.reboot(-365 * 24 * 3_600_000);
  expect(cooling(bench)).toBeLessThanOrEqual(45_000);
  bench.list();
  bench.advance(45_000);
  expect(cooling(bench)).toBe(0);
});

it("is believed for four hours, whatever the service says, also where an older version stored more", () => {
  const bench = new LaunchBench();
  cool(bench, 1e12);
  expect(bench.rows.cooldowns).toMatchObject([{ seconds: 14_400 }]);
  expect(bench.told("cooldown")).toEqual(["h100-8 @ north/oslo cools for 14400 s"]);
  bench.decide((draft) => draft.putCooldown({ ...OSLO, since: bench.now, seconds: 1e12 }));
  expect(cooling(bench)).toBe(4 * 3_600_000);
});

it("is forgotten when an operator resumes, and so is a refusal of too many requests", () => {
  const bench = new LaunchBench();
  cool(bench, 300);
  bench.answer(bench.launch(ROME), { kind: "rejected", status: 429, retryAfter: 1e12 });
  bench.advance(1);
  const crowded = (): number | undefined => {
    const { until } = whyTooMany(bench.draft, bench.context) ?? {};
    return until && until - bench.now.wall;
  };
  expect(crowded()).toBe(4 * 3_600_000 - 1);
  bench.advance(1);
  expect(bench.decide(resume)).toMatchObject({ halted: 0, cooling: 1 });
  expect([cooling(bench), crowded()]).toEqual([0, undefined]);
  bench.list();
  expect(bench.why(bench.admit())).toBe("admitted");
});
