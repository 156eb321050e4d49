import { readFileSync } from "node:fs";
import { z } from "zod";
import { catalogueOfferSchema } from "../../simulator/catalogue.ts";
import { Prng } from "../../simulator/prng.ts";

/*
 * A market in time: what each offer costs, how many machines of it there is room for, and when machines are lost. A tape is
 * data of its own: `npm run bench -- market --market FILE` plays one, and else markets are drawn.
 */

const ms = z.number().nonnegative();
const index = z.int().nonnegative();

const tapeSchema = z.object({
  name: z.string().optional(),
  days: z.number().positive(),
  offers: z.array(catalogueOfferSchema.omit({ pricePerHour: true, capacity: true })).nonempty(),
  /** By offer: USD an hour of one machine, and room in machines. */
  start: z.array(z.tuple([z.number().positive(), index])),
  /** In order. */
  events: z.array(
    z.union([
      /** A price, in USD an hour. */
      z.tuple([ms, z.literal("p"), index, z.number().positive()]),
      /** Room, in machines. */
      z.tuple([ms, z.literal("c"), index, index]),
      /** This share of the machines is lost. */
      z.tuple([ms, z.literal("x"), index, z.number().min(0).max(1)]),
      /** No more than so many machines live from now on: the others are lost. */
      z.tuple([ms, z.literal("s"), index, index]),
    ]),
  ),
  /** Whether those who hold a machine pay the price of the moment, as for spot, or the one of its launch. */
  floats: z.boolean().default(false),
});
export type Tape = z.output<typeof tapeSchema>;
export type MarketEvent = Tape["events"][number];

export function readTape(path: string): Tape {
  const tape = tapeSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  return { ...tape, name: tape.name ?? path.replace(/.*\//, "") };
}

/** The first days of a tape. */
export function firstDays(tape: Tape, days: number): Tape {
  const most = Math.min(tape.days, days);
  return { ...tape, days: most, events: tape.events.filter(([at]) => at < most * DAY_MS) };
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/**
 * A drawn market: three providers with three locations each, and machines of 1, 2, 4 and 8 GPUs. Each price begins within 25% of
 * 2.00 USD a GPU-hour and moves every six hours by up to 10%, back towards where it began. Room is 0 to 4 machines, drawn anew every
 * three hours, and machines outlive its fall. Every four days on average a location loses half of its machines.
 */
export function drawnMarket(seed: number, days: number): Tape {
  const random = new Prng(`market ${seed}`);
  const places = ["north", "south", "east"].flatMap((provider) =>
    ["a", "b", "c"].map((location) => ({ provider, location: `${provider}-${location}` })),
  );
  const offers = places.flatMap((place) =>
    [1, 2, 4, 8].map((gpus) => ({ offer: `h100-x${gpus}`, ...place, gpus, gpuModel: "H100" })),
  );
  const cents = (usd: number): number => Math.round(usd * 100) / 100;
  const bases = offers.map(({ gpus }) => gpus * (1.5 + random.next()));
  const start = bases.map((base): [number, number] => [cents(base), random.integer(0, 4)]);
  const events: MarketEvent[] = [];
  for (const [offer, base] of bases.entries()) {
    const own = random.fork(`offer ${offer}`);
    let price = base;
    for (let at = own.integer(0, 6 * HOUR_MS); at < days * DAY_MS; at += 6 * HOUR_MS) {
      price = price * (0.9 + own.next() / 5) + (base - price) / 10;
      events.push([at, "p", offer, cents(price)]);
    }
    for (let at = own.integer(0, 3 * HOUR_MS); at < days * DAY_MS; at += 3 * HOUR_MS)
      events.push([at, "c", offer, own.integer(0, 4)]);
  }
  for (const [place] of places.entries()) {
    const own = random.fork(`place ${place}`);
    for (let at = own.exponential(4 * DAY_MS); at < days * DAY_MS; at += own.exponential(4 * DAY_MS))
      for (let size = 0; size < 4; size++) events.push([Math.round(at), "x", 4 * place + size, 0.5]);
  }
  events.sort(([one], [other]) => one - other);
  return {
    name: `drawn, seed ${seed}`,
    days,
    offers: offers as Tape["offers"],
    start,
    events,
    floats: false,
  };
}
