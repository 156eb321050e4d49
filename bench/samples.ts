import { rmSync, statSync } from "node:fs";
import { DAY_MS, MINUTE_MS } from "../ledger/instant.ts";
import { type Quoted, SampleSeries } from "../ledger/sample-series.ts";
import { Prng } from "../simulator/prng.ts";
import { type Figure, megabytes } from "./figure.ts";
import { benchLedger } from "./rows.ts";

/*
 * What thirty days of a market take in the ledger: 300 offers, each of which says another price or room 48 times a day. Read each
 * quarter of an hour, as where nothing is missing, or each minute, as where a plan asks all the time.
 */

const [OFFERS, DAYS, CHANGES] = [300, 30, 48];
const LIMIT = 20e6;

async function bytesOf(everyMinutes: number): Promise<number> {
  const { folder, ledger, key } = await benchLedger();
  const random = new Prng("samples");
  const quotes: Quoted[] = Array.from({ length: OFFERS }, (_, index) => ({
    ...{
      offer: `h100-80gb-x${index % 8}`,
      provider: `provider-${index % 13}`,
      location: `eu-north-${index}`,
    },
    ...{ gpus: 8, gpuModel: "NVIDIA-H100-80GB-SXM", price: "19.1200", room: 4 },
  }));
  const readings = (24 * 60) / everyMinutes;
  const share = CHANGES / readings;
  for (let day = 0; day < DAYS; day++) {
    const series = new SampleSeries();
    const begun = (20_000 + day) * DAY_MS;
    const rows = Array.from({ length: readings }, (_, reading) => {
      for (const [index, quote] of quotes.entries()) {
        if (random.next() >= share) continue;
        const isPrice = random.next() < 0.5;
        quotes[index] = isPrice
          ? { ...quote, price: (random.integer(100_000, 300_000) / 1e4).toFixed(4) }
          : { ...quote, room: ((quote.room ?? 0) + random.integer(1, 12)) % 13 };
      }
      const at = begun + reading * everyMinutes * MINUTE_MS;
      return series.next(at, quotes, { whole: reading === 0 }) ?? [];
    });
    await ledger.putSamples(key, rows.flat(), begun, begun + DAY_MS);
  }
  ledger.close();
  const { size } = statSync(ledger.location);
  rmSync(folder, { recursive: true });
  return size;
}

const empty = async (): Promise<number> => {
  const { folder, ledger } = await benchLedger();
  ledger.close();
  const { size } = statSync(ledger.location);
  rmSync(folder, { recursive: true });
  return size;
};

const without = await empty();
const figures: Figure[] = [];
for (const minutes of [15, 1]) {
  const bytes = (await bytesOf(minutes)) - without;
  figures.push({
    what: `a market of ${OFFERS} offers in the ledger for ${DAYS} days, ${CHANGES} changes of each a day, read every ${minutes === 1 ? "minute" : "quarter of an hour"}`,
    measured: megabytes(bytes),
    against: megabytes(LIMIT),
    ratio: bytes / LIMIT,
    toReach: "<= 1",
  });
}
process.stdout.write(JSON.stringify(figures));
