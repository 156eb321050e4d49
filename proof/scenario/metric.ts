import type { Metric } from "../../agent/fleet/wish/metric-wish.ts";
import type { FleetSpec } from "./scenario.ts";

/*
 * A fleet's metric, as the truth has it: what it says when, and how many GPUs a value asks for.
 */

type Spec = NonNullable<FleetSpec["metric"]>;

/** What it says at a moment of the world, and once all is quiet. */
export function saysAt({ says, finally: last }: Spec, ms: number, isQuiet: boolean): string {
  return isQuiet ? String(last) : (says.findLast(({ fromMs }) => fromMs <= ms)?.says ?? String(last));
}

export function gpusOfValue({ min, max, target }: Spec, value: number): number {
  return Math.min(max, Math.max(min, Math.ceil(value / target)));
}

/** As its file says it. */
export function metricOf({ metric, gpus }: FleetSpec): { readonly metric?: Metric } {
  if (!metric) return {};
  const { min, max, target, up, down } = metric;
  return { metric: { command: ["./queue.sh"], target, every: "30s", up, down, min, max, at: gpus } };
}
