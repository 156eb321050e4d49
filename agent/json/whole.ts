import { z } from "zod";
import { count, currency, type Said, text, usd } from "./parts.ts";
import { fleetSpentSchema } from "./spend.ts";

const state = z
  .enum(["complete", "launches", "dearer", "held", "unknown", "away", "paused", "drained"])
  .describe(
    "complete: the fleet lacks nothing. launches: it was chosen for what is missing. dearer: it could, and others were chosen. held: it cannot now. unknown: it has not said yet what it has. away: no agent keeps its account, or its service cannot be read",
  );

const wholePartSchema = z.object({
  service: text.describe("as the fleet file calls it"),
  fleet: text.describe("the name of the part, as status and orders know it"),
  account: text,
  portion: z
    .int()
    .describe("GPUs of the count that are this part's; below 0 until others give back what is too much"),
  runningGpus: count,
  startingGpus: count,
  stoppingGpus: count,
  readyGpus: count.nullable(),
  unknownLaunches: count.describe("launches whose outcome is not known yet"),
  pricePerHour: usd.nullable(),
  currency,
  spent: fleetSpentSchema,
  state,
  why: text.nullable().describe("why it gives no more; null: nothing more is asked of it"),
});
export type WholePart = Said<typeof wholePartSchema>;

/** A fleet that several services keep, as one. */
export const wholeSchema = z.object({
  name: text,
  wishedGpus: count.describe("what its declaration asks for"),
  desiredGpus: count.describe(
    "of these, without what was given back as idle; 0 while all of its parts are drained",
  ),
  runningGpus: count,
  startingGpus: count,
  stoppingGpus: count,
  readyGpus: count.nullable().describe("by the fleet's own check; null: it has none"),
  movingGpus: z.int().describe("GPUs of the count that are on the way from one part to another"),
  met: z.boolean(),
  currency: currency.nullable().describe("null: its services count in several, and nothing is a sum of two"),
  pricePerHour: usd.nullable().describe("an hour of what lives; null: a price is not known"),
  limits: z.object({ perHour: usd.nullable(), perDay: usd.nullable(), total: usd.nullable() }),
  spent: fleetSpentSchema.nullable(),
  runway: z
    .object({
      seconds: count,
      ends: z.enum(["total", "until", "balance"]).describe("what ends it"),
      service: text.nullable().describe("whose balance it is"),
    })
    .nullable()
    .describe(
      "until the first of its total, its deadline and the balances of what runs of it ends something; null: nothing is known to",
    ),
  services: z.array(wholePartSchema),
});
export type WholeStatus = Said<typeof wholeSchema>;
