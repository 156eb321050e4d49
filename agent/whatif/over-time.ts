import { DAY_MS } from "../../ledger/instant.ts";
import type { Held } from "../tell/http/chart.ts";
import type { Game } from "./outcome.ts";
import { pricesOf } from "./prices.ts";
import { stretches } from "./runs.ts";

/** A play over time, wall times in ms. Of all its fleets together. */
export interface OverTime {
  readonly from: number;
  readonly to: number;
  /** GPUs. */
  readonly asked: readonly Held[];
  readonly had: readonly Held[];
  /** What the machines that run cost an hour. */
  readonly perHour: readonly Held[];
}

export function overTime({ tape, played, asked }: Game): OverTime {
  const end = tape.days * DAY_MS;
  const prices = pricesOf(tape);
  const { origin } = played;
  const runs = played.runs.filter(({ owner }) => owner !== null);
  const held = (each: ReturnType<typeof stretches>, of: "wants" | "has"): readonly Held[] =>
    each.map((one) => ({ from: origin + one.at, to: origin + one.at + one.ms, value: one[of] }));
  const wanted = [...asked.values()].flatMap((steps) =>
    steps.map(({ at, gpus }, index) => ({ at, gpus: gpus - (steps[index - 1]?.gpus ?? 0) })),
  );
  let sum = 0;
  const all = wanted
    .sort((one, other) => one.at - other.at)
    .map(({ at, gpus }) => {
      sum += gpus;
      return { at, gpus: sum };
    });
  const gpus = stretches(runs, all, end);
  // In the place of its GPUs stands what each machine costs.
  const costs = runs.map((run) => ({ ...run, gpus: prices.at(run.offer, run.from) }));
  return {
    from: origin,
    to: origin + end,
    asked: held(gpus, "wants"),
    had: held(gpus, "has"),
    perHour: held(stretches(costs, [], end), "has"),
  };
}

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
    return BARS[Math.min(8, Math.ceil(share * 8 - 0.01))] ?? " ";
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
