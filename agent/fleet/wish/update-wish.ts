import { z } from "zod";
import { durationSchema, milliseconds } from "../../../service/text/duration.ts";
import { whole } from "../text/whole-number.ts";

export const updateSchema = z
  .strictObject(
    {
      most: whole(1).default(1).describe("so many machines are replaced at one time"),
      within: durationSchema
        .optional()
        .describe(
          "in this time a new machine has to run, be set up and be ready; 20m and what setup and ready may take, where nothing is said",
        ),
      pauseOnFailure: z
        .boolean({ error: "expected true or false" })
        .default(true)
        .describe("whether nothing more is replaced where one was not, until a person says so"),
      when: z
        .enum(["now", "paidEnd"], { error: "expected now or paidEnd" })
        .default("now")
        .describe("paidEnd: a machine is replaced at the end of the time that is paid for"),
    },
    { error: (issue) => (issue.code === "invalid_type" ? "expected { most: 1 }" : undefined) },
  )
  .describe(
    "machines of an older wish (parameters, candidates, select) are replaced, new ones first as far as surge allows; without it they stay",
  );

export const maxAgeSchema = durationSchema.describe(
  "a machine that is older is replaced, one at a time, at the end of the time that is paid for; without it none is",
);

export const lifeSchema = durationSchema.describe(
  "so long after all of its GPUs ran for the first time the fleet is drained, as at its until",
);

export type Update = z.output<typeof updateSchema>;

/** Holds `update`, `maxAge` and `life` to the rest of their wish, where people write it. */
export function fittingUpdate(around: Around, context: z.RefinementCtx): void {
  const { allOrNothing, services, update, maxAge, life, setup, ready, beforeStop } = around;
  const issue = (key: string, message: string, ...within: string[]): void =>
    context.addIssue({ code: "custom", path: [key, ...within], message });
  for (const key of ["update", "maxAge", "life"] as const) {
    if (around[key] === undefined) continue;
    if (services !== undefined)
      issue(key, "expected none beside services: a fleet that several services keep cannot do that yet");
    else if (allOrNothing !== undefined && key !== "life")
      issue(
        key,
        "expected none beside allOrNothing: such a fleet would have to be replaced as a whole, which it cannot yet",
      );
  }
  for (const [key, takes] of Object.entries({ setup, ready }))
    if (update?.within !== undefined && takes && milliseconds(update.within) <= milliseconds(takes.within))
      issue(
        "update",
        `expected more than ${key}.within, which is ${takes.within}: a new machine may take so long, and the update would be paused`,
        "within",
      );
  if (life === undefined) return;
  if (maxAge !== undefined && milliseconds(maxAge) >= milliseconds(life))
    issue("maxAge", `expected less than life, which is ${life}: no machine of it ever gets so old`);
  if (beforeStop === undefined) return;
  if (milliseconds(life) <= milliseconds(beforeStop.within))
    issue(
      "life",
      `expected more than beforeStop.within, which is ${beforeStop.within}: the fleet is drained so much earlier`,
    );
}

/** What of a wish these have to fit. */
interface Around {
  readonly update?: Update | undefined;
  readonly maxAge?: string | undefined;
  readonly life?: string | undefined;
  readonly setup?: { readonly within: string } | undefined;
  readonly ready?: { readonly within: string } | undefined;
  readonly beforeStop?: { readonly within: string } | undefined;
  readonly allOrNothing?: unknown;
  readonly services?: unknown;
}
