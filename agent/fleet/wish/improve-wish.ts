import { z } from "zod";
import { DAY_MS } from "../../../ledger/instant.ts";
import { parseUsd, type Usd } from "../../../service/contract/money.ts";
import { durationSchema, milliseconds } from "../../../service/text/duration.ts";
import { windowsSchema } from "../clock/windows.ts";

const expected = "expected a share with its sign, such as 20%, or an amount an hour, such as 2.50";

export const improveSchema = z
  .strictObject(
    {
      saves: z
        .union([z.string(), z.number()], { error: expected })
        .transform((value) => String(value))
        .refine((value) => /^\d{1,2}(\.\d)?%$|^\d{1,12}(\.\d{1,6})?$/.test(value), expected)
        .refine(
          (value) => !(Number.parseFloat(value) <= 0),
          "expected more than 0: else machines move for nothing",
        )
        .describe(
          "what a move has to save: a share of what the machines cost that it leaves, or an amount an hour",
        ),
      most: z
        .int({ error: "expected a whole number of 1 or more" })
        .min(1, "expected a whole number of 1 or more")
        .default(1)
        .describe("so many moves begin within per"),
      per: durationSchema
        .refine((text) => milliseconds(text) <= DAY_MS, "expected at most a day, such as 1h or 24h")
        .default("1h")
        .describe("see most; at most a day"),
      restart: durationSchema
        .default("15m")
        .describe("how much work a machine loses that is replaced: it counts as a cost of the move"),
      within: windowsSchema.optional().describe("moves begin only then; without it at any time"),
    },
    { error: (issue) => (issue.code === "invalid_type" ? "expected { saves: 20% }" : undefined) },
  )
  .describe(
    "machines are replaced by cheaper ones, new ones first as far as surge allows; without it they stay",
  );

export type Improve = z.output<typeof improveSchema>;

/** What a move has to save an hour that leaves machines of this price. */
export function leastSaving({ saves }: Improve, leaves: Usd): Usd {
  const share = /^(.*)%$/.exec(saves)?.[1];
  return share === undefined ? (parseUsd(saves) ?? leaves) : leaves.times(share).div(100);
}

/** Holds `improve` to the rest of its wish, where people write it. */
export function fittingImprove(around: Around, context: z.RefinementCtx): void {
  const { gpus, improve, allOrNothing, services, surge = 0 } = around;
  if (!improve) return;
  const issue = (why: string, key = "improve"): void =>
    context.addIssue({ code: "custom", path: [key], message: why });
  if (allOrNothing !== undefined && surge < gpus)
    issue(
      `expected ${gpus} or more beside improve and allOrNothing: such a fleet moves as a whole, and both are there for some minutes`,
      "surge",
    );
  if (services !== undefined)
    issue("expected none beside services: a machine cannot move from one service to another yet");
}

/** What of a wish `improve` has to fit. */
interface Around {
  readonly improve?: Improve | undefined;
  readonly gpus: number;
  readonly surge?: number | undefined;
  readonly allOrNothing?: unknown;
  readonly services?: unknown;
}
