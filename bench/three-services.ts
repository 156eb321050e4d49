import Big from "big.js";
import { NOTHING } from "../agent/fleet/phase/part.ts";
import { cheapestMix, mixesUpTo, type Option } from "../agent/planning/mix/mix.ts";
import { chooseParts, type Whole } from "../agent/planning/parts/choose-parts.ts";
import { costsOf } from "../agent/planning/parts/offered.ts";
import type { PartFacts } from "../agent/planning/parts/part-facts.ts";
import { Prng } from "../simulator/prng.ts";
import { offerOf } from "./drawn-offer.ts";
import { type Figure, inTurn, ms } from "./figure.ts";

/*
 * One fleet over three services. First what it takes to choose among many offers. Then a month, hour by hour, of the agent's own
 * choosers: machines stay until their market takes them back, and what is missing is launched where it is cheapest over all. An hour
 * costs what its offer costs then. The rival knows all prices, and moves all machines each hour for nothing.
 */

const NAMES = ["a", "b", "c"];

function partOf(name: string, options: readonly Option[], gpus: number, held = 0): PartFacts {
  const costs = mixesUpTo(options, { gpus }).map(costsOf);
  const sizes = [...new Set(options.map((option) => option.gpus))];
  return {
    name,
    portion: { ...NOTHING, gpus: held },
    held: { gpus: held, money: undefined },
    offered: { at: 0, costs, sizes },
    ...{
      isLeaving: false,
      isRemoved: false,
      isPatient: false,
      ahead: 0,
      stopping: 0,
      serves: held,
      goes: [],
    },
  };
}

function wholeOf(gpus: number): Whole {
  return { amount: { ...NOTHING, gpus }, limits: [], atLeast: 1, together: false, isEnding: false, fell: 0 };
}

const sumOf = (options: readonly Option[]): number =>
  options.reduce((sum, { pricePerHour }) => sum + Number(pricePerHour), 0);
const gpusOf = (options: readonly Option[]): number => options.reduce((sum, { gpus }) => sum + gpus, 0);

/** CPU of one agent: its own offers, and the choice over what all have said; beside the union solved as one. */
async function manyOffers(): Promise<Figure> {
  const [gpus, offers, rounds] = [512, 300, 40];
  const markets = NAMES.map((name) => {
    const random = new Prng(`bench three services ${name}`);
    return Array.from({ length: offers }, (_, index) => offerOf(random, index, random.pick([1, 2, 4, 8])));
  });
  const parts = markets.map((options, index) => partOf(`f@${index}`, options, gpus));
  const choose = () => {
    partOf("own", markets[0] ?? [], gpus);
    return chooseParts(wholeOf(gpus), parts).extra;
  };
  const whole = () => cheapestMix(markets.flat(), { gpus, slack: 0 }) ?? [];
  const cost = [...choose()].reduce(
    (sum, [name, extra]) =>
      sum + Number(parts.find((part) => part.name === name)?.offered?.costs[extra - 1]?.[1]),
    0,
  );
  if (Math.abs(cost - sumOf(whole())) > 1e-6) throw new Error(`${cost} is not ${sumOf(whole())}`);
  await inTurn(rounds, choose, whole);
  const [ours] = await inTurn(rounds, choose, whole);
  return {
    what: `a plan of ${gpus} GPUs over three services of ${offers} offers, CPU of one agent, at the cost of the union`,
    measured: ms(ours / rounds),
    against: ms(20),
    ratio: ours / rounds / 20,
    toReach: "<= 1",
  };
}

/** Prices and room of one market for each hour of the month. Both wander, and now and then there is no room for hours. */
function month(seed: string): readonly (readonly Option[])[] {
  const random = new Prng(seed);
  const offers = Array.from({ length: 4 }, (_, index) => offerOf(random, index, random.pick([1, 4, 8, 8])));
  let now = offers.map((offer) => ({
    price: Number(offer.pricePerHour),
    room: random.integer(0, 5),
    out: 0,
  }));
  return Array.from({ length: 30 * 24 }, () => {
    now = now.map(({ price, room, out }, index) => {
      const usual = Number(offers[index]?.pricePerHour);
      const step = price * (1 + (random.next() - 0.5) / 10);
      return {
        price: Math.min(usual * 1.5, Math.max(usual / 1.5, step)),
        room: Math.min(6, Math.max(0, room + (random.next() < 0.2 ? random.pick([-1, 1]) : 0))),
        out: out > 0 ? out - 1 : random.next() < 0.005 ? random.integer(1, 24) : 0,
      };
    });
    return offers.map((offer, index) => {
      const { price = 0, room = 0, out = 0 } = now[index] ?? {};
      return { ...offer, pricePerHour: new Big(price.toFixed(4)), stock: out > 0 ? 0 : room };
    });
  });
}

interface Had {
  readonly usd: number;
  readonly gpuHours: number;
}

/** What the agents have of these markets, hour by hour. */
function kept(markets: readonly (readonly (readonly Option[])[])[], gpus: number): Had {
  let [usd, gpuHours] = [0, 0];
  const machines = markets.map(() => [] as number[]);
  for (let hour = 0; hour < 30 * 24; hour++) {
    const offers = markets.map((market) => market[hour] ?? []);
    for (const [index, mine] of machines.entries())
      for (const [item, { stock = 0 }] of (offers[index] ?? []).entries())
        mine[item] = Math.min(mine[item] ?? 0, stock);
    const held = machines.map((mine, index) =>
      mine.reduce((sum, count, item) => sum + count * (offers[index]?.[item]?.gpus ?? 0), 0),
    );
    const missing = gpus - held.reduce((sum, each) => sum + each, 0);
    const rooms = offers.map((options, index) =>
      options.map((option, item) => ({
        ...option,
        stock: (option.stock ?? 0) - (machines[index]?.[item] ?? 0),
      })),
    );
    const parts = rooms.map((options, index) => partOf(String(index), options, missing, held[index]));
    for (const [name, extra] of missing > 0 ? chooseParts(wholeOf(gpus), parts).extra : [])
      for (const { offer } of cheapestMix(rooms[Number(name)] ?? [], { gpus: extra, slack: 0 }) ?? []) {
        const mine = machines[Number(name)] ?? [];
        const item = Number(offer.slice(1));
        mine[item] = (mine[item] ?? 0) + 1;
      }
    for (const [index, mine] of machines.entries())
      for (const [item, count] of mine.entries()) {
        const offer = offers[index]?.[item];
        usd += count * Number(offer?.pricePerHour);
        gpuHours += count * (offer?.gpus ?? 0);
      }
  }
  return { usd, gpuHours };
}

/** Each hour as many GPUs as there are, up to the count, at the least money. */
function optimum(markets: readonly (readonly (readonly Option[])[])[], gpus: number): Had {
  let [usd, gpuHours] = [0, 0];
  for (let hour = 0; hour < 30 * 24; hour++) {
    const union = markets.flatMap((market) => market[hour] ?? []);
    const mix = mixesUpTo(union, { gpus }).at(-1) ?? [];
    usd += sumOf(mix);
    gpuHours += gpusOf(mix);
  }
  return { usd, gpuHours };
}

function aMonth(): readonly Figure[] {
  const [gpus, seeds] = [64, [1, 2, 3, 4, 5, 6]];
  const wanted = gpus * 30 * 24 * seeds.length;
  const add = (one: Had, other: Had): Had => ({
    usd: one.usd + other.usd,
    gpuHours: one.gpuHours + other.gpuHours,
  });
  const none: Had = { usd: 0, gpuHours: 0 };
  let [all, single, best] = [none, none, none];
  for (const seed of seeds) {
    const markets = NAMES.map((name) => month(`bench month ${seed} ${name}`));
    all = add(all, kept(markets, gpus));
    best = add(best, optimum(markets, gpus));
    const alone = markets.map((market) => kept([market], gpus));
    const [most] = alone.sort((one, other) => other.gpuHours - one.gpuHours || one.usd - other.usd);
    single = add(single, most ?? none);
  }
  const rate = ({ usd, gpuHours }: Had): number => usd / gpuHours;
  const share = ({ gpuHours }: Had): string => `${((100 * gpuHours) / wanted).toFixed(1)}% of the hours had`;
  const shown = (had: Had): string => `${rate(had).toFixed(3)} USD a GPU hour, ${share(had)}`;
  return [
    ["over three services", all],
    ["in the one of them alone that has most", single],
  ].map(([where, had]) => ({
    what: `${gpus} GPUs for a month of seeds ${seeds[0]} to ${seeds.at(-1)} ${where}, USD of a GPU hour`,
    measured: shown(had as Had),
    against: `all prices known, and moved for nothing: ${shown(best)}`,
    ratio: rate(had as Had) / rate(best),
    toReach: "-",
  }));
}

process.stdout.write(JSON.stringify([...aMonth(), await manyOffers()]));
