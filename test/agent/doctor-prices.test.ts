import { expect, test } from "vitest";
import type { Check } from "../../agent/doctor/report.ts";
import type { DialectName } from "../../simulator/index.ts";
import { dialectText, handmade, visit, world } from "./doctor-support.ts";

async function look(alter: (profile: string) => string, dialect: DialectName = "camel") {
  const { clock, simulator } = await world(dialect);
  return visit({ clock, transport: simulator.transport, profile: alter(dialectText(dialect)) });
}

const linesOf = (check: Pick<Check, "remedy">): readonly string[] =>
  (check.remedy?.lines ?? []).map((line) => line.trim());

test("the price of the whole machine is found by arithmetic, and both are shown", async () => {
  const { check } = await look((profile) => profile.replaceAll(/ {4}pricePerHour:.*\n/g, ""));
  expect(linesOf(check("offers.unmapped"))).toEqual([
    "pricePerHour: /priceHourly  # of the whole machine: /pricePerGpu is of one GPU, and 2.49 × 8 = 19.92",
  ]);
  expect(linesOf(check("deployments.unmapped"))).toEqual([
    expect.stringMatching(
      /^pricePerHour: \/priceHourly {2}# of the whole machine: \/pricePerGpu is of one GPU, and .* × \d = /,
    ),
  ]);
});

test("a profile that reads the price of one GPU for that of the machine is a problem", async () => {
  const { report, check } = await look((profile) => profile.replaceAll("/priceHourly", "/pricePerGpu"));
  expect(report.exitCode).toBe(1);
  for (const part of ["offers", "deployments"]) {
    expect(check(`${part}.price`)).toMatchObject({
      level: "problem",
      says: expect.stringContaining(
        "/pricePerGpu is what one GPU costs and /priceHourly what the whole machine does: ",
      ),
    });
    expect(linesOf(check(`${part}.price`))).toEqual(["pricePerHour: /priceHourly  # of the whole machine"]);
  }
});

test("a profile that reads the one for the other the other way round is one as well", async () => {
  const { check } = await look((profile) => profile.replaceAll("pricePerHour:", "pricePerGpuHour:"));
  expect(check("offers.price").says).toContain("reads offers.fields.pricePerGpuHour at /priceHourly");
});

test("a right profile says nothing of it, in whichever way", async () => {
  const whole = await look((profile) => profile);
  const one = await look((profile) =>
    profile.replaceAll("pricePerHour: /priceHourly", "pricePerGpuHour: /pricePerGpu"),
  );
  for (const { report } of [whole, one]) {
    expect(report.exitCode).toBe(0);
    expect(report.checks.map(({ id }) => id)).not.toContain("offers.price");
    expect(JSON.stringify(report.checks.find(({ id }) => id === "offers.unmapped") ?? "")).not.toContain(
      "price",
    );
  }
});

const PROFILE = "profile: 1\nname: acme\nauth: { header: X-Key, value: '{secret}' }\n";
const offersOf = (...offers: readonly object[]) =>
  handmade({ "/api/v1/deployments": { items: [] }, "/api/v1/offers": { offers } });

test("what is shown of one GPU alone, or in cents, is proposed as that; a provider that is nowhere as a value", async () => {
  const transport = offersOf(
    { id: "a", region: "oslo", gpu_count: 8, price_cents_per_gpu: 249 },
    { id: "b", region: "rome", gpu_count: 1, price_cents_per_gpu: 259 },
  );
  const { check } = await visit({ profile: PROFILE, transport });
  const lines = linesOf(check("operation.offers"));
  expect(lines).toContainEqual(
    expect.stringMatching(/^pricePerGpuHour: \{ pointer: \/price_cents_per_gpu, unit: cents \} {2}#/),
  );
  expect(lines).toContain(
    'provider: { value: "<the provider, if the service has only one; else a JSON Pointer in its place>" }  # no field looks like it',
  );
});

/** What the doctor asks about the price of these offers, read so by the profile. */
async function asked(read: string, ...offers: readonly object[]) {
  const fields = `id: /id, provider: { value: acme }, location: /region, gpus: /gpu_count, ${read}`;
  const profile = `${PROFILE}offers:\n  list: { items: /offers, pagination: { kind: none } }\n  fields: { ${fields} }\n`;
  const all = offers.map((offer, index) => ({ id: `o${index}`, region: "oslo", ...offer }));
  const { report } = await visit({ profile, transport: offersOf(...all) });
  const check = report.checks.find(({ id }) => id === "offers.priceUnit");
  return (
    check && { level: check.level, says: check.says, remedy: linesOf(check).join("\n") || check.remedy?.text }
  );
}

test.each([
  [
    "pricePerHour: /price_cents",
    { price_cents: 1992 },
    "USD an hour of the whole machine. Is it US cents an hour of the whole machine",
    "pricePerHour: { pointer: /price_cents, unit: cents }  # US cents",
  ],
  [
    "pricePerHour: /cents",
    { cents: 1992 },
    "Is it US cents",
    "pricePerHour: { pointer: /cents, unit: cents }",
  ],
  [
    "pricePerHour: { pointer: /usd, unit: cents }",
    { usd: 19 },
    "US cents an hour of the whole machine. Is it USD",
    "pricePerHour: /usd  #",
  ],
  [
    "pricePerHour: /per_gpu",
    { per_gpu: 2.49 },
    "Is it USD an hour of one GPU",
    "pricePerGpuHour: /per_gpu  #",
  ],
  [
    "pricePerHour: /gpu_hour_price",
    { gpu_hour_price: "2.49" },
    '("2.49") as USD',
    "pricePerGpuHour: /gpu_hour_price",
  ],
  [
    "pricePerGpuHour: /instance_price",
    { instance_price: 19 },
    "(19) as USD an hour of one GPU. Is it USD an hour of the whole machine",
    "pricePerHour: /instance_price",
  ],
  [
    "pricePerHour: /monthly",
    { monthly: 1800 },
    '(1800) as USD an hour of the whole machine, and its name says "monthly"',
    "no key of a profile converts it into a price of an hour",
  ],
  [
    "pricePerHour: /price_per_min",
    { price_per_min: 0.3 },
    'its name says "min"',
    "no key of a profile converts it into a price of an hour",
  ],
  [
    "pricePerHour: /disk/gb_hour_usd",
    { disk: { gb_hour_usd: 0.3 } },
    'its name says "gb". Is it the price of a machine?',
    "take offers.fields.pricePerHour out",
  ],
])("a price whose name says something else is asked about: %s", async (read, offer, says, remedy) => {
  expect(await asked(read, { gpu_count: 8, ...offer })).toEqual({
    level: "warning",
    says: expect.stringContaining(says),
    remedy: expect.stringContaining(remedy),
  });
});

test.each([
  ["pricePerHour: /usd_per_hour", { gpu_count: 8, usd_per_hour: 19 }],
  ["pricePerHour: /price", { gpu_count: 8, price: 19 }],
  // The least price, and not that of a minute.
  ["pricePerHour: /min_price", { gpu_count: 8, min_price: 19 }],
  ["pricePerHour: /priceMin", { gpu_count: 8, priceMin: 19 }],
  ["pricePerHour: { pointer: /price_cents, unit: cents }", { gpu_count: 8, price_cents: 1992 }],
  ["pricePerHour: { pointer: /amount, unit: cents }", { gpu_count: 8, amount: 1992 }],
  ["pricePerGpuHour: /gpu_hour_price", { gpu_count: 8, gpu_hour_price: 2.49 }],
  ["pricePerHour: /total_for_gpus", { gpu_count: 8, total_for_gpus: 19 }],
  // With one GPU both are the same, and 2.5 times 8 is 20.
  ["pricePerHour: /gpu_price", { gpu_count: 1, gpu_price: 2.5 }],
  ["pricePerHour: /gpu_price", { gpu_count: 8, gpu_price: 20, price: 2.5 }],
])(
  "a price whose name agrees, or whose unit the records show, is not asked about: %s",
  async (read, offer) => {
    expect(await asked(read, offer)).toBeUndefined();
  },
);
