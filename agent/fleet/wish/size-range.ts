import { z } from "zod";
import { whole } from "../text/whole-number.ts";

/** The bounds of a size that follows something, and the size where nothing says another one. */
export const rangeShape = {
  min: whole(0).describe("never fewer, whatever was given back"),
  max: whole(0).describe("never more, whoever asks"),
  at: whole(0).describe(
    "how many GPUs are wanted where no window is open, no metric was read yet and no person asks",
  ),
};

/** `gpus` of a fleet whose size follows something, or a person's number. */
export const rangeSchema = z.strictObject(rangeShape);
export type Range = z.output<typeof rangeSchema>;

interface Sized {
  readonly gpus: number;
  readonly schedule?: Range | undefined;
  readonly metric?: Range | undefined;
  readonly range?: Range | undefined;
  readonly work?: unknown;
}

/** The bounds of a size that may change by itself or by a person's number; undefined: it does not. */
export function rangeOf({ gpus, schedule, metric, range, work }: Sized): Range | undefined {
  return schedule ?? metric ?? range ?? (work ? { min: 0, max: gpus, at: 0 } : undefined);
}

export function within({ min, max }: Range, gpus: number): number {
  return Math.max(min, Math.min(max, gpus));
}
