import { expect, test } from "vitest";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { authOnly, dialectText, handmade, type Visit, visit, world } from "./doctor-support.ts";

const X8 = { offer: "h100-80gb-x8", provider: "aurora", location: "fi-hel", gpus: 8 };
const SELECT = { gpuModel: "h100-80gb" };

async function judge(wish: WishInput, dialect: "plain" | "link" = "plain"): Promise<Visit> {
  const { clock, simulator } = await world(dialect, "no machines");
  return visit({ clock, transport: simulator.transport, profile: dialectText(dialect), fleets: { f: wish } });
}

test("a wish that can be met is said with its mix and its price", async () => {
  const { report, check } = await judge({ gpus: 16, select: SELECT });
  expect(report.exitCode).toBe(0);
  expect(check("fleet.f.mix").says).toBe(
    "f: 16 GPUs can be had: 2 × h100-80gb-x8 @ basalt/is-rey, for 36.64 USD an hour.",
  );
});

test("a mix by work is said as one, and a model of a list that nothing offers is a warning", async () => {
  const select = { gpuModel: ["a100-80gb", "h100-80gb", "h100"], worth: { "h100-80gb": 1.8 } };
  const { report, check } = await judge({ gpus: 8, select, budget: { perHour: 18.4 } });
  expect(report.exitCode).toBe(0);
  expect(check("fleet.f.mix").says).toBe(
    "f: 8 GPUs can be had: 1 × h100-80gb-x8 @ basalt/is-rey, for 18.32 USD an hour, the cheapest by work.",
  );
  expect(check("fleet.f.models")).toMatchObject({
    level: "warning",
    says: "f: no offer has gpuModel h100: there are h100-80gb, a100-80gb, l40s-48gb, rtx4090-24gb.",
  });
  // 18.30 USD do not pay for it: as many of the H100 as they pay for.
  const less = await judge({ gpus: 8, select, budget: { perHour: 18.3 } });
  expect(less.check("fleet.f.mix").says).toContain("for 17.42 USD an hour");
});

test.each<[string, WishInput, RegExp]>([
  [
    "a model by another name",
    { gpus: 8, select: { gpuModel: "h100" } },
    /no offer has gpuModel h100; did you mean h100-80gb\?/,
  ],
  [
    "a ceiling below every price",
    { gpus: 8, select: { ...SELECT, maxPricePerGpuHour: "2.28" } },
    /ceiling of 2\.28 .* the lowest of what would fit else is 2\.29\.$/,
  ],
  [
    "a place without the model",
    { gpus: 8, select: { ...SELECT, locations: ["us-east"] } },
    /in us-east; there are is-rey, fi-hel, se-sto/,
  ],
  ["a provider that is not there", { gpus: 8, select: { providers: ["acme"] } }, /is from acme; there are/],
])("a selection that nothing fits names the limit: %s", async (_name, wish, words) => {
  const { report, check } = await judge(wish);
  expect(report.exitCode).toBe(1);
  expect(check("fleet.f.mix")).toMatchObject({ level: "problem", says: expect.stringMatching(words) });
});

test("a surge that no move fits into is a warning, and so are windows that are over", async () => {
  const improve = { saves: "20%" };
  const { report, check } = await judge({ gpus: 16, surge: 4, candidates: [X8], improve });
  expect(report.exitCode).toBe(0);
  expect(check("fleet.f.improve")).toMatchObject({
    level: "warning",
    says: "f: no machine fits into surge, which is 4: the smallest has 8 GPUs, so old machines are stopped before new ones are launched.",
  });
  const within = { timeZone: "UTC", entries: [{ from: "2020-01-01 08:00", to: "2020-01-01 20:00" }] };
  const past = await judge({ gpus: 16, select: SELECT, improve: { ...improve, within } });
  expect(past.check("fleet.f.improve").says).toMatch(/no window of within comes any more/);
});

test("what one of several services lacks is a warning", async () => {
  const { clock, simulator } = await world("plain", "no machines");
  const given = { clock, transport: simulator.transport, profile: dialectText("plain") };
  const fleets = { f: { gpus: 8, select: { gpuModel: "h900" } } };
  const { report } = await visit({ ...given, fleets, areParts: true });
  const of = report.checks.filter(({ id }) => id.startsWith("fleet.f"));
  expect(of).toEqual([
    expect.objectContaining({
      level: "warning",
      says: expect.stringContaining("The fleet's other services may"),
    }),
  ]);
  expect([report.exitCode, (await visit({ ...given, fleets })).report.exitCode]).toEqual([0, 1]);
});

test("a ceiling that one offer just meets is none", async () => {
  const { report } = await judge({ gpus: 8, select: { ...SELECT, maxPricePerGpuHour: "2.29" } });
  expect(report.exitCode).toBe(0);
});

test("candidates that no offer lists are named with what is there; one of several only warns", async () => {
  const wrong = { ...X8, location: "us-east" };
  const all = await judge({ gpus: 8, candidates: [wrong] });
  expect(all.report.exitCode).toBe(1);
  expect(all.report.checks.map(({ id }) => id)).not.toContain("fleet.f.mix");
  expect(all.check("fleet.f.candidates").details).toEqual([
    "h100-80gb-x8 @ aurora/us-east: this offer is to be had at aurora/fi-hel, aurora/se-sto, basalt/is-rey",
  ]);
  const some = await judge({ gpus: 8, candidates: [wrong, X8] });
  expect(some.report.exitCode).toBe(0);
  expect(some.check("fleet.f.candidates").level).toBe("warning");
});

test("a count that no machines add up to: the smallest overshoot that would do", async () => {
  const { check } = await judge({ gpus: 15, candidates: [X8] });
  expect(check("fleet.f")).toMatchObject({ level: "problem", remedy: { lines: ["overshoot: 1"] } });
  expect((await judge({ gpus: 15, overshoot: 1, candidates: [X8] })).report.exitCode).toBe(0);
});

test("a candidate that has other GPUs than the fleet counts", async () => {
  const { check } = await judge({ gpus: 16, candidates: [{ ...X8, offer: "h100-80gb-x4" }] });
  expect(check("fleet.f.gpus")).toMatchObject({ level: "warning", remedy: { lines: ["gpus: 4"] } });
});

test("a floor above the balance, and one that leaves too little for a first hour", async () => {
  const above = await judge({ gpus: 8, select: SELECT, budget: { floor: "5000" } });
  expect(above.check("fleet.f.floor")).toMatchObject({
    level: "problem",
    says: expect.stringMatching(/floor of 5000.00 USD is above the balance/),
  });
  const near = await judge({ gpus: 8, select: SELECT, budget: { floor: "998" } });
  expect(near.check("fleet.f.floor").says).toMatch(/leaves 2\.00 USD of the balance/);
  expect((await judge({ gpus: 8, select: SELECT, budget: { floor: "900" } })).report.exitCode).toBe(0);
});

test("a budget an hour below the cheapest mix", async () => {
  const low = await judge({ gpus: 16, select: SELECT, budget: { perHour: "36.63" } });
  expect(low.check("fleet.f.per-hour").says).toMatch(/cheapest mix costs 36\.64/);
  expect((await judge({ gpus: 16, select: SELECT, budget: { perHour: "36.64" } })).report.exitCode).toBe(0);
});

test("a total and a budget a day that pay no first hour", async () => {
  const total = await judge({ gpus: 16, select: SELECT, budget: { total: "36.63" } });
  expect(total.check("fleet.f.total")).toMatchObject({
    level: "problem",
    says: expect.stringContaining("does not pay the first hour of 16 GPUs: the cheapest mix costs 36.64"),
  });
  const day = await judge({ gpus: 8, candidates: [X8], budget: { perDay: "1" } });
  expect(day.check("fleet.f.per-day")).toMatchObject({
    level: "problem",
    says: expect.stringContaining("of its cheapest machine (19.92): nothing is launched"),
  });
  const enough = { total: "36.64", perDay: "36.64" };
  expect((await judge({ gpus: 16, select: SELECT, budget: enough })).report.exitCode).toBe(0);
});

test.each<NonNullable<WishInput["budget"]>>([
  { perHour: "100" },
  { total: "100", perDay: "1" },
  { churn: "9" },
])("a budget without prices to hold it against: %o", async (budget) => {
  const { clock, simulator } = await world("plain", "no machines");
  const unpriced = await visit({
    clock,
    transport: simulator.transport,
    profile: authOnly("plain"),
    fleets: { f: { gpus: 8, candidates: [X8], budget } },
  });
  expect(unpriced.check("fleet.f.prices")).toMatchObject({
    level: "problem",
    says: "f: it has a budget, and the price of everything it may launch is not known: nothing is launched.",
    remedy: { lines: ["pricePerHour: <USD an hour for one machine>  # h100-80gb-x8 @ aurora/fi-hel"] },
  });
});

test("a price that some candidates lack is a warning, and the budget is held against the others", async () => {
  const { clock, simulator } = await world("plain", "no machines");
  const candidates = [
    { ...X8, pricePerHour: "20" },
    { ...X8, location: "se-sto" },
  ];
  const { check } = await visit({
    clock,
    transport: simulator.transport,
    profile: authOnly("plain"),
    fleets: { f: { gpus: 8, candidates, budget: { perDay: "19" } } },
  });
  expect(check("fleet.f.prices")).toMatchObject({
    level: "warning",
    says: "f: it has a budget, and the price of h100-80gb-x8 @ aurora/se-sto is not known: that is not launched.",
  });
  expect(check("fleet.f.per-day").level).toBe("problem");
});

test("a budget is held against the price that the service lists, whatever a candidate says", async () => {
  const budget = { perHour: "19.91" };
  const low = await judge({ gpus: 8, candidates: [{ ...X8, pricePerHour: "4" }], budget });
  expect(low.check("fleet.f.per-hour").says).toMatch(/cheapest mix costs 19\.92/);
  const enough = await judge({ gpus: 8, candidates: [X8], budget: { perHour: "19.92" } });
  expect(enough.check("fleet.f.mix")).toMatchObject({ says: expect.stringContaining("19.92 USD an hour") });
  expect(enough.report.exitCode).toBe(0);
});

test("parameters that the launch body needs and the fleet does not give", async () => {
  const without = await judge({ gpus: 8, select: SELECT }, "link");
  expect(without.report.exitCode).toBe(1);
  expect(without.check("fleet.f.parameters").remedy?.lines).toEqual([
    "parameters:",
    "  image: <what the service expects>",
  ]);
  const given = await judge(
    { gpus: 8, select: SELECT, parameters: { image: "ubuntu", color: "red" } },
    "link",
  );
  expect(given.report.exitCode).toBe(0);
  expect(given.check("fleet.f.parameters.unused").says).toMatch(/it gives color/);
});

test("a fleet that selects needs offers; one with candidates does not", async () => {
  const { clock, simulator } = await world("plain", "no machines");
  const { check } = await visit({
    clock,
    transport: simulator.transport,
    profile: authOnly("plain"),
    fleets: { selects: { gpus: 8, select: SELECT }, names: { gpus: 8, candidates: [X8] } },
  });
  expect(check("operation.offers").level).toBe("problem");
  expect(check("fleet.selects").says).toMatch(/the profile has no part "offers"/);
  expect(check("fleet.names.mix").level).toBe("ok");
});

test.each<WishInput>([
  { gpus: 8, select: SELECT, budget: { perGpuHour: "1" } },
  { gpus: 8, candidates: [{ ...X8, pricePerHour: "20" }], budget: { perGpuHour: "1" } },
])("a price of a GPU below every price: %o", async (wish) => {
  const { check } = await judge(wish);
  expect(check("fleet.f")).toMatchObject({
    level: "problem",
    says: "f: every combination costs more than 1.00 USD a GPU and hour, which is the budget.",
  });
});

test("a placement that leaves no mix, and a count that is more than there is now", async () => {
  const apart = await judge({ gpus: 64, select: SELECT, placement: { mostPerLocation: 8 } });
  expect(apart.check("fleet.f")).toMatchObject({
    level: "problem",
    says: expect.stringContaining("at most 8 GPUs may be in one location"),
  });
  const together = await judge({ gpus: 8, select: SELECT, placement: "same" });
  expect(together.report.exitCode).toBe(0);
});

test("offers that are said to be one answer, with a larger total beside them", async () => {
  const offer = { id: "a", provider: "p", location: "l", gpus: 8 };
  const answers = {
    "/api/v1/deployments": { deployments: [] },
    "/api/v1/offers": { offers: [offer], total: 7 },
  };
  const seen = await visit({ profile: dialectText("plain"), transport: handmade(answers), fleets: {} });
  const pages = seen.report.checks.filter(({ id }) => id === "offers.pages");
  expect(pages).toMatchObject([{ level: "warning", says: expect.stringContaining("/total: 7") }]);
});

test("a budget a day that what runs passes on a whole day: it stops no machine", async () => {
  const judged = await judge({ gpus: 8, candidates: [X8], budget: { perDay: "100" } });
  expect(judged.check("fleet.f.per-day")).toMatchObject({
    level: "warning",
    says: expect.stringContaining("does not pay for 8 GPUs on a whole day (478.08)"),
  });
  const enough = await judge({ gpus: 8, candidates: [X8], budget: { perDay: "478.08" } });
  expect(() => enough.check("fleet.f.per-day")).toThrow();
});

test("a fleet with a schedule is judged at its largest count, and told what is asked for now and what is over", async () => {
  const entries: NonNullable<WishInput["schedule"]>["entries"] = [
    { from: "2025-12-24 18:00", to: "2025-12-28 08:00", gpus: 4 },
    { from: "Sat 02:00", to: "Sat 03:00", gpus: 16 },
  ];
  const schedule = { timeZone: "Europe/Berlin", entries, min: 0, max: 16, at: 0 };
  const { report } = await judge({ gpus: 0, schedule, select: SELECT, budget: { perHour: 20 } });
  const says = report.checks.filter(({ id }) => id.startsWith("fleet.f")).map((each) => each.says);
  expect(says).toEqual([
    "f: the schedule asks for 0 GPUs now, and for 16 from 2030-01-05 02:00 on (Europe/Berlin).",
    "f: window 1 of the schedule is over since 2025-12-28 08:00: take it out.",
    "f: 16 GPUs can be had: 2 × h100-80gb-x8 @ basalt/is-rey, for 36.64 USD an hour.",
    "f: its budget of 20.00 USD an hour does not pay for 16 GPUs: the cheapest mix costs 36.64.",
  ]);
});
