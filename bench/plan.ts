import { rmSync } from "node:fs";
import { declareFleet } from "../agent/fleet/declare/fleets.ts";
import { type WishInput, wishSchema } from "../agent/fleet/wish/wish.ts";
import { plansOf } from "../agent/planning/plan.ts";
import type { PlanningInputs } from "../agent/planning/told/fleet-plan.ts";
import { admit } from "../launch/admit/admit.ts";
import { storeObservation } from "../launch/machine/store-observation.ts";
import { storeAnswer } from "../launch/resolve/answer.ts";
import type { Draft } from "../ledger/draft.ts";
import { HOUR_MS } from "../ledger/instant.ts";
import { fleetOwner } from "../ledger/owner.ts";
import type { Offer } from "../service/contract/service.ts";
import { Prng } from "../simulator/prng.ts";
import { offerOf } from "./drawn-offer.ts";
import { cpuSince, type Figure, ms } from "./figure.ts";
import { benchLedger, contextOf, fill, intentOf } from "./rows.ts";

/*
 * A plan of 512 GPUs among 300 offers, of fleets that say all that a fleet can say. Nothing is remembered from the plan before: the
 * offers are other ones each time, as where prices move.
 */

const [GPUS, OFFERS, WARM, ROUNDS] = [512, 300, 20, 40];
/** In ms of CPU. */
const LIMIT = 20;

const WISH: WishInput = {
  gpus: 0,
  select: { gpuModel: "H100", maxPricePerGpuHour: "2.80", patience: { for: "10m", maxPricePerGpuHour: "3" } },
  ...{ overshoot: 4, surge: 64, avoid: "10%", steadier: "5%", maxAge: "7d", otherSizes: { after: "20m" } },
  improve: {
    saves: "5%",
    within: {
      timeZone: "Europe/Berlin",
      entries: [
        { from: "00:00", to: "12:00" },
        { from: "12:00", to: "00:00" },
      ],
    },
  },
  update: { when: "paidEnd", most: 4 },
  budget: { perHour: "10000", perDay: "100000", total: "10000000", churn: "100000" },
};

const LESS_ON_WEDNESDAYS = {
  timeZone: "Europe/Berlin",
  entries: [{ from: "Wed 12:00", to: "Wed 20:00", gpus: 8 }],
};

/** What runs of the GPUs, in shares of them, and the room that offers have. */
interface Case {
  readonly what: string;
  readonly fleets: number;
  readonly runs: number;
  readonly room: number;
}

const CASES: readonly Case[] = [
  { what: "one fleet, all run, and cheaper ones are looked for", fleets: 1, runs: 1, room: 12 },
  { what: "one fleet, none runs", fleets: 1, runs: 0, room: 12 },
  { what: "one fleet, none runs, and there are not so many", fleets: 1, runs: 0, room: 1 },
  { what: "four fleets, all run, and cheaper ones are looked for", fleets: 4, runs: 1, room: 12 },
  { what: "four fleets, none runs", fleets: 4, runs: 0, room: 12 },
];

function offersOf(seed: string, room: number): readonly Offer[] {
  const random = new Prng(seed);
  return Array.from({ length: OFFERS }, (_, index) => {
    const {
      offer,
      provider,
      location,
      gpus,
      pricePerHour,
      stock = 0,
    } = offerOf(random, index, random.pick([1, 2, 4, 8]));
    return {
      ...{ offer, provider, location, gpus, gpuModel: "H100" },
      pricePerHour: pricePerHour?.toFixed(2) ?? "1",
      stock: Math.min(stock, room),
    };
  });
}

/** Machines of some offers for so many GPUs, half of which have parameters of an older wish. */
function launchAll(draft: Draft, name: string, gpus: number, offers: readonly Offer[], ledger: string): void {
  const random = new Prng(`machines ${name}`);
  for (let [left, number] = [gpus, 0]; left > 0; number++) {
    const offer = random.pick(offers.filter((each) => each.gpus <= left));
    left -= offer.gpus;
    const id = intentOf(name, number);
    const wish = {
      ...{ offer: offer.offer, provider: offer.provider, location: offer.location, gpus: offer.gpus },
      ...{ pricePerHour: offer.pricePerHour ?? null, limits: {}, rules: [], owner: fleetOwner(name) },
      parameters: { image: number % 2 === 0 ? "new" : "old" },
    };
    const context = contextOf(ledger);
    const admission = admit(draft, wish, context, {
      id,
      ledger,
      sender: { boot: "bench", pid: 1, started: "1" },
    });
    if ("refused" in admission) throw new Error(JSON.stringify(admission.refused));
    storeAnswer(draft, id, { kind: "accepted", id: `machine-${id}`, deployment: {} }, context);
    const shown = { ...offer, id: `machine-${id}`, status: "running" };
    storeObservation(draft, shown, { by: "list", asked: contextOf(ledger).now }, contextOf(ledger));
  }
}

async function measured({ fleets, runs, room }: Omit<Case, "what">): Promise<number> {
  const { folder, ledger, key } = await benchLedger();
  const later = (hours: number) => {
    const context = contextOf(ledger.id);
    const [wall, mono] = [context.now.wall + hours * HOUR_MS, context.now.mono + hours * HOUR_MS];
    return { ...context, now: { ...context.now, wall, mono } };
  };
  await ledger.decide(key, (draft) => {
    fill(draft, 200, contextOf(ledger.id));
    for (let number = 0; number < fleets; number++) {
      const name = `fleet${number}`;
      const gpus = GPUS / fleets;
      const schedule = { ...LESS_ON_WEDNESDAYS, min: 0, max: gpus, at: gpus };
      const wish = wishSchema.parse({ ...WISH, gpus, schedule, parameters: { image: "new" } });
      declareFleet(draft, { name, source: "bench", wish }, contextOf(ledger.id));
      const fleet = draft.fleets.get(name);
      if (fleet) draft.putFleet({ ...fleet, born: true });
      launchAll(draft, name, gpus * runs, offersOf("bench plan", 12), ledger.id);
    }
  });
  const took: number[] = [];
  for (let round = -WARM; round < ROUNDS; round++) {
    const offers = offersOf(`bench plan ${round}`, room);
    const inputs: PlanningInputs = { can: { launch: true, stop: true, offers: true }, offers };
    const begun = process.cpuUsage();
    await ledger.decide(key, (draft) => {
      const context = later(5.9);
      draft.putAccount({ ...draft.account, list: context.now, watched: context.now });
      return plansOf(draft, inputs, true, context);
    });
    if (round >= 0) took.push(cpuSince(begun));
  }
  ledger.close();
  rmSync(folder, { recursive: true });
  took.sort((one, other) => one - other);
  return took[Math.floor(ROUNDS / 2)] ?? Number.NaN;
}

const figures: Figure[] = [];
for (const each of CASES) {
  const took = await measured(each);
  figures.push({
    what: `a plan of ${GPUS} GPUs with all that a wish can say, ${OFFERS} offers: ${each.what}`,
    measured: ms(took),
    against: ms(LIMIT),
    ratio: took / LIMIT,
    toReach: "<= 1",
  });
}
process.stdout.write(JSON.stringify(figures));
