import { z } from "zod";
import type { Idle } from "./idle-wish.ts";
import { type Metric, metricInput } from "./metric-wish.ts";
import { type Schedule, scheduleInput } from "./schedule.ts";
import { type Range, rangeSchema, rangeShape } from "./size-range.ts";
import { whole } from "./whole-number.ts";

/*
 * How many GPUs a fleet of a file wants: a number, or a range with a schedule or a metric in it.
 */

const count = whole(0);

/** The words of a number stay what they are. */
function notSized({ input }: { readonly input?: unknown }): string | undefined {
  if (typeof input === "object" && input !== null && !Array.isArray(input))
    return "expected three whole numbers of 0 or more, such as { min: 0, max: 64, at: 16 }";
  return count.safeParse(input).error?.issues[0]?.message;
}

/** Keys of a fleet in a fleet file, beside those of a wish. */
export const sizeShape = {
  gpus: z
    .union([count, rangeSchema], { error: notSized })
    .describe("how many GPUs to keep; with a schedule or a metric { min, max, at }"),
  schedule: scheduleInput.optional().describe("how many GPUs are wanted when, by the clock of a time zone"),
  metric: metricInput.optional().describe("a number that says how many GPUs are wanted"),
};

interface Sized {
  readonly gpus: number | Range;
  readonly schedule?: z.output<typeof scheduleInput> | undefined;
  readonly metric?: z.output<typeof metricInput> | undefined;
}

/** What a wish says of it. */
export function sizeOf({ gpus, schedule, metric }: Sized): {
  readonly gpus: number;
  readonly schedule?: Schedule;
  readonly metric?: Metric;
} {
  if (typeof gpus === "number") return { gpus };
  return {
    gpus: gpus.at,
    ...(schedule && { schedule: { ...schedule, ...gpus } }),
    ...(metric && { metric: { ...metric, ...gpus } }),
  };
}

/** The most that it may ever want. */
export function largestSize({ gpus }: Pick<Sized, "gpus">): number {
  return typeof gpus === "number" ? gpus : gpus.max;
}

/** Keys of a Pulumi `Fleet`, whose `gpus` is what is wanted where no window is open: a type of two kinds is none in every language. */
export const stackSizeShape = {
  schedule: z
    .strictObject({ ...scheduleInput.shape, min: rangeShape.min, max: rangeShape.max })
    .optional()
    .describe("how many GPUs are wanted when, by the clock of a time zone"),
};

interface InStack {
  readonly gpus: number;
  readonly schedule?: z.output<typeof stackSizeShape.schedule>;
}

/** What a wish of a stack says of it. */
export function stackSizeOf({ gpus, schedule }: InStack): { readonly schedule?: Schedule } {
  return schedule ? { schedule: { ...schedule, at: gpus } } : {};
}

/** Holds the size of a Pulumi `Fleet` to the rest of it. */
export function fittingStackSize(fleet: InStack & Omit<Around, "gpus">, context: z.RefinementCtx): void {
  const { gpus: at, schedule } = fleet;
  if (!schedule) return;
  const { min, max } = schedule;
  fittingSize({ ...fleet, gpus: { min, max, at } }, context, { max: ["schedule", "max"], at: ["gpus"] });
}

interface Around extends Sized {
  readonly services?: unknown;
  readonly allOrNothing?: unknown;
  readonly idle?: Idle | undefined;
}

/** Where people write these. */
const IN_A_FILE = { max: ["gpus", "max"], at: ["gpus", "at"] } as const;

/** Holds the size to the rest of its fleet. */
export function fittingSize(
  fleet: Around,
  context: z.RefinementCtx,
  places: Readonly<Record<"max" | "at", readonly string[]>> = IN_A_FILE,
): void {
  const { gpus, schedule, metric, services, allOrNothing, idle } = fleet;
  const issue = (path: readonly PropertyKey[], message: string): void =>
    context.addIssue({ code: "custom", path: [...path], message });
  const sources = (["schedule", "metric"] as const).filter((key) => fleet[key] !== undefined);
  if (typeof gpus === "number") {
    for (const source of sources)
      issue(["gpus"], `expected { min, max, at } beside ${source}, such as { min: 0, max: 64, at: ${gpus} }`);
    return;
  }
  const { min, max, at } = gpus;
  if (sources.length === 0)
    issue(["gpus"], "expected a number of GPUs: min and max bound a schedule or a metric, and there is none");
  if (max < min) {
    issue(places.max, `expected at least min, which is ${min}`);
    return;
  }
  if (at < min || at > max) issue(places.at, `expected ${min} to ${max}, as min and max say`);
  for (const [index, { gpus: asked }] of (schedule?.entries ?? []).entries())
    if (asked < min || asked > max)
      issue(["schedule", "entries", index, "gpus"], `expected ${min} to ${max}, as min and max say`);
  for (const source of sources) {
    if (services !== undefined)
      issue(
        [source],
        "expected none beside services: a fleet that several services keep has one size for now",
      );
    if (allOrNothing !== undefined)
      issue([source], "expected none beside allOrNothing: what is wanted as a whole has one size");
  }
  if (min > 0 && idle?.then === "drain")
    issue(["idle", "then"], `expected stop or tell: min keeps ${min}, and drain gives back all`);
  else if (metric && idle && idle.then !== "tell")
    issue(["idle", "then"], "expected tell beside metric: else both would say how many machines there are");
}
