import { z } from "zod";
import { count, labelsSchema, type Said, text, usd } from "./parts.ts";

const limitSchema = z
  .object({ limit: usd, spent: usd.describe("an estimate"), left: usd.describe("0 where more is spent") })
  .nullable()
  .describe("null: it says none");

const budgetSchema = z.object({
  label: labelsSchema.describe("what has all of these counts; none: the whole account"),
  source: text.describe("the fleet file that says it"),
  perDay: limitSchema,
  total: limitSchema,
  unpriced: count.describe("what counts and has no known price: then nothing is launched for it"),
});
export type BudgetFacts = Said<typeof budgetSchema>;

export const budgetsSchema = z
  .array(budgetSchema)
  .describe("limits over a label or the whole account; no launch goes above one");
