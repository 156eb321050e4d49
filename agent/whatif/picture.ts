import { momentsIn } from "../fleet/text/format.ts";
import { drawing, type Series } from "../tell/http/pages/chart.ts";
import { type Html, html } from "../tell/http/pages/html.ts";
import type { OverTime } from "./over-time.ts";

/* A play over time as a picture of its own, which any program that shows SVG reads. */

const WIDTH = 1000;
const PANEL = 224;
const ABOVE = 44;

/** On one line: what stands in a document shows what is no text, such as the end of a line. */
const STYLE = [
  "text{font:13px system-ui,sans-serif;fill:#586069}.title{font-size:15px;fill:#1b1f23}.grid line,.axis line{stroke:#e3e3dd}",
  "path{fill:none;stroke-width:1.5}.fill.running{fill:#1d9a8640}.stroke.running{stroke:#1d9a86}",
  ".stroke.asked{stroke:#1b1f23;stroke-dasharray:5 4}.fill.rate{fill:#d08c1d40}.stroke.rate{stroke:#d08c1d}",
].join("");

/** `plays`: what each is called, and what it shows; one below the other. */
export function picture(
  plays: readonly { readonly name: string; readonly shown: OverTime }[],
  currency: string,
): string {
  const panels = plays.flatMap(({ name, shown }) => panelsOf(name, shown, currency));
  const height = panels.length * (PANEL + ABOVE) + 20;
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}">
<style>${STYLE}</style>
<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>
${panels.map((panel, index) => panel(index))}
</svg>
`.text;
}

function panelsOf(name: string, shown: OverTime, currency: string): readonly ((index: number) => Html)[] {
  const gpus: readonly Series[] = [
    { name: "Running", look: "running", shape: "area", held: shown.had },
    { name: "Asked for", look: "asked", shape: "line", held: shown.asked },
  ];
  const money: readonly Series[] = [{ name: "An hour", look: "rate", shape: "area", held: shown.perHour }];
  return [
    (index) =>
      panel(index, `${name}: GPUs that run, and those that are asked for (dashed)`, shown, gpus, true),
    (index) => panel(index, `${name}: ${currency} an hour`, shown, money, false),
  ];
}

function panel(
  index: number,
  title: string,
  { from, to }: OverTime,
  series: readonly Series[],
  whole: boolean,
): Html {
  const id = `panel-${index}`;
  const top = index * (PANEL + ABOVE) + ABOVE;
  return html`<text class="title" id="${id}-title" x="20" y="${top - 12}">${title}</text>
<svg x="20" y="${top}" width="${WIDTH - 40}" height="${PANEL}"><desc id="${id}-text">${title}</desc>${drawing(
    {
      ...{ id, from, to, whole, series },
      format: String,
      moments: momentsIn("UTC"),
    },
  )}</svg>
`;
}
