import { z } from "zod";
import { combinationShape, count, currency, type Said, text, usd } from "./parts.ts";

const offerSchema = z.object({
  service: text.optional().describe("of a fleet file with several services: which one has it"),
  ...combinationShape,
  gpus: count,
  gpuModel: text.nullable(),
  pricePerHour: usd.nullable().describe("an hour of the whole machine"),
  pricePerGpuHour: usd.nullable(),
  pricePerWorkHour: usd.nullable().describe("of a GPU, divided by its --worth: what offers are sorted by"),
  currency,
  available: z.boolean().nullable(),
  stock: z.number().nullable().describe("machines that can be had, where the service says it"),
  coolingSeconds: count.describe("0: this ledger knows of no cooldown"),
});
export type OfferFacts = Said<typeof offerSchema>;

/** `offers --json`. */
export const offersSchema = z.array(offerSchema);
