import { describe, expect, it } from "vitest";
import { askStop } from "../../launch/ends/stop.ts";
import type { SpendLimits } from "../../launch/money/budget.ts";
import { reserved } from "../../launch/money/budget.ts";
import { disown } from "../../launch/people/operator.ts";
import { parseUsd } from "../../service/contract/money.ts";
import { LaunchBench } from "./bench.ts";

const usd = (text: string) => parseUsd(text);
const balance = (bench: LaunchBench, amount: string): void =>
  bench.decide((draft, { now }) => draft.putAccount({ ...draft.account, balance: { amount, begun: now } }));
const held = (bench: LaunchBench): string =>
  bench.decide((draft, context) => reserved(draft, context)).toFixed(4);

describe("the floor", () => {
  const limits = { floor: usd("100") };

  it("is never crossed by a launch", () => {
    const bench = new LaunchBench();
    bench.list();
    balance(bench, "115.9999");
    expect(bench.admit({ limits })).toMatchObject({
      refused: {
        about: "money",
        text: expect.stringContaining("fall to 99.9999 USD, below the floor of 100.00"),
      },
    });
    balance(bench, "116.0000");
    expect(bench.why(bench.admit({ limits }))).toBe("admitted");
  });

  it("needs a balance that was read just now", () => {
    const bench = new LaunchBench();
    bench.list();
    expect(bench.admit({ limits })).toMatchObject({ refused: { about: "money" } });
    balance(bench, "1000.0000");
    bench.advance(15_001);
    bench.list();
    expect(bench.admit({ limits })).toMatchObject({
      refused: { text: expect.stringContaining("balance has not been read") },
    });
  });

  it("is held for good where the service shows no balance, and says what to do", () => {
    const bench = new LaunchBench();
    bench.wire = { ...bench.wire, abilities: { ...bench.wire.abilities, balance: false } };
    bench.list();
    expect(bench.admit({ limits })).toMatchObject({
      refused: { text: expect.stringContaining("take budget.floor out") },
    });
  });

  it("leaves out first hours that the balance may not show yet, until a read one settle time after the answer", () => {
    const bench = new LaunchBench();
    bench.machine("m1");
    expect(held(bench)).toBe("16.0000");
    balance(bench, "131.9999");
    expect(bench.admit({ limits })).toMatchObject({ refused: { about: "money" } });
    bench.poll(bench.settings.settle - 15_000);
    balance(bench, "131.9999");
    expect(held(bench)).toBe("16.0000");
    bench.advance(15_000);
    expect(held(bench)).toBe("16.0000");
    bench.list();
    balance(bench, "131.9999");
    expect(held(bench)).toBe("0.0000");
    expect(bench.why(bench.admit({ limits }))).toBe("admitted");
  });

  it("reserves what is not known, found or not, and nothing for what was refused or not sent", () => {
    const bench = new LaunchBench();
    const lost = bench.launch();
    bench.lose(lost);
    bench.poll(60_000);
    balance(bench, "500.0000");
    expect(held(bench)).toBe("16.0000");
    bench.untilAbsent();
    balance(bench, "500.0000");
    expect(held(bench)).toBe("16.0000");
    bench.poll(bench.settings.settle);
    balance(bench, "500.0000");
    expect(held(bench)).toBe("0.0000");
    bench.answer(bench.send(), { kind: "rejected", status: 422 });
    bench.answer(bench.send(), { kind: "notSent", reason: "refused" });
    expect(held(bench)).toBe("0.0000");
  });

  it("does not reserve a dispute for ever", () => {
    const bench = new LaunchBench({ tenure: "shared" });
    const intent = bench.launch();
    bench.lose(intent);
    for (const id of ["m1", "m2"]) bench.show(id);
    bench.poll(15_000);
    expect(bench.intent(intent).state).toBe("disputed");
    expect(held(bench)).toBe("16.0000");
    bench.poll(bench.settings.settle);
    balance(bench, "500.0000");
    expect(held(bench)).toBe("0.0000");
  });

  it("holds while a launch of unknown price, of whomever, may not show in the balance", () => {
    const bench = new LaunchBench();
    bench.machine("m1", { pricePerHour: null, owner: "slot:s1" });
    balance(bench, "500.0000");
    expect(bench.admit({ limits })).toMatchObject({
      refused: { about: "money", text: expect.stringContaining("unknown price") },
    });
    bench.poll(bench.settings.settle);
    balance(bench, "500.0000");
    expect(bench.why(bench.admit({ limits }))).toBe("admitted");
  });

  it("is not held for years by a reservation when the clock was set back across a reboot", () => {
    const bench = new LaunchBench();
    bench.machine("m1");
    bench.reboot(-365 * 24 * 3_600_000);
    bench.list();
    bench.poll(bench.settings.settle);
    balance(bench, "500.0000");
    expect(held(bench)).toBe("0.0000");
  });
});

describe("the budget per hour", () => {
  const limits = { perHour: usd("32") };

  it("counts all machines of the owner, with those of unknown outcome", () => {
    const bench = new LaunchBench({ marker: true, shownBack: ["marker"] });
    bench.machine("m1");
    bench.launch();
    expect(bench.admit({ limits })).toMatchObject({
      refused: { text: expect.stringContaining("48.00 USD an hour") },
    });
    expect(bench.why(bench.admit({ limits, owner: "fleet:other" }))).toBe("admitted");
  });

  it("counts a machine that has been stopping for too long: it left the count, and bills", () => {
    const bench = new LaunchBench();
    bench.machine("m1");
    bench.machine("m2");
    bench.decide((draft, context) => askStop(draft, "m1", "surplus", context));
    bench.show("m1", { status: "stopping" });
    bench.poll(16 * 60_000);
    expect(bench.admit({ limits })).toMatchObject({ refused: { about: "money" } });
    bench.show("m1", { status: "failed" });
    bench.poll(15_000);
    expect(bench.why(bench.admit({ limits }))).toBe("admitted");
  });

  it("refuses while a machine of unknown price runs, and names both ways on", () => {
    const bench = new LaunchBench();
    bench.machine("m1", { pricePerHour: null }, { status: "running" });
    expect(bench.admit({ limits })).toMatchObject({
      refused: {
        text:
          "a budget per hour is set, and nobody knows the price of m1, which is paid for: " +
          "map deployments.fields.pricePerHour in the profile, or fleetkeeper disown m1, which counts for nothing then",
      },
    });
    const mapped = new LaunchBench();
    mapped.machine("m1", { pricePerHour: null }, { status: "running" });
    mapped.show("m1", { pricePerHour: "16" });
    mapped.list();
    expect(mapped.why(mapped.admit({ limits }))).toBe("admitted");
    bench.decide((draft, context) => disown(draft, "m1", context));
    expect(bench.why(bench.admit({ limits }))).toBe("admitted");
  });
});

it.each([null, "-1.0000", "1e3"])(
  "refuses a price of %s where a budget is set, and only there",
  (pricePerHour) => {
    const bench = new LaunchBench();
    bench.list();
    balance(bench, "500.0000");
    expect(bench.admit({ pricePerHour, limits: { floor: usd("1") } })).toMatchObject({
      refused: { about: "money" },
    });
    expect(bench.admit({ pricePerHour, limits: { perHour: usd("100") } })).toMatchObject({
      refused: { about: "money" },
    });
    expect(bench.why(bench.admit({ pricePerHour }))).toBe("admitted");
  },
);

describe("limits over time", () => {
  const HOUR = 3_600_000;
  const why = (bench: LaunchBench, limits: SpendLimits): string => {
    const admission = bench.admit({ limits });
    return "refused" in admission ? admission.refused.text : "admitted";
  };
  /** One machine of this price that ended after so long; a launch that failed never ran. */
  function ended(end: string, ms: number, pricePerHour: string | null = "16.0000"): LaunchBench {
    const bench = new LaunchBench();
    bench.machine("m1", { pricePerHour }, { status: end === "failed" ? "connecting" : "running" });
    bench.advance(ms);
    bench.show("m1", { status: end, ...(end === "stopped" ? { stopReason: "user" } : {}) });
    bench.list();
    return bench;
  }

  it("count what was paid for, and the first hour of this launch", () => {
    expect(why(ended("stopped", HOUR / 2), { total: usd("31.99") })).toBe(
      "32.00 USD in all would be above the total of 31.99",
    );
    expect(why(ended("stopped", HOUR / 2), { total: usd("32") })).toBe("admitted");
    expect(why(ended("failed", HOUR / 2), { total: usd("16") })).toBe("admitted");
    expect(why(ended("stopped", HOUR / 2), { perDay: usd("31.99") })).toMatch(/^32\.00 USD on this day/);
    const nextDay = ended("stopped", HOUR / 2);
    nextDay.advance(24 * HOUR);
    nextDay.list();
    expect(why(nextDay, { perDay: usd("16") })).toBe("admitted");
    expect(why(nextDay, { total: usd("31.99") })).not.toBe("admitted");
  });

  it("look ahead to the hours that begin before a spent total could drain", () => {
    const bench = new LaunchBench();
    bench.machine("m1", {}, { status: "running" });
    bench.advance(HOUR - 6 * 60_000);
    bench.list();
    expect(why(bench, { total: usd("47") })).toBe("admitted");
    const later = new LaunchBench();
    later.machine("m1", {}, { status: "running" });
    later.advance(HOUR - 4 * 60_000);
    later.list();
    expect(why(later, { total: usd("47") })).toBe("48.00 USD in all would be above the total of 47.00");
  });

  it("call churn what ended within an hour, failed launches left out, for a day", () => {
    const churn = usd("16");
    expect(why(ended("stopped", HOUR / 2), { churn })).toBe(
      "16.00 USD went in 24 hours into machines that did not live for an hour: the budget for churn is 16.00",
    );
    expect(why(ended("interrupted", HOUR / 2), { churn })).toBe("admitted");
    expect(why(ended("stopped", HOUR), { churn })).toBe("admitted");
    expect(why(ended("failed", HOUR / 2), { churn })).toBe("admitted");
    const nextDay = ended("stopped", HOUR / 2);
    nextDay.advance(24 * HOUR);
    nextDay.list();
    expect(why(nextDay, { churn })).toBe("admitted");
  });

  it("refuse while something counts whose price nobody knows", () => {
    const text =
      "a budget over time is set, and nobody knows the price of m1, which counts towards it: " +
      "map deployments.fields.pricePerHour in the profile, or fleetkeeper disown m1, which counts for nothing then";
    for (const limits of [{ total: usd("1000") }, { perDay: usd("1000") }, { churn: usd("1000") }]) {
      const bench = ended("stopped", HOUR / 2, null);
      expect(why(bench, limits)).toBe(text);
      bench.decide((draft, context) => disown(draft, "m1", context));
      expect(why(bench, limits)).toBe("admitted");
      const mapped = ended("stopped", HOUR / 2, null);
      mapped.show("m1", { pricePerHour: "16" });
      mapped.list();
      expect(why(mapped, { ...limits, churn: undefined })).toBe("admitted");
    }
    expect(why(ended("failed", HOUR / 2, null), { total: usd("1000") })).toBe("admitted");
    const nextDay = ended("stopped", HOUR / 2, null);
    nextDay.advance(24 * HOUR);
    nextDay.list();
    expect(why(nextDay, { total: usd("1000") })).toBe(text);
    expect(why(nextDay, { perDay: usd("1000") })).toBe("admitted");
  });

  it("know a price for one GPU", () => {
    const bench = new LaunchBench();
    bench.list();
    expect(why(bench, { perGpuHour: usd("1.99") })).toBe(
      "16.00 USD an hour for 8 GPUs would be above the budget of 1.99 a GPU and hour",
    );
    expect(why(bench, { perGpuHour: usd("2") })).toBe("admitted");
  });
});
