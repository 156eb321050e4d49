import { duration, type Moments } from "../../../fleet/text/format.ts";
import { type Content, Html, html } from "./html.ts";
import { timeTicks, valueTicks } from "./scale.ts";

/** A value that held for some time. Null if it is not known. */
export interface Held {
  readonly from: number;
  readonly to: number;
  readonly value: number | null;
}

export interface Series {
  readonly name: string;
  /** Chooses colour and stroke in page.css. */
  readonly look: "running" | "starting" | "asked" | "money" | "rate" | "floor";
  /** An area is filled down to the axis. */
  readonly shape: "area" | "line";
  readonly held: readonly Held[];
}

export interface ChartOptions {
  /** Unique on the page: the picture's labels refer to it. */
  readonly id: string;
  readonly title: string;
  /** What it shows, in a sentence, for people who cannot see it. */
  readonly summary: string;
  readonly from: number;
  readonly to: number;
  readonly whole: boolean;
  readonly format: (value: number) => string;
  readonly moments: Moments;
  readonly series: readonly Series[];
}

/** Units of the plot. It is stretched to its width; its lines keep their thickness. */
const WIDTH = 1000;
const HEIGHT = 180;
/** Pixels for the labels of the time axis below, and above the topmost line. */
const BELOW = 26;
const ABOVE = 18;

/**
 * A chart as SVG, without a script. It fills any width. Labels stand at shares of the width and keep their
 * size: a phone shows the same chart, not a small picture of it.
 */
export function chart(options: ChartOptions): Html {
  const { id, title, summary, series } = options;
  return html`<figure class="chart">
<figcaption><h3 id="${id}-title">${title}</h3>${legend(series)}</figcaption>
${drawing(options)}
<p class="visually-hidden" id="${id}-text">${summary}</p>
</figure>`;
}

/** The picture of a chart alone. What it shows has to stand beside it, by its id with `-title` and with `-text`. */
export function drawing(options: Omit<ChartOptions, "title" | "summary">): Html {
  const { id, from, to, whole, format, moments, series } = options;
  const values = series.flatMap(({ held }) => held.flatMap(({ value }) => (value === null ? [] : [value])));
  const ticks = valueTicks(Math.max(0, ...values), whole);
  const top = ticks.at(-1) ?? 1;
  const point: ToPoint = (at, value) => [((at - from) / (to - from)) * WIDTH, y(value)];
  const y = (value: number): number => HEIGHT - (value / top) * HEIGHT;
  const lines = ticks.map((value) => (y(value) + ABOVE).toFixed(1));
  const outer = HEIGHT + ABOVE + BELOW;
  const share = (at: number): string => `${(((at - from) / (to - from)) * 100).toFixed(2)}%`;
  return html`<svg role="img" aria-labelledby="${id}-title" aria-describedby="${id}-text" width="100%" height="${outer}" focusable="false">
<g class="grid">${lines.map((at) => html`<line x1="0" x2="100%" y1="${at}" y2="${at}"/>`)}</g>
<svg x="0" y="${ABOVE}" width="100%" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" overflow="visible">${series.map((each) => shapes(each, point))}</svg>
<g class="axis">${ticks.map((value) => html`<text x="0" y="${(y(value) + ABOVE - 4).toFixed(1)}">${format(value)}</text>`)}${timeTicks(
    from,
    to,
    moments,
  ).map(
    ({ at, text }) =>
      html`<text x="${share(at)}" y="${outer - 6}" text-anchor="middle">${text}</text><line x1="${share(at)}" x2="${share(at)}" y1="${HEIGHT + ABOVE}" y2="${HEIGHT + ABOVE + 5}"/>`,
  )}</g>
${values.length === 0 && html`<text class="empty" x="50%" y="${ABOVE + HEIGHT / 2}" text-anchor="middle">Nothing recorded in the last ${duration(to - from)}</text>`}
</svg>`;
}

function legend(series: readonly Series[]): Content {
  if (series.length < 2) return undefined;
  return html`<ul class="legend">${series.map(
    ({ name, look, shape }) =>
      html`<li><svg class="key" width="18" height="10" aria-hidden="true" focusable="false">${
        shape === "area"
          ? html`<rect class="fill ${look}" width="18" height="10" rx="2"/>`
          : html`<line class="stroke ${look}" x1="0" x2="18" y1="5" y2="5"/>`
      }</svg>${name}</li>`,
  )}</ul>`;
}

function shapes({ held, look, shape }: Series, toPoint: ToPoint): Content {
  return runsOf(held).map((run) => {
    const line = thin(withoutRepeats(pointsOf(run, toPoint)));
    const [first, last] = [line[0], line.at(-1)];
    if (!first || !last) return undefined;
    const down = [last, first].map(([x]): Point => [x, HEIGHT]);
    const area = html`<path class="fill ${look}" d="M${drawn([...line, ...down])}Z"/>`;
    const stroke = html`<path class="stroke ${look}" d="M${drawn(line)}" vector-effect="non-scaling-stroke"/>`;
    return shape === "area" ? [area, stroke] : stroke;
  });
}

/** Splits where the value is not known: a line there would be invented. */
function runsOf(held: readonly Held[]): readonly (readonly Held[])[] {
  const runs: Held[][] = [];
  let before: Held | undefined;
  for (const each of held) {
    if (each.value !== null) {
      if (before?.value != null && before.to >= each.from) runs.at(-1)?.push(each);
      else runs.push([each]);
    }
    before = each;
  }
  return runs;
}

type Point = readonly [x: number, y: number];
type ToPoint = (at: number, value: number) => Point;

function pointsOf(run: readonly Held[], toPoint: ToPoint): readonly Point[] {
  return run.flatMap(({ from, to, value }) => [from, to].map((at) => toPoint(at, value ?? 0)));
}

/** Not through html, which cuts long texts. Safe, as it holds numbers only. */
function drawn(points: readonly Point[]): Html {
  return new Html(points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L"));
}

/** Drops points inside a level line. */
function withoutRepeats(points: readonly Point[]): readonly Point[] {
  return points.filter(([, y], index) => points[index - 1]?.[1] !== y || points[index + 1]?.[1] !== y);
}

/** Drops points that cannot be seen. In each unit of width it keeps the first, lowest, highest and last. */
function thin(points: readonly Point[]): readonly Point[] {
  if (points.length < 400) return points;
  const columns = Map.groupBy(points, ([px]) => Math.floor(px));
  return [...columns.values()].flatMap((column) => {
    const lowest = column.reduce((one, other) => (other[1] < one[1] ? other : one));
    const highest = column.reduce((one, other) => (other[1] > one[1] ? other : one));
    const kept = new Set([column[0], lowest, highest, column.at(-1)]);
    return column.filter((point) => kept.has(point));
  });
}
