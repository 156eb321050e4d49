import { expect, test } from "vitest";
import { opensAt, opensText, windowsSchema } from "../../agent/fleet/clock/windows.ts";

const NIGHTS = {
  timeZone: "Europe/Berlin",
  entries: [{ from: "Mon-Fri 22:00", to: "Tue-Sat 06:00" }],
};

/** From when on one is open. */
function opens(windows: unknown, now: string): string | undefined {
  const at = opensAt(windowsSchema.parse(windows), Date.parse(now));
  return at === undefined ? undefined : new Date(at).toISOString();
}

test("a window is open now, or from its next beginning on, by the clock of its zone", () => {
  expect(opens(NIGHTS, "2026-06-01T23:00:00Z")).toBe("2026-06-01T23:00:00.000Z");
  expect(opens(NIGHTS, "2026-06-02T04:00:00Z")).toBe("2026-06-02T20:00:00.000Z");
  // A Saturday, and a night in winter.
  expect(opens(NIGHTS, "2026-06-06T12:00:00Z")).toBe("2026-06-08T20:00:00.000Z");
  expect(opens(NIGHTS, "2026-12-01T12:00:00Z")).toBe("2026-12-01T21:00:00.000Z");
  expect(opensText(NIGHTS, Date.parse("2026-06-08T20:00:00Z"))).toBe(
    "from 2026-06-08 22:00 on (Europe/Berlin)",
  );
});

test("one that the clocks are set over comes a week later, and one with a date only once", () => {
  const set = { timeZone: "Europe/Berlin", entries: [{ from: "Sun 02:10", to: "Sun 02:50" }] };
  expect(opens(set, "2026-03-28T12:00:00Z")).toBe("2026-04-05T00:10:00.000Z");
  const once = {
    timeZone: "UTC",
    entries: [{ from: "2026-12-24 18:00", to: "2026-12-27 06:00" }],
  };
  expect(opens(once, "2026-06-01T00:00:00Z")).toBe("2026-12-24T18:00:00.000Z");
  expect(opens(once, "2026-12-27T06:00:00Z")).toBeUndefined();
});

test.each([
  ["Mon-Fri 22:00", /expected \{ timeZone/],
  [{ timeZone: "Europe/Berlin", entries: [{ from: "08:00", to: "Mon 08:00" }] }, /never come/],
  [{ timeZone: "UTC", entries: [{ from: "2026-12-24 18:00", to: "2026-12-24 17:00" }] }, /never come/],
  [{ timeZone: "+01:00", entries: NIGHTS.entries }, /IANA time zone/],
  [{ entries: NIGHTS.entries }, /without one nobody knows/],
  [{ timeZone: "UTC", entries: [] }, /at least one window/],
  [{ timeZone: "UTC", entries: [{ from: "8 am", to: "09:00" }] }, /expected a time such as/],
])("%j is refused, and it is said why", (windows, why) => {
  expect(windowsSchema.safeParse(windows).error?.message).toMatch(why);
});
