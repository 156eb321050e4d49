import { z } from "zod";
import { HOUR_MS, type Instant } from "../../../ledger/instant.ts";
import { momentSchema } from "../text/moment.ts";
import { gpusText } from "../text/text.ts";
import type { Idle } from "./idle-wish.ts";

/*
 * Work by a deadline: so many GPU-hours by a moment, for the least money. Its fleet's size follows from what is left of it.
 * See docs/how/work.md.
 */

const HOURS = "expected a number of GPU-hours above 0, such as 400";

export const workSchema = z
  .strictObject(
    {
      gpuHours: z
        .number({ error: HOURS })
        .positive(HOURS)
        .max(1e9, "expected at most 1000000000 GPU-hours")
        .describe("hours of one GPU, of machines that run"),
      by: momentSchema.describe("when they have to be done; from then on the fleet wants no GPUs"),
    },
    {
      error: (issue) =>
        issue.code === "invalid_type" ? 'expected { gpuHours: 400, by: "2026-12-04T18:00:00Z" }' : undefined,
    },
  )
  .describe(
    "so many GPU-hours by a moment for the least money: the fleet wants up to gpus where they are cheap, waits where they are dear, and goes on at once where the time gets short",
  );
export type Work = z.output<typeof workSchema>;

/** Each says how many GPUs there are when, or launches for its own reasons. */
const OTHERS = [
  "schedule",
  "metric",
  "life",
  "services",
  "allOrNothing",
  "improve",
  "otherSizes",
  "buffer",
] as const;

interface Around extends Partial<Readonly<Record<(typeof OTHERS)[number], unknown>>> {
  readonly gpus: unknown;
  readonly work?: Work | undefined;
  readonly select?: { readonly patience?: unknown } | undefined;
  readonly idle?: Idle | undefined;
  readonly until?: string | undefined;
}

/** Holds `work` to the rest of its wish, where people write it. */
export function fittingWork(wish: Around, context: z.RefinementCtx): void {
  const { gpus, work, select, idle, until } = wish;
  if (!work) return;
  const issue = (path: string[], message: string): void =>
    context.addIssue({ code: "custom", path, message });
  if (gpus === 0) issue(["gpus"], "expected 1 or more beside work: the most GPUs at a time");
  for (const key of OTHERS)
    if (wish[key] !== undefined)
      issue(
        ["work"],
        `expected none beside ${key}: the work alone says how many GPUs there are. Take one of them out`,
      );
  if (select?.patience !== undefined)
    issue(
      ["work"],
      "expected none beside select.patience: the work itself says what it waits for. Take one of them out",
    );
  if (idle && idle.then !== "tell")
    issue(["idle", "then"], "expected tell beside work: else both would say how many machines there are");
  if (until !== undefined && Date.parse(until) < Date.parse(work.by))
    issue(["work", "by"], `expected a moment up to until, ${until}, which drains the fleet before that`);
}

/** Why work that nothing is done of cannot be done; undefined: it can. */
export function whyImpossible(
  { gpus, work }: { readonly gpus: number; readonly work?: Work | undefined },
  { now }: { readonly now: Pick<Instant, "wall"> },
): { readonly why: string; readonly remedy: string } | undefined {
  if (!work) return undefined;
  const hours = (Date.parse(work.by) - now.wall) / HOUR_MS;
  if (hours <= 0)
    return { why: `work.by, ${work.by}, is over`, remedy: "Write a later moment, or take work out" };
  if (work.gpuHours <= gpus * hours) return undefined;
  const takes = Math.ceil(work.gpuHours / hours);
  return {
    why: `${work.gpuHours} GPU-hours cannot be done by ${work.by}: ${gpusText(gpus)} make ${Math.floor(gpus * hours)} in the ${hours.toFixed(1)} hours until then`,
    remedy: `Write gpus: ${takes} or more, a later work.by, or fewer work.gpuHours`,
  };
}
