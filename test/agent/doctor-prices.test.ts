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
