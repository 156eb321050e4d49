import type { Held } from "../tell/http/pages/chart.ts";
import type { OverTime } from "./over-time.ts";

const BARS = " ▁▂▃▄▅▆▇█";
const WIDTH = 60;

/** A line of bars for a terminal: the mean of each part of the time, from 0 to `most`. */
function bars(held: readonly Held[], from: number, to: number, most: number): string {
  const part = (to - from) / WIDTH;
  return Array.from({ length: WIDTH }, (_, index) => {
    const [begin, end] = [from + index * part, from + (index + 1) * part];
    const sum = held.reduce(
      (total, each) =>
        total + (each.value ?? 0) * Math.max(0, Math.min(end, each.to) - Math.max(begin, each.from)),
      0,
    );
    const share = most === 0 ? 0 : sum / part / most;
    // Whatever is there is seen, and only what is nearly all is a whole bar.
    return BARS[Math.max(Math.sign(sum), Math.round(share * 8))] ?? " ";
  }).join("");
}

/** For a terminal: GPUs and money over time. */
export function terminalChart({ from, to, asked, had, perHour }: OverTime, currency: string): string {
  const most = (all: readonly Held[]): number => Math.max(0, ...all.map(({ value }) => value ?? 0));
  const gpus = Math.max(most(asked), most(had));
  const money = most(perHour);
  return [
    `GPUs      ${bars(had, from, to, gpus)}  0 to ${gpus}`,
    `an hour   ${bars(perHour, from, to, money)}  0 to ${money.toFixed(2)} ${currency}`,
  ].join("\n");
}
