import { MINUTE_MS } from "../../../../ledger/instant.ts";
import { moneyText } from "../../../fleet/text/format.ts";
import { chart, type Series } from "./chart.ts";
import { type Html, html } from "./html.ts";
import type { PageData } from "./page-data.ts";
import { gpusOf, heldBy, RANGE_NAMES, rangeMs } from "./series.ts";

const SPOKEN = { "6h": "6 hours", "24h": "24 hours", "7d": "7 days", "30d": "30 days" } as const;

/** A chart shows at least this long. */
const SHORTEST_MS = 10 * MINUTE_MS;

/** GPUs and money over time. */
export function charts(view: PageData): Html {
  const { now, range, moments, stretches, floor } = view;
  const { currency } = view.status;
  const from = beginOf(view);
  const base = { from, to: now, moments };
  const hold = (value: Parameters<typeof heldBy>[3]) => heldBy(stretches, from, now, value);
  const one = view.fleets.length === 1 ? view.fleets[0]?.name : undefined;
  const both: ReturnType<typeof gpusOf> = (stretch) => {
    const [running, starting] = [gpusOf(1)(stretch), gpusOf(2)(stretch)];
    return running === null || starting === null ? null : running + starting;
  };
  const gpus: readonly Series[] = [
    { name: "On the way", look: "starting", shape: "area", held: hold(both) },
    { name: "Running", look: "running", shape: "area", held: hold(gpusOf(1)) },
    { name: "Asked for", look: "asked", shape: "line", held: hold(gpusOf(0)) },
  ];
  const balance = hold((stretch) => (stretch.balance === null ? null : Number(stretch.balance)));
  const rate = hold((stretch) => (stretch.perHour === null ? null : Number(stretch.perHour)));
  const credit: Series[] = [{ name: "Balance", look: "money", shape: "area", held: balance }];
  if (floor !== undefined && balance.length > 0) {
    const held = [{ from, to: now, value: Number(floor) }];
    credit.push({ name: `Floor ${moneyText(floor, currency)}`, look: "floor", shape: "line", held });
  }
  const inMoney = (id: string, title: string, what: string, series: readonly Series[]): Html => {
    const summary = summaryOf(
      what,
      series[0],
      (value) => moneyText(value.toFixed(4), currency),
      SPOKEN[range],
    );
    return chart({
      ...base,
      id,
      title,
      summary,
      whole: false,
      format: (value) => short(value, currency),
      series,
    });
  };
  return html`<section aria-labelledby="over-time"><div class="title-row"><h2 id="over-time">Over time</h2>
<nav aria-label="Time shown"><ul class="ranges">${RANGE_NAMES.map(
    (each) =>
      html`<li><a id="range-${each}" href="?range=${each}"${each === range && html` aria-current="true"`}><span aria-hidden="true">${each}</span><span class="visually-hidden">${SPOKEN[each]}</span></a></li>`,
  )}</ul></nav></div>
<div class="charts">
${chart({
  ...base,
  id: "chart-gpus",
  title: one === undefined ? "GPUs" : `GPUs of ${one}`,
  summary: summaryOf("GPUs that run", gpus[1], String, SPOKEN[range]),
  whole: true,
  format: String,
  series: gpus,
})}
${inMoney("chart-balance", "Balance", "The balance", credit)}
${inMoney("chart-rate", "Spent an hour", "What is spent an hour", [
  { name: "An hour", look: "rate", shape: "area", held: rate },
])}
</div></section>`;
}

/** Where the charts begin. The time before the ledger was made is not shown as a gap. */
function beginOf({ now, range, stretches, ledgerCreated }: PageData): number {
  const whole = now - rangeMs(range);
  if (ledgerCreated <= whole) return whole;
  return Math.max(whole, Math.min(stretches[0]?.at ?? whole, now - SHORTEST_MS));
}

/** `$40`, `$2.50`: without decimals that are zero. */
function short(value: number, currency: string): string {
  return moneyText(value.toFixed(4), currency).replace(/\.00$/, "");
}

function summaryOf(
  what: string,
  series: Series | undefined,
  format: (value: number) => string,
  spoken: string,
): string {
  const values = series?.held.flatMap(({ value }) => value ?? []) ?? [];
  const [first, last] = [values[0], values.at(-1)];
  if (first === undefined || last === undefined) return `Nothing was recorded in the last ${spoken}.`;
  return (
    `${what} in the last ${spoken}: from ${format(first)} to ${format(last)}, at least ${format(Math.min(...values))} ` +
    `and at most ${format(Math.max(...values))}.`
  );
}
