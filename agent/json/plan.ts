import { z } from "zod";
import {
  combinationShape,
  count,
  currency,
  holdsSchema,
  olderSchema,
  type Said,
  text,
  usd,
} from "./parts.ts";
import { wholeSchema } from "./whole.ts";

const planSchema = z.object({
  service: text.optional().describe("which one, where the fleet file has several"),
  fleet: text,
  currency,
  desired: count.describe("GPUs"),
  running: count.describe("GPUs of machines that run"),
  starting: count.describe("GPUs that start, or that a launch of unknown outcome may have made"),
  stopping: count.describe("GPUs of machines that are being stopped"),
  launches: z.array(z.object({ ...combinationShape, gpus: count, pricePerHour: usd.nullable(), why: text })),
  stops: z.array(z.object({ id: text, why: text })),
  olderWish: olderSchema,
  holds: holdsSchema,
  reasons: z.array(text).describe("why the count is not reached yet, or what is waited for"),
  wake: z.number().nullable().describe("milliseconds until the next look, if it is earlier than the poll"),
});
/** What `plan --json` says of one fleet. */
export type PlanFacts = Said<typeof planSchema>;

const errors = z.array(z.object({ service: text, error: text }));

/** `plan --json`. `errors`: of services that could not be asked, where the fleet file has several. */
export const plansSchema = z.object({
  wholes: z
    .array(wholeSchema)
    .optional()
    .describe(
      "where the file has several services: each fleet that several keep, as one, with what was chosen just now",
    ),
  fleets: z.array(planSchema),
  errors: errors.optional(),
});
