import { z } from "zod";
import { combinationShape, count, currency, isoMoment, type Said, text, usd } from "./parts.ts";

const placeSchema = z.object({
  ...combinationShape,
  gpus: count,
  gpuModel: text.nullable(),
  launches: count.describe("machines that were launched here, by this ledger"),
  refused: count.describe("launches that the service refused, as far as an agent saw it"),
  failures: count.describe("launches whose machine failed and never ran"),
  losses: count.describe("machines that ended by themselves"),
  machineDays: z.number().describe("days that machines were there, all together, from their launch on"),
  lossesPerMachineDay: z
    .object({ mean: z.number(), low: z.number(), high: z.number() })
    .nullable()
    .describe(
      "a Gamma distribution of shape losses + 1/2 and rate machineDays (the prior of Jeffreys for a Poisson rate): its mean, and between low and high with a probability of 80%; null: no machine was there",
    ),
  secondsToRun: z
    .number()
    .nullable()
    .describe("from a launch until its machine ran, half of them took less; null: not known"),
  hoursCooling: z.number().describe("how long the service asked not to try it again"),
  pricePerHour: z
    .object({ now: usd.nullable(), days7: usd.nullable(), days30: usd.nullable() })
    .describe(
      "an hour of the whole machine: when the offers were read last, and the mean by the time in which it was offered at a known price; null: not offered then, or not known",
    ),
  room: count
    .nullable()
    .describe("machines that could be had when the offers were read last; null: not known"),
});
export type PlaceFacts = Said<typeof placeSchema>;

const accountPlacesSchema = z.object({
  account: text,
  baseUrl: text,
  currency,
  since: isoMoment.nullable().describe("since when offers were sampled in these days; null: they were not"),
  read: isoMoment.nullable().describe("when they were read last"),
  places: z.array(placeSchema).describe("those where most machines were first, then the cheapest GPU"),
});
export type AccountPlaces = Said<typeof accountPlacesSchema>;

/** `places --json`. */
export const placesSchema = z.object({
  ledger: text,
  days: count.describe("of UTC, today included, for all but prices"),
  accounts: z.array(accountPlacesSchema),
});
