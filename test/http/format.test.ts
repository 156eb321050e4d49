import { expect, it } from "vitest";
import { duration, momentsIn, moneyText } from "../../agent/fleet/text/format.ts";
import { chart } from "../../agent/tell/http/pages/chart.ts";
import { html } from "../../agent/tell/http/pages/html.ts";
import { timeTicks, valueTicks } from "../../agent/tell/http/pages/scale.ts";
import { heldBy } from "../../agent/tell/http/pages/series.ts";
import type { Stretch } from "../../ledger/chart-history.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

it.each([
  [0, "0 s"],
  [59_400, "59 s"],
  [5 * MINUTE, "5 min"],
  [99 * MINUTE, "1 h 39 min"],
  [3 * HOUR, "3 h"],
  [50 * HOUR, "2 days 2 h"],
  [25 * 24 * HOUR, "25 days"],
  [-5, "0 s"],
])("says %d ms as people do: %s", (ms, text) => expect(duration(ms)).toBe(text));

it.each([
  ["0", "$0.00"],
  ["1234567.895", "$1,234,567.895"],
  ["2.3750", "$2.375"],
  ["900.0000", "$900.00"],
  ["12.30004", "$12.30"],
  ["-12.5", "−$12.50"],
  ["0.0042", "$0.0042"],
  ["nonsense", "?"],
])("says %s USD as %s", (amount, text) => expect(moneyText(amount)).toBe(text));

it("escapes whatever is put into markup, takes controls out and cuts what is long", () => {
  const hostile = `<script>"'&\u0000\u001b[31m\u202e\ud800`;
  expect(html`<p title="${hostile}">${[hostile, html`<b>${"<"}</b>`]}</p>`.text).toBe(
    '<p title="&lt;script&gt;&quot;&#39;&amp;··[31m··">&lt;script&gt;&quot;&#39;&amp;··[31m··<b>&lt;</b></p>',
  );
  expect(html`${"x".repeat(10_000_000)}`.text.length).toBeLessThan(1000);
  expect(html`${undefined}${null}${false}${0}`.text).toBe("0");
});

it.each([
  [0, true, [0, 1]],
  [3, true, [0, 1, 2, 3]],
  [34, true, [0, 10, 20, 30, 40]],
  [0, false, [0, 0.0025, 0.005, 0.0075, 0.01]],
  [73, false, [0, 20, 40, 60, 80]],
  [900, false, [0, 250, 500, 750, 1000]],
])("an axis up to %d has round values that reach it", (most, whole, ticks) => {
  const found = valueTicks(most, whole);
  expect(found.at(-1)).toBeGreaterThanOrEqual(most);
  if (most > 0) expect(found).toEqual(ticks);
  expect(found.length).toBeLessThanOrEqual(7);
});

it("an axis of time has round moments of the zone's own day, few enough for a phone", () => {
  const to = Date.UTC(2030, 0, 2, 3, 20);
  const texts = (hours: number, zone: string) =>
    timeTicks(to - hours * HOUR, to, momentsIn(zone)).map(({ text }) => text);
  expect(texts(24, "UTC")).toEqual(["06:00", "12:00", "18:00", "00:00"]);
  expect(texts(24, "Asia/Kolkata")).toEqual(["12:00", "18:00", "00:00", "06:00"]);
  expect(texts(7 * 24, "UTC").length).toBeLessThanOrEqual(5);
  expect(texts(7 * 24, "UTC")[0]).toMatch(/^\d+ (Dec|Jan)$/);
});

const stretch = (at: number, until: number, running: number): Stretch => ({
  at,
  until,
  balance: null,
  perHour: null,
  fleets: { web: [8, running, 0] },
});

it("draws what was recorded, each value until the next one, and a hole where nobody looked", () => {
  const stretches = [
    stretch(0, 10 * MINUTE, 1),
    stretch(11 * MINUTE, 20 * MINUTE, 2),
    stretch(60 * MINUTE, 70 * MINUTE, 3),
  ];
  expect(heldBy(stretches, 5 * MINUTE, 71 * MINUTE, ({ fleets }) => fleets.web?.[1] ?? null)).toEqual([
    { from: 5 * MINUTE, to: 11 * MINUTE, value: 1 },
    { from: 11 * MINUTE, to: 20 * MINUTE, value: 2 },
    { from: 60 * MINUTE, to: 71 * MINUTE, value: 3 },
  ]);
});

it("draws a month of restless changes with no more points than can be seen, extremes among them", () => {
  const held = Array.from({ length: 100_000 }, (_, index) => ({
    from: index,
    to: index + 1,
    value: index === 54_321 ? 100 : index % 7,
  }));
  const { text } = chart({
    id: "c",
    title: "T",
    summary: "S",
    from: 0,
    to: 100_000,
    whole: true,
    format: String,
    moments: momentsIn("UTC"),
    series: [{ name: "N", look: "running", shape: "area", held }],
  });
  expect(text.length).toBeLessThan(200_000);
  // The top of the plot is 100: only the one extreme touches it.
  expect(text).toMatch(/L543\.\d 0\.0/);
});
