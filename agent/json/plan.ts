import { z } from "zod";
import {
  combinationShape,
  count,
  currency,
  holdsSchema,
  isoMoment,
  olderSchema,
  type Said,
  text,
  usd,
} from "./parts.ts";
import { wholeSchema } from "./whole.ts";

const costsSchema = z
  .object({
    gpus: count,
    unpriced: count.describe("machines and launches of unknown price: with one of them the sums are null"),
    perHour: usd.nullable(),
    perDay: usd.nullable().describe("24 such hours"),
    perMonth: usd.nullable().describe("30 such days"),
  })
  .describe("what it has once this is carried out, at the prices of now");

const mostSchema = z
  .object({
    perHour: usd.nullable().describe("an hour of all that bills at one time"),
    perHourBy: text.nullable().describe("the limit that it follows from"),
    untilEnd: usd.nullable().describe("from now until its end"),
    end: isoMoment.nullable(),
    inAll: usd.nullable().describe("all that it pays in its life, by budget.total"),
    replaced: usd
      .nullable()
      .describe("on top of untilEnd for each machine that ends early and is replaced; inAll has it"),
    late: usd
      .nullable()
      .describe(
        "on top, an hour of each machine that shows after its launch was given up, until it is stopped",
      ),
    unstopped: usd.nullable().describe("on top, for each hour in which no stop is carried out"),
    why: z.array(text).describe("why there is no bound, and what to write"),
  })
  .describe(
    "the most that it can cost whatever the service does, over all services that keep it; null: there is no bound",
  );

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
  takes: z
    .array(
      z.object({
        id: text,
        status: text.describe("the service's own word"),
        gpus: count,
        pricePerHour: usd.nullable(),
        otherLedger: text
          .nullable()
          .describe(
            "the ledger that launched it, by its marker: if it is in use, both keep this machine; null: none is known",
          ),
      }),
    )
    .describe(
      "what nobody answers for and fits, in an exclusive account: it is counted as the fleet's, and no launch is planned for it",
    ),
  olderWish: olderSchema,
  holds: holdsSchema,
  reasons: z.array(text).describe("why the count is not reached yet, or what is waited for"),
  wake: z.number().nullable().describe("milliseconds until the next look, if it is earlier than the poll"),
  costs: costsSchema,
  most: mostSchema,
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
