import { expect, test } from "vitest";
import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import { setShortRunway, storeRunway } from "../../agent/fleet/money/runway.ts";
import { LaunchBench } from "../launch/bench.ts";

const HOUR = 3_600_000;

/** One machine at 16.00 USD an hour. */
function burning(): LaunchBench {
  const on = new LaunchBench();
  on.machine("m1");
  return on;
}

function read(on: LaunchBench, amount: string): readonly string[] {
  const before = texts(on).length;
  on.decide((draft, context) => {
    draft.putAccount({ ...draft.account, balance: { amount, begun: context.now } });
    storeRunway(draft, context);
  });
  return texts(on).slice(0, texts(on).length - before);
}

function texts(on: LaunchBench): readonly string[] {
  return on.ledger
    .eventsNow(on.account)
    .filter(({ kind }) => kind === "runway")
    .map(({ text }) => text);
}

test("it is told once when the balance does not last a day any more, and again after it has grown", () => {
  const on = burning();
  expect(read(on, "384.0000")).toEqual([]);
  expect(read(on, "383.9999")).toEqual([
    "the balance of 383.9999 USD lasts 23 h 59 min more, at 16.00 USD an hour: credits can be bought in the service's dashboard only",
  ]);
  on.advance(3 * HOUR);
  expect(read(on, "300.0000")).toEqual([]);
  expect(read(on, "1000.0000")).toEqual([]);
  expect(read(on, "120.0000")).toEqual([expect.stringContaining("lasts 7 h 30 min more")]);
});

test("a machine that is lost and replaced at once is no news", () => {
  const on = burning();
  expect(read(on, "100.0000")).toHaveLength(1);
  on.show("m1", { status: "interrupted" });
  on.advance(1000);
  on.list();
  expect(read(on, "100.0000")).toEqual([]);
  on.machine("m2");
  expect(read(on, "84.0000")).toEqual([]);
  on.advance(HOUR);
  expect(read(on, "9000.0000")).toEqual([]);
  expect(read(on, "84.0000")).toHaveLength(1);
});

const shortBy = (alerts: string): number => parseFleetFile(`${alerts}\nfleets: []`, "fleet.yaml").shortRunway;

test("a fleet file says how short a runway is worth a word, or never", () => {
  const on = burning();
  on.decide((draft) => setShortRunway(draft, shortBy("alerts: { runway: 2h30m }")));
  expect(read(on, "40.0000")).toEqual([]);
  expect(read(on, "39.0000")).toHaveLength(1);
  const other = burning();
  other.decide((draft) => setShortRunway(draft, shortBy("alerts: { runway: never }")));
  expect(read(other, "0.0000")).toEqual([]);
  expect(shortBy("")).toBe(24 * HOUR);
});

test("hours without a unit are read as before, and not beside the other", () => {
  expect(shortBy("alerts: { runwayHours: 2.5 }")).toBe(2.5 * HOUR);
  expect(shortBy("alerts: { runwayHours: 0 }")).toBe(0);
  expect(() => shortBy("alerts: { runwayHours: 2, runway: 2h }")).toThrow(
    /runwayHours: stands beside runway/,
  );
  expect(() => shortBy("alerts: { runway: 24 }")).toThrow(
    /alerts.runway: expected a duration such as 90s, 1h30m or 7d, or never, got 24/,
  );
  expect(() => shortBy("alerts: { runwai: 24h }")).toThrow(/did you mean "runway"/);
});

test("what has no price makes it shorter than anybody knows", () => {
  const on = burning();
  on.show("stranger");
  on.advance(1);
  on.list();
  expect(read(on, "160.0000")).toEqual([
    expect.stringContaining("lasts at most 10 h more, at 16.00 USD an hour or more:"),
  ]);
});

test("where nothing is known of the balance, or nothing is spent, nothing is told", () => {
  const on = burning();
  on.decide((draft, context) => storeRunway(draft, context));
  expect(texts(on)).toEqual([]);
  expect(read(new LaunchBench(), "1.0000")).toEqual([]);
});
