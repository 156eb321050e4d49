import { expect, test } from "vitest";
import { parseUsd, type Usd } from "../../service/contract/money.ts";
import { costOf, newBill } from "../../simulator/bill.ts";
import { DEFAULT_OFFERS } from "../../simulator/index.ts";
import { Prng } from "../../simulator/prng.ts";
import { put } from "../../simulator/speak/pointer.ts";
import { parseSent, readBackwards } from "../../simulator/speak/template.ts";
import { Timeline } from "../../simulator/timeline.ts";

test("a timeline gives what is due by time, then by the order of planning", () => {
  const random = new Prng("timeline");
  const timeline = new Timeline<number>();
  const planned = Array.from({ length: 500 }, (_, order) => ({ at: random.integer(0, 50), event: order }));
  for (const { at, event } of planned) timeline.plan(at, event);
  const taken: { at: number; event: number }[] = [];
  for (const until of [-1, 20, 50]) {
    for (let due = timeline.take(until); due !== undefined; due = timeline.take(until)) {
      expect(due.at).toBeLessThanOrEqual(until);
      taken.push({ at: due.at, event: due.event });
    }
  }
  expect(taken).toEqual(planned.toSorted((one, other) => one.at - other.at || one.event - other.event));
  expect(timeline.next()).toBeUndefined();
});

test("randomness is the seed's, spread evenly, and a fork draws nothing from its parent", () => {
  const draws = (random: Prng): number[] => Array.from({ length: 1000 }, () => random.next());
  expect(draws(new Prng("1"))).toEqual(draws(new Prng("1")));
  expect(draws(new Prng("1"))).not.toEqual(draws(new Prng("2")));
  const parent = new Prng("1");
  draws(parent.fork("child"));
  expect(draws(parent)).toEqual(draws(new Prng("1")));
  const mean = draws(new Prng("mean")).reduce((sum, value) => sum + value / 1000, 0);
  expect(Math.abs(mean - 0.5)).toBeLessThan(0.05);
  const dice = new Prng("dice");
  expect(new Set(Array.from({ length: 200 }, () => dice.integer(1, 6))).size).toBe(6);
  expect(dice.shuffle([1, 2, 3, 4]).toSorted()).toEqual([1, 2, 3, 4]);
});

test("the price of a time is by started seconds, to 4 decimals", () => {
  const cost = (price: string, ms: number): string => costOf(newBill(parseUsd(price) as Usd), ms).toString();
  expect(cost("3.6", 1)).toBe("0.001");
  expect(cost("3.6", 1001)).toBe("0.002");
  expect(cost("1", 1000)).toBe("0.0003");
  expect(cost("2.4901", 3_600_000)).toBe("2.4901");
  expect(cost("2.49", 0)).toBe("0");
});

test("the default catalogue has machines of 1, 2, 4 and 8 GPUs from several providers in several places", () => {
  expect(new Set(DEFAULT_OFFERS.map(({ gpus }) => gpus))).toEqual(new Set([1, 2, 4, 8]));
  expect(new Set(DEFAULT_OFFERS.map(({ provider }) => provider)).size).toBe(4);
  expect(new Set(DEFAULT_OFFERS.map(({ location }) => location)).size).toBeGreaterThan(4);
  const price = (offer: string) =>
    DEFAULT_OFFERS.find((one) => one.offer === offer && one.provider === "aurora");
  expect([price("h100-80gb-x1")?.pricePerHour, price("h100-80gb-x8")?.pricePerHour]).toEqual([
    "2.49",
    "19.92",
  ]);
});

test("values are put at JSON Pointers, with their escapes", () => {
  expect(put(undefined, "", { a: 1 })).toEqual({ a: 1 });
  expect(put({ b: 2 }, "", { a: 1 })).toEqual({ a: 1, b: 2 });
  expect(put({ a: { b: 1 } }, "/a/c", 2)).toEqual({ a: { b: 1, c: 2 } });
  expect(put(undefined, "/a~1b/~01/1", "x")).toEqual({ "a/b": { "~1": [null, "x"] } });
  expect(put({ a: ["x"] }, "/a/0", "y")).toEqual({ a: ["y"] });
});

test("a template is read backwards", () => {
  const template = { a: "{offer}", b: ["x", "to {provider}.{location}!"], n: 1, p: "{parameters.size}" };
  const sent = { a: "o (1+)", b: ["x", "to p.l.m!"], n: 1, p: [1] };
  expect(Object.fromEntries(readBackwards(template, sent))).toEqual({
    offer: "o (1+)",
    provider: "p",
    location: "l.m",
    "parameters.size": [1],
  });
  expect(() => readBackwards(template, { ...sent, n: 2 })).toThrow("/n: expected 1");
  expect(() => readBackwards(template, { ...sent, b: ["x"] })).toThrow("/b: expected an array of 2");
  expect(() => readBackwards(["{offer}", "{offer}"], ["1", "2"])).toThrow("another value of {offer}");
  expect(() => readBackwards("{offer}.", "abc")).toThrow('expected "{offer}."');
});

test("a number in the place of a text is read by its digits, and a text there is no number", () => {
  const template = { id: { number: "{offer}" }, in: { number: "{location}" } };
  const read = (text: string) => Object.fromEntries(readBackwards(template, parseSent(text)));
  expect(read('{"id":9007199254740993,"in":7}')).toEqual({ offer: "9007199254740993", location: "7" });
  expect(() => read('{"id":"9007199254740993","in":7}')).toThrow("/id: expected a number");
  expect(() => read('{"id":{"number":"5"},"in":7}')).toThrow("/id: expected a number");
});
