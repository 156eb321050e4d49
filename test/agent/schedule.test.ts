import { describe, expect, test } from "vitest";
import { scheduleTexts } from "../../agent/fleet/size/schedule-text.ts";
import { askedAt, nextRise, type Schedule, scheduleSchema } from "../../agent/fleet/wish/schedule.ts";

type Entry = Schedule["entries"][number];

function schedule(timeZone: string, entries: readonly Entry[], at = 16): Schedule {
  return scheduleSchema.parse({ timeZone, entries, min: 0, max: 64, at });
}

/** The moments at which another number is asked for, and the numbers. */
function changes(of: Schedule, from: string, to: string): readonly string[] {
  const found: string[] = [];
  let { gpus, next } = askedAt(of, Date.parse(from));
  found.push(`${gpus}`);
  while (next && next.at < Date.parse(to)) {
    found.push(`${new Date(next.at).toISOString().slice(0, 16)}Z ${next.gpus}`);
    ({ gpus, next } = askedAt(of, next.at));
  }
  return found;
}

const NIGHT: Entry = { from: "02:30", to: "05:00", gpus: 32 };

describe("by cron", () => {
  const office: Entry = { cron: "0 8 * * 1-5", for: "12h", gpus: 32 };
  const night: Entry = { cron: "30 2 * * *", for: "2h", gpus: 48 };

  test("it is as by the two ends of a window", () => {
    const window: Entry = { from: "Mon-Fri 08:00", to: "Mon-Fri 20:00", gpus: 32 };
    const [by, as] = [office, window].map((entry) =>
      changes(schedule("Asia/Kolkata", [entry]), "2026-06-01T20:00:00Z", "2026-06-20T20:00:00Z"),
    );
    expect(by).toEqual(as);
    expect(by).toHaveLength(29);
  });

  test("a window is as long as it says, whatever the clocks do", () => {
    expect(
      changes(schedule("Europe/Berlin", [night]), "2026-03-28T12:00:00Z", "2026-03-29T12:00:00Z"),
    ).toEqual(["16", "2026-03-29T01:00Z 48", "2026-03-29T03:00Z 16"]);
    expect(
      changes(schedule("Europe/Berlin", [night]), "2026-10-24T12:00:00Z", "2026-10-25T12:00:00Z"),
    ).toEqual(["16", "2026-10-25T00:30Z 48", "2026-10-25T02:30Z 16"]);
  });

  test("what comes once a year, or in years, is known long before", () => {
    const leap: Entry = { cron: "0 0 29 2 *", for: "24h", gpus: 8 };
    expect(changes(schedule("UTC", [leap]), "2026-06-01T00:00:00Z", "2029-01-01T00:00:00Z")).toEqual([
      "16",
      "2028-02-29T00:00Z 8",
      "2028-03-01T00:00Z 16",
    ]);
    expect(scheduleTexts(schedule("UTC", [leap]), Date.parse("2026-06-01T00:00:00Z"))).toEqual([
      "the schedule asks for 16 GPUs now, and for 8 from 2028-02-29 00:00 on (UTC)",
    ]);
  });
});

describe("what is asked for", () => {
  const office: Entry = { from: "Mon-Fri 08:00", to: "Mon-Fri 20:00", gpus: 32 };

  test("follows the clock of its time zone, and of open windows the largest counts", () => {
    const noon: Entry = { from: "Tue 11:00", to: "Tue 13:00", gpus: 48 };
    const less: Entry = { from: "Tue 12:00", to: "Wed 09:00", gpus: 4 };
    expect(
      changes(schedule("Asia/Kolkata", [office, noon, less]), "2026-06-01T20:00:00Z", "2026-06-03T20:00:00Z"),
    ).toEqual([
      "16",
      "2026-06-02T02:30Z 32",
      "2026-06-02T05:30Z 48",
      "2026-06-02T07:30Z 32",
      "2026-06-02T14:30Z 4",
      "2026-06-03T02:30Z 32",
      "2026-06-03T14:30Z 16",
    ]);
  });

  test("goes over a weekend and a night, and windows that touch are one", () => {
    const idle: Entry = { from: "Fri 18:00", to: "Mon 06:00", gpus: 0 };
    const nights: readonly Entry[] = [
      { from: "22:00", to: "00:00", gpus: 8 },
      { from: "00:00", to: "06:00", gpus: 8 },
    ];
    expect(changes(schedule("UTC", [idle]), "2026-06-04T00:00:00Z", "2026-06-09T00:00:00Z")).toEqual([
      "16",
      "2026-06-05T18:00Z 0",
      "2026-06-08T06:00Z 16",
    ]);
    expect(changes(schedule("UTC", nights), "2026-06-04T12:00:00Z", "2026-06-05T12:00:00Z")).toEqual([
      "16",
      "2026-06-04T22:00Z 8",
      "2026-06-05T06:00Z 16",
    ]);
  });

  test("has a window once, far ahead and over weeks, and what comes each week goes on after it", () => {
    const once: Entry = { from: "2026-08-01 00:00", to: "2026-09-01 00:00", gpus: 64 };
    expect(changes(schedule("UTC", [once]), "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z")).toEqual([
      "16",
      "2026-08-01T00:00Z 64",
      "2026-09-01T00:00Z 16",
    ]);
    expect(changes(schedule("UTC", [once, office]), "2026-07-31T12:00:00Z", "2026-09-01T22:00:00Z")).toEqual(
      ["32", "2026-07-31T20:00Z 16", "2026-08-01T00:00Z 64", "2026-09-01T00:00Z 16"].concat(
        "2026-09-01T08:00Z 32",
        "2026-09-01T20:00Z 16",
      ),
    );
  });

  test("is the same at each moment, whichever was asked before", () => {
    const of = schedule("Europe/Berlin", [office, NIGHT]);
    const start = Date.parse("2026-03-27T00:00:00Z");
    const moments = Array.from({ length: 24 * 5 }, (_, index) => start + index * 3_600_000 + 1000);
    const alone = moments.map((at) => askedAt({ ...of }, at).gpus);
    expect(moments.toReversed().map((at) => askedAt(of, at).gpus)).toEqual(alone.toReversed());
    expect(new Set(alone)).toEqual(new Set([16, 32]));
  });

  test("rises next where more is asked for than right before, whatever falls until then", () => {
    const of = schedule("UTC", [office, { from: "Mon-Fri 20:00", to: "Mon-Fri 22:00", gpus: 24 }]);
    expect(nextRise(of, Date.parse("2026-06-02T09:00:00Z"))).toBe(Date.parse("2026-06-03T08:00:00Z"));
    const once = schedule("UTC", [{ from: "2026-06-01 00:00", to: "2026-06-02 00:00", gpus: 64 }]);
    expect(nextRise(once, Date.parse("2026-06-01T09:00:00Z"))).toBeUndefined();
  });
});

describe("daylight saving", () => {
  test.each([
    // The clocks are set from 02:00 to 03:00, at 01:00 UTC and at 07:00 UTC.
    ["Europe/Berlin", "2026-03-29", "01:00", "03:00"],
    ["America/New_York", "2026-03-08", "07:00", "09:00"],
  ])(
    "in %s, a time that does not exist is the moment at which the clocks are set",
    (zone, day, begins, ends) => {
      const of = schedule(zone, [NIGHT]);
      expect(changes(of, `${day}T00:00:00Z`, `${day}T20:00:00Z`)).toEqual([
        "16",
        `${day}T${begins}Z 32`,
        `${day}T${ends}Z 16`,
      ]);
      const dayBefore = Date.parse(`${day}T12:00:00Z`) - 24 * 3_600_000;
      expect(scheduleTexts(of, dayBefore)).toContain(
        `window 1 of the schedule begins on ${day} at 03:00, since 02:30 does not exist on that day (${zone})`,
      );
      expect(scheduleTexts(of, dayBefore + 48 * 3_600_000)).toHaveLength(1);
    },
  );

  test.each([
    // The clocks are set from 03:00 to 02:00, at 01:00 UTC; and from 02:00 to 01:00, at 06:00 UTC.
    ["Europe/Berlin", "2026-10-25", "02:30", "00:30", "04:00"],
    ["America/New_York", "2026-11-01", "01:30", "05:30", "10:00"],
  ])("in %s, a time that comes twice counts the first time", (zone, day, from, begins, ends) => {
    const of = schedule(zone, [{ ...NIGHT, from }]);
    expect(changes(of, `${day}T00:00:00Z`, `${day}T20:00:00Z`)).toEqual([
      "16",
      `${day}T${begins}Z 32`,
      `${day}T${ends}Z 16`,
    ]);
    expect(scheduleTexts(of, Date.parse(`${day}T00:00:00Z`))).toContain(
      `window 1 of the schedule begins on ${day} at the first ${from}, which comes twice on that day (${zone})`,
    );
  });

  test("a window that the clocks are set over does not come on that day, and one around it is not cut", () => {
    const inside = schedule("Europe/Berlin", [{ from: "02:15", to: "02:45", gpus: 32 }]);
    expect(changes(inside, "2026-03-28T12:00:00Z", "2026-03-29T20:00:00Z")).toEqual(["16"]);
    const around = schedule("Europe/Berlin", [{ from: "02:45", to: "02:15", gpus: 32 }]);
    expect(changes(around, "2026-03-28T12:00:00Z", "2026-03-29T20:00:00Z")).toEqual(["32"]);
  });
});

test("windows that are over, or that never count, are told", () => {
  const of = schedule("Europe/Berlin", [
    { from: "2026-01-01 00:00", to: "2026-01-02 00:00", gpus: 8 },
    { from: "Mon-Fri 08:00", to: "Mon-Fri 20:00", gpus: 32 },
    { from: "Tue 09:00", to: "Tue 10:00", gpus: 24 },
    { from: "2026-03-29 02:00", to: "2026-03-29 02:30", gpus: 64 },
  ]);
  expect(scheduleTexts(of, Date.parse("2026-02-03T12:00:00Z"))).toEqual([
    "the schedule asks for 32 GPUs now, and for 16 from 2026-02-03 20:00 on (Europe/Berlin)",
    "window 1 of the schedule is over since 2026-01-02 00:00: take it out",
    "window 3 of the schedule never counts: another one always asks for more than 24",
    "window 4 of the schedule never comes: the clocks are set over all of it. Take it out",
  ]);
});
