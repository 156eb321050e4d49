import { z } from "zod";
import type { DocumentProblem } from "../../../service/document/document-problem.ts";
import { haveSameLabels } from "../declare/budgets.ts";
import { labelsSchema } from "../wish/labels-wish.ts";
import { usd } from "../wish/wish.ts";

const MOST = 50;

/** `budgets` of a fleet file: limits over a label, or over the whole account. */
export const budgetsSchema = z
  .array(
    z
      .strictObject({
        label: labelsSchema
          .optional()
          .describe("what has all of these labels counts; without it the whole account does"),
        service: z.string().min(1).optional().describe("with services: in whose account it holds"),
        perDay: usd.optional().describe("on one day of UTC: no launch goes above it, and what runs goes on"),
        total: usd.optional().describe("in all, as far as the ledger knows: no launch goes above it"),
      })
      .refine(({ perDay, total }) => perDay !== undefined || total !== undefined, {
        error: "expected a limit: add perDay or total",
      }),
  )
  .max(MOST, `expected at most ${MOST}`)
  .default([])
  .describe("limits that all launches of the account share, or those under a label");
type Budgets = z.output<typeof budgetsSchema>;

/** No transaction sees two accounts, so a limit holds in one. */
export function budgetProblems({
  budgets,
  services,
}: {
  readonly budgets: Budgets;
  readonly services?: object | undefined;
}): readonly DocumentProblem[] {
  const names = Object.keys(services ?? {});
  return budgets.flatMap((budget, index): readonly DocumentProblem[] => {
    const path = ["budgets", index];
    const { service } = budget;
    if (Object.keys(budget.label ?? { any: "" }).length === 0)
      return [
        {
          path: [...path, "label"],
          message: "names no label: add one, or take it out for the whole account",
        },
      ];
    const before = budgets
      .slice(0, index)
      .some((other) => other.service === service && haveSameLabels(other, budget));
    if (before) return [{ path, message: "stands there before, with the same label: make one of the two" }];
    if (!services) {
      const message = "goes with services: this file has one service, so take it out";
      return service === undefined ? [] : [{ path: [...path, "service"], at: "key", message }];
    }
    if (service === undefined) {
      const message = `says nowhere in which account it holds, and no transaction sees two: add service: ${names.join(" or ")}`;
      return [{ path, message }];
    }
    if (names.includes(service)) return [];
    const message = `expected one of services (${names.join(", ")}), got ${JSON.stringify(service)}`;
    return [{ path: [...path, "service"], message }];
  });
}
