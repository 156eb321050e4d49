import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../../ledger/instant.ts";
import type { Moments } from "../../../fleet/text/format.ts";

const TIME_STEPS = [
  ...[5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 4, 6, 12, 24, 48, 7 * 24].map((hours) => hours * HOUR_MS),
];

/** Half the width of a label of five digits on a phone, as a share of the chart: it must not be cut. */
const EDGE = 0.07;

export interface Tick {
  readonly at: number;
  readonly text: string;
}

/** Round values from 0 to `most` or above, about five. `whole`: GPUs and machines have no halves. */
export function valueTicks(most: number, whole: boolean): readonly number[] {
  const rough = Math.max(most, whole ? 1 : 0.01) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough * 0.999) ?? rough;
  const size = whole ? Math.max(1, Math.ceil(step)) : step;
  const count = Math.max(1, Math.ceil(most / size - 1e-9));
  return Array.from({ length: count + 1 }, (_, index) => Number((index * size).toPrecision(12)));
}

/** Round moments of local time, at most five. None is so near to an edge that its label would be cut. */
export function timeTicks(from: number, to: number, moments: Moments): readonly Tick[] {
  const step = TIME_STEPS.find((each) => (to - from) / each <= 5) ?? 7 * DAY_MS;
  const ticks: Tick[] = [];
  const offset = moments.offset(to);
  for (let at = Math.ceil((from + offset) / step) * step - offset; at <= to; at += step) {
    const share = (at - from) / (to - from);
    if (share < EDGE || share > 1 - EDGE) continue;
    ticks.push({ at, text: step >= DAY_MS ? moments.day(at) : moments.time(at) });
  }
  return ticks;
}
