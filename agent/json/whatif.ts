import { z } from "zod";
import { combinationShape, count, currency, isoMoment, type Said, text, usd } from "./parts.ts";

const spread = z
  .object({ low: z.number(), median: z.number(), high: z.number() })
  .describe(
    "over the seeds: a tenth is below low, a tenth above high; with few seeds the least and the most",
  );

const money = z.object({ low: usd, median: usd, high: usd });

const outcomeShape = {
  gpuHours: z.object({ asked: spread, had: spread, missing: spread }),
  cost: money.describe(
    "in the market's currency, where a machine keeps the price of its launch, or as the market file says",
  ),
  costIfPricesFloat: money.describe("where who holds a machine pays the price of the moment"),
  costPerGpuHour: money.nullable().describe("of those that were had; null: none were"),
  interruptions: spread.describe("machines that were lost while they ran"),
  left: spread.describe("machines that were stopped by choice: moves, updates, a smaller size"),
  minutesToRecover: spread
    .nullable()
    .describe(
      "from a loss that left too few GPUs until there were enough, of all losses of all seeds; null: there was none",
    ),
};
const outcomeSchema = z.object(outcomeShape);
export type Outcome = Said<typeof outcomeSchema>;

const playedFileSchema = z.object({
  file: text,
  fleets: z.array(
    z.object({
      fleet: text,
      ...outcomeShape,
      reasons: z.array(text).describe("what its plan said at the end of the first play"),
    }),
  ),
  all: outcomeSchema,
  launches: spread,
  refused: spread.describe("launches that the service refused"),
  requests: spread.describe("that the agent sent, all together"),
  machines: z
    .array(
      z.array(
        z.object({
          fleet: text,
          ...combinationShape,
          gpus: count,
          from: isoMoment.describe("since when it ran"),
          to: isoMoment.describe("when it was lost or its stop was asked for, or the end of the play"),
          lost: z.boolean(),
        }),
      ),
    )
    .describe("those that ran, of each play"),
  notPlayed: z.array(text).describe("what of the file did nothing, and why"),
  trouble: z.array(text).describe("why rounds of the agent decided nothing"),
});
export type PlayedFile = Said<typeof playedFileSchema>;

/** `whatif --json`. */
export const whatifSchema = z.object({
  market: z.object({
    name: text.describe("a market file, or a ledger and its account"),
    from: isoMoment.describe(
      "when the play begins; of a market file, which has no date: on the Monday of this week",
    ),
    days: z.number().describe("that were played"),
    daysAsked: count,
    offers: count,
    currency,
  }),
  seeds: count,
  files: z.array(playedFileSchema),
  compared: text
    .nullable()
    .describe("the second file, or a version that decides otherwise, beside the first; null: there is none"),
  upgrade: z
    .object({
      other: text.describe("the other version, as it was called"),
      alike: z.boolean(),
      differs: z
        .array(z.object({ seed: count, at: isoMoment, text }))
        .describe(
          "of each play that went otherwise, the first machine that only one of them ran, or ended then",
        ),
    })
    .nullable()
    .describe("whether another version decides alike on the same market; null: none was named"),
  notKnown: z.array(text).describe("what the market does not say, and what is assumed in its place"),
});
export type WhatIf = Said<typeof whatifSchema>;
