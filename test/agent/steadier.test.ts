import { describe, expect, test } from "vitest";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import { plan } from "../../agent/planning/plan.ts";
import type { Draft } from "../../ledger/draft.ts";
import { DAY_MS } from "../../ledger/instant.ts";
import type { Stay } from "../../ledger/rows.ts";
import type { Offer } from "../../service/contract/service.ts";
import { EIGHT, EIGHT_IN_ROME, fleetBench, launchesOf, NO_OFFERS } from "./on-bench.ts";

const WISH: WishInput = { gpus: 16, select: {} };
/** Rome costs 12.5% more. */
const OFFERS: readonly Offer[] = [EIGHT, EIGHT_IN_ROME];
/** The clock of the bench. */
const NOW = 1_700_000_000_000;

interface Past {
  readonly machines: number;
  readonly lost: number;
}

/** So many machines that were in a place for a day each, the first of which were lost. */
function remember(draft: Draft, { offer, provider, location }: Offer, { machines, lost }: Past): void {
  const until = NOW - DAY_MS;
  for (let number = 0; number < machines; number++) {
    const end: Stay["end"] = number < lost ? "lost" : "stopped";
    const stay: Stay = { offer, provider, location, from: until - DAY_MS, until, end };
    draft.archive.add(`${location}-${number}`, { owner: "fleet:old", record: null, spent: {}, stay });
  }
}

const RESTLESS: Past = { machines: 20, lost: 12 };
const STEADY: Past = { machines: 20, lost: 1 };

/** What a fleet with this wish would do, given what became of machines in Oslo and in Rome. */
function planned(
  wish: Partial<WishInput>,
  { oslo, rome }: { readonly oslo?: Past; readonly rome?: Past },
  { offers = OFFERS, later = 0, running = 0 } = {},
) {
  const on = fleetBench({ ...WISH, ...wish });
  for (let number = 0; number < running; number++)
    on.machine(`m${number}`, EIGHT, { ...EIGHT, status: "running" });
  const { draft, context } = on;
  if (oslo) remember(draft, EIGHT, oslo);
  if (rome) remember(draft, EIGHT_IN_ROME, rome);
  const now = { ...context.now, mono: context.now.mono + later, wall: context.now.wall + later };
  const [found] = plan(draft, { ...NO_OFFERS, offers }, { ...context, now });
  if (!found) throw new Error("no plan");
  return found;
}

describe("a fleet that pays more for fewer losses", () => {
  test("takes the steadier combination while it costs at most so much more, and says why", () => {
    for (const [steadier, first] of [
      [undefined, "h100-8 north"],
      ["0%", "h100-8 north"],
      ["12%", "h100-8 north"],
      ["12.5%", "h100-8 south"],
      ["20%", "h100-8 south"],
    ] as const) {
      const plan = planned(steadier === undefined ? {} : { steadier }, { oslo: RESTLESS, rome: STEADY });
      expect([steadier, ...launchesOf(plan)]).toEqual([steadier, first, first]);
    }
    expect(planned({ steadier: "20%" }, { oslo: RESTLESS, rome: STEADY }).launches[0]?.why).toMatch(
      /; each of its machines is lost 0\.0\d to 0\.1\d times a day, and of the cheapest 0\.4\d to 0\.8\d times$/,
    );
  });

  test.each<[string, Parameters<typeof planned>[1]]>([
    ["nothing is known", {}],
    ["nothing is known of the other one", { oslo: RESTLESS }],
    ["nothing is known of the cheapest", { rome: STEADY }],
    ["too little is known to be sure", { oslo: { machines: 2, lost: 1 }, rome: { machines: 1, lost: 0 } }],
    ["both lose alike", { oslo: RESTLESS, rome: { machines: 20, lost: 11 } }],
    ["the other one loses more", { oslo: RESTLESS, rome: { machines: 20, lost: 20 } }],
  ])("has the very plan that it has without the setting where %s", (_, past) => {
    const plan = planned({ steadier: "20%" }, past);
    expect(JSON.stringify(plan)).toBe(JSON.stringify(planned({}, past)));
    expect(launchesOf(plan)).toEqual(["h100-8 north", "h100-8 north"]);
  });

  test("takes of the others what the steadier one does not have, the cheapest first, and says nothing wrong of it", () => {
    const east = { ...EIGHT, provider: "east", pricePerHour: "17.0000" };
    const { launches } = planned(
      { steadier: "20%" },
      { oslo: RESTLESS, rome: STEADY },
      { offers: [east, EIGHT, { ...EIGHT_IN_ROME, stock: 1 }] },
    );
    expect(launches.map(({ option }) => [option.provider, option.avoided]).sort()).toEqual([
      ["north", undefined],
      ["south", undefined],
    ]);
    expect(launches.find(({ option }) => option.provider === "north")?.why).not.toMatch(/just lost|it lost/);
  });

  test("prefers nothing that costs more than the share, also where the cheapest one has too little room", () => {
    const east = { ...EIGHT, provider: "east", pricePerHour: "17.0000" };
    const offers = [{ ...EIGHT, stock: 1 }, east, EIGHT_IN_ROME];
    const plan = planned({ steadier: "10%" }, { oslo: RESTLESS, rome: STEADY }, { offers });
    expect([...launchesOf(plan)].sort()).toEqual(["h100-8 east", "h100-8 north"]);
  });

  test("compares nothing where a price is not known", () => {
    const { pricePerHour: _, ...unpriced } = { ...EIGHT, provider: "east" };
    const past = { oslo: RESTLESS, rome: STEADY };
    const offers = [...OFFERS, unpriced];
    const plan = planned({ steadier: "20%" }, past, { offers });
    expect(JSON.stringify(plan)).toBe(JSON.stringify(planned({}, past, { offers })));
  });

  test("forgets what was lost more than thirty days ago", () => {
    const past = { oslo: RESTLESS, rome: STEADY };
    const first = (later: number): string | undefined =>
      launchesOf(planned({ steadier: "20%" }, past, { later }))[0];
    expect([first(0), first(27 * DAY_MS), first(32 * DAY_MS)]).toEqual([
      "h100-8 south",
      "h100-8 south",
      "h100-8 north",
    ]);
  });

  test("moves nothing that runs, whatever else the fleet may move", () => {
    const past = { oslo: RESTLESS, rome: STEADY };
    for (const wish of [{ steadier: "20%" }, { steadier: "20%", improve: { saves: "5%" } }])
      expect(planned(wish, past, { running: 2 })).toMatchObject({ launches: [], stops: [] });
  });
});
