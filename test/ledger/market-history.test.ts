import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../ledger/instant.ts";
import { marketHistory } from "../../ledger/market-history.ts";
import type { Sample } from "../../ledger/sample.ts";
import { type Quoted, SampleSeries, thinned } from "../../ledger/sample-series.ts";

const DAY = 20_000 * DAY_MS;
const OSLO = { offer: "h100-8", provider: "north", location: "oslo", gpus: 8, gpuModel: "H100" };
const ROME = { ...OSLO, location: "rome" };

const at = (offer: typeof OSLO, price: string | null, room: number | null): Quoted => ({
  ...offer,
  price,
  room,
});

/** What is offered at each moment, as the samples of one writer. */
function written(
  ...readings: readonly (readonly [ms: number, quotes: readonly Quoted[], whole?: boolean])[]
): readonly Sample[] {
  const series = new SampleSeries();
  return readings.flatMap(([ms, quotes, whole], index) => {
    const sample = series.next(DAY + ms, quotes, { whole: whole ?? index === 0 });
    return sample ? [sample] : [];
  });
}

const historyOf = (samples: readonly Sample[], from = DAY, to = DAY + DAY_MS) =>
  marketHistory(
    { samples: async (_, since, until) => samples.filter((each) => each.at >= since && each.at < until) },
    "anne",
    from,
    to,
  );

test("an offer's price and room are a sequence of changes, and what did not change is not written", async () => {
  const samples = written(
    [0, [at(OSLO, "16", 3), at(ROME, null, null)]],
    [MINUTE_MS, [at(OSLO, "16", 3), at(ROME, null, null)]],
    [2 * MINUTE_MS, [at(OSLO, "15.5", 3), at(ROME, null, null)]],
    [3 * MINUTE_MS, [at(OSLO, "15.5", 0), at(ROME, "17", 1)]],
  );
  expect(samples.map(({ said }) => said.length)).toEqual([2, 1, 2]);
  const { offers } = await historyOf(samples);
  expect(offers.map(({ location, changes }) => [location, changes])).toEqual([
    [
      "oslo",
      [
        { at: DAY, price: "16", room: 3 },
        { at: DAY + 2 * MINUTE_MS, price: "15.5", room: 3 },
        { at: DAY + 3 * MINUTE_MS, price: "15.5", room: 0 },
      ],
    ],
    [
      "rome",
      [
        { at: DAY, price: null, room: null },
        { at: DAY + 3 * MINUTE_MS, price: "17", room: 1 },
      ],
    ],
  ]);
});

test("an offer that is listed no more has no room, whether the numbers begin anew or not, and may come back", async () => {
  for (const whole of [false, true]) {
    const samples = written(
      [0, [at(OSLO, "16", 3), at(ROME, "17", 1)]],
      [MINUTE_MS, [at(ROME, "17", 1)], whole],
      [2 * MINUTE_MS, [at(ROME, "17", 1), at(OSLO, "16", 2)]],
    );
    const { offers } = await historyOf(samples);
    expect(offers.map(({ changes }) => changes.map(({ price, room }) => [price, room]))).toEqual([
      [
        ["16", 3],
        [null, 0],
        ["16", 2],
      ],
      [["17", 1]],
    ]);
  }
});

test("what was so at the begin of the time that is asked for is the first change, and is no older than that", async () => {
  const samples = written(
    [0, [at(OSLO, "16", 3)]],
    [HOUR_MS, [at(OSLO, "15", 3)]],
    [3 * HOUR_MS, [at(OSLO, "14", 3)]],
  );
  const { offers } = await historyOf(samples, DAY + 2 * HOUR_MS);
  expect(offers[0]?.changes).toEqual([
    { at: DAY + 2 * HOUR_MS, price: "15", room: 3 },
    { at: DAY + 3 * HOUR_MS, price: "14", room: 3 },
  ]);
});

test("when nobody looked is known: the times between are not filled in", async () => {
  const samples = [0, 10, 90].map((minutes, index) => ({
    ...{ at: DAY + minutes * MINUTE_MS, until: DAY + (minutes + 5) * MINUTE_MS, said: [] },
    ...(index === 0 && { whole: true as const }),
  }));
  const { looked } = await historyOf(samples);
  expect(looked).toEqual([
    [DAY, DAY + 15 * MINUTE_MS],
    [DAY + 90 * MINUTE_MS, DAY + 95 * MINUTE_MS],
  ]);
});

test("thinned to hours, each has what was so at its end, and no refusal is lost", async () => {
  const series = new SampleSeries();
  const samples = Array.from({ length: 48 }, (_, half) => {
    const refused = half === 3 || half === 2 ? [{ offer: ROME, seconds: 60 }] : [];
    const sample = series.next(DAY + (half * HOUR_MS) / 2, [at(OSLO, String(100 + half), 1)], {
      whole: half === 0 || half === 20,
      refused,
    });
    return { ...(sample as Sample), until: DAY + ((half + 1) * HOUR_MS) / 2 };
  });
  const few = thinned(samples);
  expect(few).toHaveLength(24);
  const { offers, looked } = await historyOf(few);
  expect(offers.find(({ location }) => location === "oslo")?.changes).toEqual(
    Array.from({ length: 24 }, (_, hour) => ({
      at: DAY + hour * HOUR_MS,
      price: String(101 + 2 * hour),
      room: 1,
    })),
  );
  expect(offers.find(({ location }) => location === "rome")?.refused).toHaveLength(2);
  expect(looked).toEqual([[DAY, DAY + DAY_MS]]);
  expect(thinned(few)).toEqual(few);
});
