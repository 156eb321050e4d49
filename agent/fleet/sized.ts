import { z } from "zod";
import type { Idle } from "./idle-wish.ts";
import { rangeSchema, type Schedule, scheduleInput } from "./schedule.ts";
import { whole } from "./whole-number.ts";

/*
 * How many GPUs a fleet of a file wants: a number, or a range with a schedule in it.
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
    .describe("how many GPUs to keep; with a schedule { min, max, at }"),
  schedule: scheduleInput.optional().describe("how many GPUs are wanted when, by the clock of a time zone"),
};

interface Sized {
  readonly gpus: number | z.output<typeof rangeSchema>;
  readonly schedule?: z.output<typeof scheduleInput> | undefined;
}

/** What a wish says of it. */
export function sizeOf({ gpus, schedule }: Sized): { readonly gpus: number; readonly schedule?: Schedule } {
  if (typeof gpus === "number") return { gpus };
  return { gpus: gpus.at, ...(schedule && { schedule: { ...schedule, ...gpus } }) };
}

/** The most that it may ever want. */
export function largestSize({ gpus }: Pick<Sized, "gpus">): number {
  return typeof gpus === "number" ? gpus : gpus.max;
}

interface Around extends Sized {
  readonly services?: unknown;
  readonly allOrNothing?: unknown;
  readonly idle?: Idle | undefined;
}

/** Holds the size to the rest of its fleet. */
export function fittingSize(fleet: Around, context: z.RefinementCtx): void {
  const { gpus, schedule, services, allOrNothing, idle } = fleet;
  const issue = (path: readonly PropertyKey[], message: string): void =>
    context.addIssue({ code: "custom", path: [...path], message });
  if (typeof gpus === "number") {
    if (schedule)
      issue(["gpus"], `expected { min, max, at } beside schedule, such as { min: 0, max: 64, at: ${gpus} }`);
    return;
  }
  const { min, max, at } = gpus;
  if (!schedule)
    issue(["gpus"], "expected a number of GPUs: min and max bound a schedule, and there is none");
  if (max < min) {
    issue(["gpus", "max"], `expected at least min, which is ${min}`);
    return;
  }
  if (at < min || at > max) issue(["gpus", "at"], `expected ${min} to ${max}, as min and max say`);
  for (const [index, { gpus: asked }] of (schedule?.entries ?? []).entries())
    if (asked < min || asked > max)
      issue(
        ["schedule", "entries", index, "gpus"],
        `expected ${min} to ${max}, as gpus.min and gpus.max say`,
      );
  if (schedule && services !== undefined)
    issue(
      ["schedule"],
      "expected none beside services: a fleet that several services keep has one size for now",
    );
  if (schedule && allOrNothing !== undefined)
    issue(["schedule"], "expected none beside allOrNothing: what is wanted as a whole has one size");
  if (min > 0 && idle?.then === "drain")
    issue(["idle", "then"], `expected stop or tell: gpus.min keeps ${min}, and drain gives back all`);
}
