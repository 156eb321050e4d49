import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS } from "../../ledger/instant.ts";
import type { Stay } from "../../ledger/rows.ts";
import { copyOfStayDays, countStay, type StayDay, type StayDays } from "../../ledger/stay-days.ts";

const PLACE = { offer: "h100-8", provider: "north", location: "oslo" };
const DAYS = [31, 1, 30, 2];

/** A machine that was launched on this day and was there for an hour. */
const stayOn = (day: number): Stay => ({
  ...PLACE,
  from: day * DAY_MS,
  until: day * DAY_MS + HOUR_MS,
  end: "stopped",
  toRun: day,
});

const counted = (places: StayDays): readonly (StayDay | undefined)[] =>
  DAYS.map((day) => [...places.values()][0]?.get(day));

test("a copy has of 30 days how long each launch took, and of all what they came to", () => {
  const places: StayDays = new Map();
  for (const day of DAYS) countStay(places, stayOn(day), 1);
  const copy = copyOfStayDays(places);
  const day = { launches: 1, failures: 0, losses: 0, ms: HOUR_MS };
  expect(counted(copy)).toEqual([[31], [], [30], [2]].map((toRun) => ({ ...day, toRun })));
  for (const each of DAYS) countStay(copy, stayOn(each), -1);
  const none = { launches: 0, failures: 0, losses: 0, ms: 0, toRun: [] };
  expect(counted(copy)).toEqual([none, none, none, none]);
  expect(counted(places)).toEqual(DAYS.map((each) => ({ ...day, toRun: [each] })));
});
