import { z } from "zod";
import { whole } from "./whole-number.ts";

/** The bounds of a size that follows something, and the size where nothing says another one. */
export const rangeShape = {
  min: whole(0).describe("never fewer, whatever was given back"),
  max: whole(0).describe("never more, whoever asks"),
  at: whole(0).describe("how many GPUs are wanted where no window is open and no metric was read yet"),
};

/** `gpus` of a fleet with a schedule or a metric. */
export const rangeSchema = z.strictObject(rangeShape);
export type Range = z.output<typeof rangeSchema>;
