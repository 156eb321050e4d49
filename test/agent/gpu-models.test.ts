import Big from "big.js";
import { describe, expect, test } from "vitest";
import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import { type WishInput, wishSchema } from "../../agent/fleet/wish/wish.ts";
import { impossible } from "../../agent/planning/choices/impossible.ts";
import { unofferedTexts } from "../../agent/planning/choices/offered-models.ts";
import { allowed, fitting, nothingFits } from "../../agent/planning/choices/options.ts";
import { cheapestMix, type Option } from "../../agent/planning/mix/mix.ts";
import { launchWish } from "../../agent/reconcile/launch-fleet.ts";
import type { Offer } from "../../service/contract/service.ts";
import { said } from "../support/said-of-fleet-file.ts";
import { fleetBench, OSLO, planOn, ROME } from "./on-bench.ts";

const OFFERS: readonly Offer[] = [
  { ...OSLO, offer: "h100", gpus: 8, gpuModel: "H100", pricePerHour: "16.00" },
  { ...ROME, offer: "h200", gpus: 8, gpuModel: "H200", pricePerHour: "20.00" },
  { ...ROME, offer: "a100", gpus: 8, gpuModel: "A100", pricePerHour: "10.00" },
];

type Select = NonNullable<WishInput["select"]>;

function wishOf(select: Select, budget: WishInput["budget"] = {}) {
  return wishSchema.parse({ gpus: 16, select, budget });
}

const names = (options: readonly { readonly offer: string }[] | undefined) =>
  options?.map(({ offer }) => offer);
const BOTH: Select = { gpuModel: ["H100", "H200"], worth: { H200: 1.4 } };

describe("a list of models", () => {
  test("is any of them, and one of a list is as one text", () => {
    expect(names(fitting(wishOf({ gpuModel: ["H100", "H200"] }), OFFERS))).toEqual(["h100", "h200"]);
    expect(names(fitting(wishOf({ gpuModel: ["H200"] }), OFFERS))).toEqual(["h200"]);
  });

  test("is compared by work: an H200 for 2.50 a GPU does more for the money than an H100 for 2.00", () => {
    expect(names(fitting(wishOf(BOTH), OFFERS))).toEqual(["h200", "h100"]);
    const sixteen = { gpus: 16, slack: 0 };
    expect(names(cheapestMix(allowed(wishOf(BOTH), OFFERS), sixteen))).toEqual(["h200", "h200"]);
    // 2.50 / 1.25 are 2.00: equal by work, and the first by name is taken.
    const even = wishOf({ gpuModel: ["H100", "H200"], worth: { H200: "1.25" } });
    expect(names(cheapestMix(allowed(even, OFFERS), sixteen))).toEqual(["h100", "h100"]);
    const less = wishOf({ gpuModel: ["H100", "H200"], worth: { H200: 1.4, H100: "1.2" } });
    expect(names(cheapestMix(allowed(less, OFFERS), sixteen))).toEqual(["h100", "h100"]);
  });

  test("keeps its limits in money: as much of the better as the limit pays for", () => {
    const options = allowed(wishOf(BOTH), OFFERS);
    const within = (usd: number) => names(cheapestMix(options, { gpus: 16, slack: 0, cost: new Big(usd) }));
    expect([40, 39.99, 36, 35.99].map(within)).toEqual([
      ["h200", "h200"],
      ["h200", "h100"],
      ["h200", "h100"],
      ["h100", "h100"],
    ]);
    expect(names(allowed(wishOf({ ...BOTH, maxPricePerGpuHour: "2.40" }), OFFERS))).toEqual(["h100"]);
    expect(names(allowed(wishOf(BOTH, { perGpuHour: "2.40" }), OFFERS))).toEqual(["h100"]);
  });

  test("is not called too dear for a limit that pays for the cheaper machines", () => {
    expect(impossible(wishOf(BOTH, { perHour: 32 }), OFFERS, undefined, {})).toEqual([]);
    expect(impossible(wishOf(BOTH, { perHour: 31 }), OFFERS, undefined, {})).toEqual([
      expect.stringContaining("the cheapest mix of them costs 32.00"),
    ]);
    const short = planOn(fleetBench({ gpus: 8, select: BOTH, budget: { perHour: 15 } }), { offers: OFFERS });
    expect(short.reasons).toEqual([expect.stringContaining("the cheapest mix of them costs 16.00 an hour")]);
  });

  test("plans by work, and says what decided", () => {
    const plan = planOn(fleetBench({ gpus: 8, select: BOTH }), { offers: OFFERS });
    expect(plan.launches.map(({ option, why }) => [option.offer, why])).toEqual([
      [
        "h200",
        expect.stringContaining("(20.00 USD an hour a machine, 1.7857 a GPU by work: a worth of 1.4)"),
      ],
    ]);
    expect(launchWish("f", wishOf(BOTH), plan.launches[0]?.option as Option)).toMatchObject({ worth: "1.4" });
  });

  test("names the models that nothing offers, the likely one first", () => {
    const asked = { gpuModel: ["H100", "H20"] } satisfies Select;
    expect(unofferedTexts(asked, OFFERS)).toEqual(["no offer has gpuModel H20: there are H200, A100, H100"]);
    expect(unofferedTexts(wishOf(BOTH).select, OFFERS)).toEqual([]);
    expect(nothingFits(wishOf({ gpuModel: ["H20", "B200"] }), OFFERS, {})).toBe(
      "none of the service's 3 offers fits gpuModel H20 or B200 (there are H200, A100, H100)",
    );
    const plan = planOn(fleetBench({ gpus: 8, select: asked }), { offers: OFFERS });
    expect(plan.reasons).toEqual(["no offer has gpuModel H20: there are H200, A100, H100"]);
  });
});

describe("what is wrong with it is said at once", () => {
  test.each<[string, Select, string]>([
    ["a worth of 0", { gpuModel: "H100", worth: { H100: 0 } }, "above 0 and with at most 3 decimals"],
    ["a worth below 0", { gpuModel: "H100", worth: { H100: "-1" } }, "above 0 and with at most 3 decimals"],
    ["too many decimals", { gpuModel: "H100", worth: { H100: 1.4567 } }, "with at most 3 decimals"],
    [
      "a worth of another model",
      { gpuModel: ["H100"], worth: { H200: 1.4 } },
      "expected the worth of a model of gpuModel, and not of H200: those are H100",
    ],
    ["a worth without models", { worth: { H200: 1.4 } }, "and not of H200: the fleet names none"],
    ["a model twice", { gpuModel: ["H100", "H100 "] }, "expected each model once: H100  stands there before"],
    ["no model", { gpuModel: [] } as unknown as Select, "expected at least one model"],
  ])("%s", (_name, select, says) => {
    const { success, error } = wishSchema.safeParse({ gpus: 8, select });
    expect(success).toBe(false);
    expect(JSON.stringify(error?.issues)).toContain(says);
  });
});

describe("names of models in one place of a fleet file", () => {
  const service = (name: string) =>
    `  ${name}: { baseUrl: "https://${name}.example", profile: p.yaml, account: shared, apiKey: { env: ${name.toUpperCase()}_KEY } }\n`;
  const SERVICES = `services:\n${service("one")}${service("two")}`;
  const fleet = (name: string, select: string) =>
    `  - { name: ${name}, service: ${name}, gpus: 8, select: ${select} }\n`;
  const selects = (text: string) => parseFleetFile(text, "fleet.yaml").fleets.map(({ wish }) => wish.select);

  test("become those of each fleet's service, with their worths; others mean themselves", () => {
    const file = `${SERVICES}gpuModels: { h200: { one: gpu_h200, two: ["NVIDIA H200", H200 NVL] }, h100: { two: H100 } }
fleets:\n${fleet("one", "{ gpuModel: [h100, h200], worth: { h200: 1.4 } }")}${fleet("two", "{ gpuModel: h200, worth: { h200: 2 } }")}`;
    expect(selects(file)).toEqual([
      { gpuModel: ["h100", "gpu_h200"], worth: { gpu_h200: "1.4" } },
      { gpuModel: ["NVIDIA H200", "H200 NVL"], worth: { "NVIDIA H200": "2", "H200 NVL": "2" } },
    ]);
    expect(parseFleetFile(file, "fleet.yaml").services.map(({ gpuModels }) => gpuModels)).toEqual([
      { h200: ["gpu_h200"], h100: ["h100"] },
      { h200: ["NVIDIA H200", "H200 NVL"], h100: ["H100"] },
    ]);
    expect(
      selects("gpuModels: { h100: H100 SXM }\nfleets: [{ name: a, gpus: 1, select: { gpuModel: h100 } }]\n"),
    ).toEqual([{ gpuModel: "H100 SXM" }]);
  });

  test.each([
    [
      "a service that is not there",
      `${SERVICES}gpuModels: { h100: { three: H100 } }\nfleets: []\n`,
      "gpuModels.h100.three: expected one of services (one, two), got three",
    ],
    [
      "no service, where there are several",
      `${SERVICES}gpuModels: { h100: H100 }\nfleets: []\n`,
      "gpuModels.h100: says nowhere which service calls it so: write { one: NAME }",
    ],
    [
      "a service, where there is one",
      "gpuModels: { h100: { one: H100 } }\nfleets: []\n",
      "gpuModels.h100: names services, and this file has one, without a name: write its NAME alone",
    ],
    [
      "two aliases of one model",
      "gpuModels: { a: H100, b: H100 }\nfleets: [{ name: f, gpus: 1, select: { gpuModel: [a, b] } }]\n",
      "fleets.0.select.gpuModel: expected each model once: H100 stands there before, by gpuModels",
    ],
    [
      "a model twice in a fleet",
      "fleets: [{ name: f, gpus: 1, select: { gpuModel: [a, a] } }]\n",
      "fleets.0.select.gpuModel.1: expected each model once: a stands there before",
    ],
  ])("%s", (_name, text, says) => expect(said(text)).toContain(says));
});
