import type { MarketEvent, Tape } from "../../agent/whatif/tape.ts";
import { DAY_MS, HOUR_MS } from "../../ledger/instant.ts";
import { Prng } from "../../simulator/prng.ts";

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
