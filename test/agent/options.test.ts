import { describe, expect, test } from "vitest";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { parseWish, wishSchema } from "../../agent/fleet/wish/wish.ts";
import { allowed, choose, fitting, nothingFits } from "../../agent/planning/choices/options.ts";
import { launchWish } from "../../agent/reconcile/launch-fleet.ts";
import { launchHolds } from "../../launch/admit/holds.ts";
import { holdText } from "../../launch/facts/hold.ts";
import type { Offer } from "../../service/contract/service.ts";
import { FLEET, LaunchBench } from "../launch/bench.ts";
import { EIGHT, EIGHT_IN_ROME, OSLO, ROME } from "./on-bench.ts";

const OFFERS: readonly Offer[] = [
  { ...ROME, gpus: 8, gpuModel: "H100", pricePerHour: "15.60", available: true },
  { ...OSLO, gpus: 8, gpuModel: "H100", pricePerHour: "16.00", available: true },
  { ...OSLO, offer: "h100-1", gpus: 1, gpuModel: "H100", pricePerHour: "1.90", available: false },
  { ...OSLO, offer: "a100-4", gpus: 4, gpuModel: "A100", pricePerHour: "5.00" },
  { ...OSLO, offer: "cpu", gpus: 0, pricePerHour: "0.10" },
];

function select(limits: NonNullable<WishInput["select"]>) {
  return wishSchema.parse({ gpus: 8, select: limits });
}

function names(wish: ReturnType<typeof select>): readonly string[] {
  return allowed(wish, OFFERS).map(({ offer, provider }) => `${offer} ${provider}`);
}

describe("a selector", () => {
  test("takes what has GPUs and is not said to be unavailable, the cheapest GPU first", () => {
    expect(names(select({}))).toEqual(["a100-4 north", "h100-8 south", "h100-8 north"]);
  });

  test.each([
    [{ gpuModel: "A100" }, ["a100-4 north"]],
    [{ providers: ["south"] }, ["h100-8 south"]],
    [{ locations: ["rome", "kiel"] }, ["h100-8 south"]],
    [{ maxPricePerGpuHour: "2.00" }, ["a100-4 north", "h100-8 south", "h100-8 north"]],
    [{ maxPricePerGpuHour: "1.9999" }, ["a100-4 north", "h100-8 south"]],
  ] as const)("keeps to its limits: %o", (limits, found) => {
    expect(names(select(structuredClone(limits) as NonNullable<WishInput["select"]>))).toEqual(found);
  });

  test("takes a GPU model whose name differs by white space alone", () => {
    const spaced = OFFERS.map((offer) => ({ ...offer, gpuModel: ` NVIDIA\u00a0 ${offer.gpuModel} ` }));
    const found = (gpuModel: string) => fitting(select({ gpuModel }), spaced).map(({ offer }) => offer);
    expect(found("NVIDIA A100")).toEqual(["a100-4"]);
    expect(found("NVIDIAA100")).toEqual([]);
  });

  test("shows white space that makes a provider or a location another one", () => {
    const spaced = OFFERS.map((offer) => ({ ...offer, provider: "north ", location: "fi\u00a0hel" }));
    const wish = select({ providers: ["north"], locations: ["fi hel"] });
    expect(nothingFits(wish, spaced, {})).toBe(
      `none of the service's 5 offers fits providers north (there are "north ") and locations fi hel (there are "fi\\u00a0hel")`,
    );
  });

  test("with a ceiling takes no offer whose price is not shown", () => {
    const [first] = OFFERS;
    const { pricePerHour, ...priceless } = first as Offer;
    expect(allowed(select({ maxPricePerGpuHour: "99" }), [priceless])).toEqual([]);
  });

  test("takes what shows a price of 0 last, as one whose price is not known", () => {
    const free = OFFERS.map((offer) =>
      offer.offer === "h100-8" ? { ...offer, pricePerHour: "0.00004" } : offer,
    );
    const wish = select({});
    expect(allowed(wish, free).map(({ offer, pricePerHour }) => [offer, pricePerHour?.toFixed()])).toEqual([
      ["a100-4", "5"],
      ["h100-8", undefined],
      ["h100-8", undefined],
    ]);
  });

  test("recognizes machines of an offer that is used up, maybe by themselves", () => {
    expect(fitting(select({ gpuModel: "H100" }), OFFERS).map(({ offer }) => offer)).toContain("h100-1");
  });

  test("says what there is where nothing fits", () => {
    const bench = new LaunchBench();
    const { unfit } = choose(bench.draft, FLEET, select({ gpuModel: "h100" }), OFFERS, bench.context);
    expect(unfit.map((each) => holdText(each))).toEqual([
      "none of the service's 5 offers fits gpuModel h100 (there are H100, A100)",
    ]);
  });
});

describe("a combination in which another owner's launch is open", () => {
  const wish = parseWish({ gpus: 8, candidates: [EIGHT, EIGHT_IN_ROME] });

  function beside(sender: "waits for the answer" | "is dead"): LaunchBench {
    const shownBack = [
      "offer=h100-8",
      ...["provider=north", "location=oslo", "provider=south", "location=rome"],
    ];
    const bench = new LaunchBench({ combination: true, shownBack });
    bench.launch({ ...OSLO, owner: "slot:another0000000000" }, 7);
    if (sender === "is dead") bench.dead.add(7);
    return bench;
  }

  test("is waited for while it is on its way: a dearer one would be paid for every hour", () => {
    const bench = beside("waits for the answer");
    const { ready, waiting } = choose(bench.draft, FLEET, wish, undefined, bench.context);
    expect([ready, waiting]).toMatchObject([[OSLO, ROME], []]);
  });

  test("is left to that launch while it is looked for, which takes minutes", () => {
    const bench = beside("is dead");
    const { ready, waiting } = choose(bench.draft, FLEET, wish, undefined, bench.context);
    expect([ready, waiting]).toMatchObject([[ROME], [{ option: OSLO }]]);
  });
});

describe("a place that lost a machine", () => {
  const wish = parseWish({ gpus: 8, candidates: [EIGHT, EIGHT_IN_ROME] });
  const choice = (bench: LaunchBench) => choose(bench.draft, FLEET, wish, undefined, bench.context);

  function lost(how: "interrupted" | "failed"): LaunchBench {
    const bench = new LaunchBench({ combination: true });
    bench.machine("m1", OSLO, { ...OSLO });
    bench.show("m1", { status: how });
    bench.advance(1);
    bench.list();
    return bench;
  }

  test("is avoided for five minutes, and not a second longer", () => {
    const bench = lost("interrupted");
    expect(choice(bench).avoided).toMatchObject([OSLO]);
    expect(choice(bench).ready).toMatchObject([ROME]);
    bench.advance(5 * 60_000 - 1);
    expect(choice(bench).avoided).toMatchObject([OSLO]);
    bench.advance(1);
    expect(choice(bench).ready).toMatchObject([OSLO, ROME]);
  });

  test("is known by the launch where the service shows no place", () => {
    const bench = new LaunchBench();
    bench.machine("m1", OSLO);
    bench.show("m1", { status: "interrupted" });
    bench.advance(1);
    bench.list();
    expect(choice(bench).avoided).toMatchObject([OSLO]);
  });

  test("lost none where a launch failed: that combination waits instead", () => {
    const bench = lost("failed");
    expect(choice(bench).avoided).toEqual([]);
    expect(choice(bench).waiting).toMatchObject([{ option: OSLO, hold: { until: bench.now.wall + 30_000 } }]);
  });
});

describe("a launch that sends more of an offer than its combination", () => {
  const sent = (): LaunchBench => {
    const bench = new LaunchBench({ combination: true });
    const { abilities } = bench.wire;
    bench.wire = { ...bench.wire, abilities: { ...abilities, extra: ["cloud"] } };
    return bench;
  };
  const wish = parseWish({ gpus: 8, candidates: [EIGHT, EIGHT_IN_ROME] });
  const listed: readonly Offer[] = [
    { ...OSLO, gpus: 8, extra: { cloud: "c" } },
    { ...ROME, gpus: 8 },
  ];

  test("takes it from the offer of a candidate, and says what a candidate lacks", () => {
    const bench = sent();
    const { ready, blocks } = choose(bench.draft, FLEET, wish, listed, bench.context);
    expect(ready).toMatchObject([{ ...OSLO, extra: { cloud: "c" } }]);
    expect(blocks.map(({ hold }) => holdText(hold))).toEqual([
      expect.stringMatching(
        /^h100-8 .*south.* stands in no offer .* \(offers\.fields\.extra\.cloud\): correct its offer/,
      ),
    ]);
    expect(launchWish("f", wish, ready[0] as (typeof ready)[number]).extra).toEqual({ cloud: "c" });
  });

  test("is not written down without it, whoever asks", () => {
    const launch = { ...launchWish("f", wish, { ...OSLO, gpus: 8, pricePerHour: undefined }), id: "i" };
    const kinds = (bench: LaunchBench) =>
      launchHolds(bench.draft, launch, bench.context, "admit").map(({ kind }) => kind);
    expect(kinds(sent())).toContain("lacking");
    expect(kinds(new LaunchBench({ combination: true }))).not.toContain("lacking");
  });
});
