import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { fleetFileJsonSchema, parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import { severalOf } from "../../agent/fleet/file/of-service.ts";

/** As an editor reads it: the exported JSON, and nothing of the code that made it. */
const schema = z.fromJSONSchema(JSON.parse(JSON.stringify(fleetFileJsonSchema())));

function accepts(fleet: string): boolean {
  return schema.safeParse(parse(`fleets: [{ ${fleet} }]`)).success;
}

const DOCS = readFileSync(
  join(import.meta.dirname, "..", "..", "docs", "reference", "fleet-file.md"),
  "utf8",
);

test("the documented file with several services is right, by the exported schema and as it is read", () => {
  const [, example = ""] = /```yaml\n(ledger:[\s\S]*?)```/.exec(DOCS) ?? [];
  expect(schema.safeParse(parse(example))).toMatchObject({ success: true });
  const file = parseFleetFile(example, "fleet.yaml");
  expect(
    severalOf(file)?.map(({ service, fleets }) => [service?.name, fleets.map(({ name }) => name)]),
  ).toEqual([
    ["acme", ["training"]],
    ["dune", ["notebooks"]],
  ]);
});

test("the documented fleet file is right by the exported schema", () => {
  const [, example = ""] = /```yaml\n(service:[\s\S]*?)```/.exec(DOCS) ?? [];
  expect(schema.safeParse(parse(example))).toMatchObject({ success: true });
});

describe("an editor marks", () => {
  test.each([
    "name: a, gpus: 8, select: {}",
    "name: Training, gpus: 8, select: { maxPricePerGpuHour: 2.5 }",
    "name: a, gpus: 8, select: {}, placement: same, surge: 8, allOrNothing: { within: 20m }",
    "name: a, gpus: 8, select: {}, placement: { mostPerLocation: 8 }",
  ])("nothing in { %s }", (fleet) => expect(accepts(fleet)).toBe(true));

  test.each([
    "name: a, gpus: 8",
    "name: a, gpus: 8, select: {}, candidates: [{ offer: o, provider: p, location: l, gpus: 8 }]",
    "name: a, gpu: 8, select: {}",
    "name: a, gpus: eight, select: {}",
    "name: a, gpus: 8, select: {}, placement: near",
    "name: a, gpus: 8, select: {}, placement: { mostPerLocation: 0 }",
    "name: a, gpus: 8, select: {}, allOrNothing: { within: 20 }",
    "name: 'a b', gpus: 8, select: {}",
  ])("{ %s }", (fleet) => expect(accepts(fleet)).toBe(false));
});
