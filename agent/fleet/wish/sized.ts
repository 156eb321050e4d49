import { z } from "zod";
import { whole } from "../text/whole-number.ts";
import type { Idle } from "./idle-wish.ts";
import { type Metric, metricInput } from "./metric-wish.ts";
import { type Schedule, scheduleInput } from "./schedule.ts";
import { type Range, rangeSchema, rangeShape } from "./size-range.ts";

/*
 * How many GPUs a fleet of a file wants: a number, or a range within which a schedule, a metric or a person asks for one.
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
    .describe(
      "how many GPUs to keep; { min, max, at } where a schedule, a metric or a person may ask for another number",
    ),
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
  readonly range?: Range;
} {
  if (typeof gpus === "number") return { gpus };
  if (!schedule && !metric) return { gpus: gpus.at, range: gpus };
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

/** Keys of a Pulumi `Fleet`, whose `gpus` is what is wanted where nothing asks: a type of two kinds is none in every language. */
export const stackSizeShape = {
  range: z
    .strictObject({ min: rangeShape.min, max: rangeShape.max })
    .optional()
    .describe(
      "the bounds of the count, where a schedule, a metric or a person may ask for another than gpus",
    ),
  schedule: sizeShape.schedule,
  metric: sizeShape.metric,
};

interface InStack extends Omit<Sized, "gpus"> {
  readonly gpus: number;
  readonly range?: z.output<typeof stackSizeShape.range>;
}

/** Its count as a fleet file has it. */
function countOf({ gpus: at, range }: InStack): Sized["gpus"] {
  return range ? { ...range, at } : at;
}

/** What a wish of a stack says of it. */
export function stackSizeOf(fleet: InStack): ReturnType<typeof sizeOf> {
  return sizeOf({ ...fleet, gpus: countOf(fleet) });
}

/** Holds the size of a Pulumi `Fleet` to the rest of it. */
export function fittingStackSize(fleet: InStack & Omit<Around, "gpus">, context: z.RefinementCtx): void {
  fittingSize({ ...fleet, gpus: countOf(fleet) }, context, IN_A_STACK);
}

interface Around extends Sized {
  readonly services?: unknown;
  readonly allOrNothing?: unknown;
  readonly work?: unknown;
  readonly idle?: Idle | undefined;
}

const ONE_SIZE = "what is wanted as a whole has one size";

/** Where people write these, and how. */
interface Places {
  readonly range: readonly string[];
  readonly min: readonly string[];
  readonly max: readonly string[];
  readonly at: readonly string[];
  readonly none: string;
  readonly example: (source: string, at: number) => string;
}

const IN_A_FILE: Places = {
  ...{ range: ["gpus"], min: ["gpus", "min"], max: ["gpus", "max"], at: ["gpus", "at"] },
  none: "a number of GPUs",
  example: (source, at) => `{ min, max, at } beside ${source}, such as { min: 0, max: 64, at: ${at} }`,
};

const IN_A_STACK: Places = {
  ...{ range: ["range"], min: ["range", "min"], max: ["range", "max"], at: ["gpus"] },
  none: "none",
  example: (source) => `{ min, max } beside ${source}, such as { min: 0, max: 64 }`,
};

/** Holds the size to the rest of its fleet. */
export function fittingSize(fleet: Around, context: z.RefinementCtx, places: Places = IN_A_FILE): void {
  const { gpus, schedule, metric, services, allOrNothing, work, idle } = fleet;
  const issue = (path: readonly PropertyKey[], message: string): void =>
    context.addIssue({ code: "custom", path: [...path], message });
  const sources = (["schedule", "metric"] as const).filter((key) => fleet[key] !== undefined);
  if (typeof gpus === "number") {
    for (const source of sources) issue(places.range, `expected ${places.example(source, gpus)}`);
    return;
  }
  const { min, max, at } = gpus;
  if (work !== undefined && sources.length === 0)
    issue(places.range, `expected ${places.none} beside work, which says itself how many GPUs are wanted`);
  if (max < min) {
    issue(places.max, `expected at least min, which is ${min}`);
    return;
  }
  if (at < min || at > max) issue(places.at, `expected ${min} to ${max}, as min and max say`);
  const { entries = [] } = schedule ?? {};
  for (const [index, { gpus: asked }] of entries.entries())
    if (asked < min || asked > max)
      issue(["schedule", "entries", index, "gpus"], `expected ${min} to ${max}, as min and max say`);
  for (const source of sources.length > 0 ? sources.map((key) => [key]) : [places.range]) {
    if (services !== undefined && allOrNothing !== undefined)
      issue(source, `expected none beside services and allOrNothing: ${ONE_SIZE}, whichever service has it`);
  }
  if (allOrNothing !== undefined && metric)
    issue(["metric"], `expected none beside allOrNothing: ${ONE_SIZE}, and a metric asks for any`);
  else if (allOrNothing !== undefined)
    for (const { path, gpus: size } of [
      { path: places.min, gpus: min },
      { path: places.at, gpus: at },
      ...entries.map((entry, index) => ({ path: ["schedule", "entries", index, "gpus"], gpus: entry.gpus })),
    ])
      if (size !== 0 && size !== max)
        issue(path, `expected 0 or ${max}, which is max, beside allOrNothing: ${ONE_SIZE}`);
  if (services !== undefined && min > 0 && idle?.then === "stop")
    issue(
      places.min,
      "expected 0 beside services and idle with then: stop: one service does not see what the others keep",
    );
  if (min > 0 && idle?.then === "drain")
    issue(["idle", "then"], `expected stop or tell: min keeps ${min}, and drain gives back all`);
  else if (metric && idle && idle.then !== "tell")
    issue(["idle", "then"], "expected tell beside metric: else both would say how many machines there are");
}
