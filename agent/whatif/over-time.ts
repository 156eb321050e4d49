import { DAY_MS } from "../../ledger/instant.ts";
import type { Held } from "../tell/http/pages/chart.ts";
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
