import { z } from "zod";
import { budgetsSchema } from "./budgets.ts";
import { count, currency, type Said, text, usd } from "./parts.ts";

const ownSpendSchema = z.object({
  perDay: z.array(usd).describe("one sum for each of the days"),
  sum: usd.describe("in all of these days"),
  ever: usd.describe("since the ledger has known it"),
  unpriced: count.describe("machines of unknown price, which are in none of these sums"),
});
export type OwnSpend = Said<typeof ownSpendSchema>;

/** Of one fleet, for a line beside its cost an hour. */
export const fleetSpentSchema = z.object({
  today: usd.describe("on this day of UTC, an estimate"),
  refundedToday: usd.describe("by which refunds of today's hours have lowered it"),
  ever: ownSpendSchema.shape.ever,
  unpriced: ownSpendSchema.shape.unpriced,
});
export type FleetSpent = Said<typeof fleetSpentSchema>;

/** What was paid for, estimated (see launch/money/spend.ts). */
const spendingSchema = z.object({
  days: z.array(text).describe("days of UTC such as 2026-07-01, the oldest first, today last"),
  owners: z
    .array(ownSpendSchema.extend({ kind: z.enum(["fleet", "deployment"]), name: text }))
    .describe("fleets, also removed ones, then Pulumi deployments"),
  all: ownSpendSchema,
  unaccounted: z
    .object({ machines: count, pricePerHour: usd, unpriced: count })
    .describe("machines that live and that nobody here answers for: in none of the sums"),
});
export type Spending = Said<typeof spendingSchema>;

const spendBySchema = z.object({
  label: text,
  rows: z
    .array(ownSpendSchema.extend({ value: text.nullable().describe("null: what has no such label") }))
    .describe("by its value; together they are all"),
});
export type SpendBy = Said<typeof spendBySchema>;

const accountSpendingSchema = spendingSchema.extend({
  account: text,
  baseUrl: text,
  currency,
  budgets: budgetsSchema,
  by: spendBySchema.nullable().describe("by the label that --by names; null: it names none"),
  billing: text.nullable().describe("how time is billed, by the profile; null: as the specification has it"),
});
export type AccountSpending = Said<typeof accountSpendingSchema>;

const wholeSpendSchema = z.object({
  name: text,
  currency,
  days: z.array(text),
  all: ownSpendSchema,
  services: z.array(ownSpendSchema.extend({ service: text, fleet: text, account: text })),
});
export type WholeSpend = Said<typeof wholeSpendSchema>;

/** `spend --json`. */
export const spendSchema = z.object({
  ledger: text,
  estimate: z.literal(true).describe("the service shows no bill"),
  currency: currency
    .nullable()
    .describe("of all of them; null: they have several, and nothing is a sum of two"),
  wholes: z
    .array(wholeSpendSchema)
    .describe(
      "each fleet that several services keep, over all of them and by service; not where they count in several currencies",
    ),
  accounts: z.array(accountSpendingSchema),
});
export type LedgerSpending = Said<typeof spendSchema>;
