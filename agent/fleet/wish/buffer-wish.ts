import { z } from "zod";
import { whole } from "../text/whole-number.ts";

/** GPUs more than asked for. `amount`: the schema of an amount of money. */
export function bufferSchema<Amount extends z.ZodType>(amount: Amount) {
  return z
    .strictObject(
      {
        gpus: whole(1).describe("so many GPUs more than are asked for"),
        maxPricePerGpuHour: amount.describe(
          "what one of them may cost an hour: dearer ones are not launched",
        ),
      },
      {
        error: ({ code }) =>
          code === "invalid_type" ? "expected { gpus: 2, maxPricePerGpuHour: 2.50 }" : undefined,
      },
    )
    .describe(
      "GPUs more than asked for, while they cost no more than so much: one takes the place of what is lost at once",
    );
}

/** What of a wish its buffer has to fit. */
interface Around {
  readonly buffer?: { readonly gpus: number; readonly maxPricePerGpuHour: string } | undefined;
  readonly budget: { readonly perGpuHour?: string | undefined };
  readonly idle?: { readonly then: string } | undefined;
  readonly allOrNothing?: unknown;
  readonly services?: unknown;
}

/** Holds `buffer` to the rest of its wish, where people write it. */
export function fittingBuffer(wish: Around, context: z.RefinementCtx): void {
  const { buffer, budget, idle, allOrNothing, services } = wish;
  if (!buffer) return;
  const issue = (path: string[], message: string): void =>
    context.addIssue({ code: "custom", path, message });
  if (budget.perGpuHour !== undefined && Number(buffer.maxPricePerGpuHour) > Number(budget.perGpuHour))
    issue(
      ["buffer", "maxPricePerGpuHour"],
      `expected at most budget.perGpuHour, which is ${budget.perGpuHour}: nothing dearer is ever launched`,
    );
  if (allOrNothing !== undefined)
    issue(["buffer"], "expected none beside allOrNothing: what is wanted as a whole has no GPUs more");
  if (services !== undefined)
    issue(["buffer"], "expected none beside services: nobody says yet which of them would have it");
  if (idle && idle.then !== "tell")
    issue(["idle", "then"], "expected tell beside buffer: what nobody uses yet would be given back");
}
