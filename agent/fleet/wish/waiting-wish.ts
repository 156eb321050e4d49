import Big from "big.js";
import { z } from "zod";
import { durationSchema } from "../../../service/text/duration.ts";

export const otherSizesSchema = z
  .strictObject(
    { after: durationSchema.describe("for how long only machines are launched that make the count exactly") },
    { error: (issue) => (issue.code === "invalid_type" ? "expected { after: 20m }" : undefined) },
  )
  .describe(
    "what only machines of another size can fill waits so long for the right one: then overshoot counts, and small machines make room for a large one within surge",
  );

/** What `select.patience` waits for: a price, or what is not much dearer than usual. */
export interface Patience {
  readonly maxPricePerGpuHour?: string | undefined;
  readonly above?: string | undefined;
}

/** What of a wish its waits have to fit. */
interface Around {
  readonly otherSizes?: unknown;
  readonly overshoot: number;
  readonly surge: number;
  readonly select?: { readonly patience?: Patience | undefined } | undefined;
  readonly budget: { readonly perGpuHour?: string | undefined };
  readonly allOrNothing?: unknown;
  readonly services?: unknown;
}

/** Holds `otherSizes` and `select.patience` to the rest of their wish, where people write it. */
export function fittingWaits(wish: Around, context: z.RefinementCtx): void {
  const { otherSizes, overshoot, surge, select, budget, allOrNothing, services } = wish;
  const issue = (path: string[], message: string): void =>
    context.addIssue({ code: "custom", path, message });
  const dearer = select?.patience?.maxPricePerGpuHour;
  if (dearer !== undefined && budget.perGpuHour !== undefined && new Big(budget.perGpuHour).lt(dearer))
    issue(
      ["select", "patience", "maxPricePerGpuHour"],
      `expected at most budget.perGpuHour, which is ${budget.perGpuHour}: nothing dearer is ever launched`,
    );
  if (select?.patience?.above !== undefined && services !== undefined)
    issue(
      ["select", "patience", "above"],
      "expected maxPricePerGpuHour in its place beside services: what is usual is known of one service",
    );
  if (otherSizes === undefined) return;
  const odd = (message: string): void => issue(["otherSizes"], message);
  if (overshoot === 0 && surge === 0)
    odd("expected overshoot or surge beside it: they say how many GPUs more another size may bring");
  if (allOrNothing !== undefined)
    odd("expected none beside allOrNothing: such a fleet waits for all of its GPUs at once");
  if (services !== undefined)
    odd("expected none beside services: what is missing is chosen among their sizes at once");
}
