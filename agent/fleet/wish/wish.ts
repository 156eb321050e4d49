import Big from "big.js";
import { z } from "zod";
import type { SpendLimits } from "../../../launch/money/budget.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import { NO_PRICE, parsePrice, parseUsd, type Usd } from "../../../service/contract/money.ts";
import { createMemory } from "../../../service/same/memory.ts";
import { durationSchema } from "../../../service/text/duration.ts";
import { nameSchema } from "../../../service/text/name.ts";
import { momentSchema } from "../text/moment.ts";
import { whole } from "../text/whole-number.ts";
import { beforeStopSchema, stopAhead } from "./before-stop-wish.ts";
import { bufferSchema } from "./buffer-wish.ts";
import { healthSchema } from "./health-wish.ts";
import { idleSchema } from "./idle-wish.ts";
import { improveSchema } from "./improve-wish.ts";
import { labelsSchema } from "./labels-wish.ts";
import { addressed, oneWay, questionShape } from "./machine-question.ts";
import { metricSchema } from "./metric-wish.ts";
import { scheduleSchema } from "./schedule.ts";
import { setupSchema } from "./setup-wish.ts";
import { rangeSchema } from "./size-range.ts";
import { lifeSchema, maxAgeSchema, updateSchema } from "./update-wish.ts";
import { otherSizesSchema, type Patience } from "./waiting-wish.ts";
import { workSchema } from "./work-wish.ts";

/** An amount in the service's currency, as an exact decimal: a text or a number, with at most 6 decimals. */
export const usd = z
  .union([z.string(), z.number()])
  .transform((value) => String(value))
  .refine(
    (value) => /^\d{1,12}(\.\d{1,6})?$/.test(value),
    "expected an amount as a plain decimal, such as 12.50",
  );

const SHARE = "expected a share with its sign, such as 10%";
const percent = z.string(SHARE).regex(/^\d{1,3}(\.\d)?%$/, SHARE);

const limit = (meaning: string) => usd.optional().describe(meaning);

export const someGpus = whole(1);

/** An exact combination that may be launched, with the number of GPUs in it. */
const candidateSchema = z.strictObject({
  offer: nameSchema,
  provider: nameSchema,
  location: nameSchema,
  gpus: someGpus.describe("GPUs in one machine of this offer"),
  pricePerHour: usd
    .optional()
    .describe("an hour of one machine, in the service's currency; needed where a budget is set"),
});
export type Candidate = z.output<typeof candidateSchema>;

/** What `gpuModel` names: one model, or each of a list. */
export function modelsOf(gpuModel: string | readonly string[] | undefined): readonly string[] {
  return gpuModel === undefined ? [] : [gpuModel].flat();
}

/**
 * White space alone makes no other model: nobody sees it, and a model is sent nowhere. Offers, providers and locations are
 * sent, so they are compared as they are.
 */
export function isModel(one: string | undefined, other: string): boolean {
  const bare = (text: string) => text.trim().replace(/\s+/g, " ");
  return one === other || (one !== undefined && bare(one) === bare(other));
}

const worthSchema = z
  .union([z.string(), z.number()])
  .transform((value) => String(value))
  .refine(
    (value) => /^\d{1,3}(\.\d{1,3})?$/.test(value) && Number(value) > 0,
    "expected how much work one GPU does, above 0 and with at most 3 decimals, such as 1.4",
  );

const patienceSchema = z
  .strictObject(
    {
      for: durationSchema.describe("how long GPUs have to be missing before more is paid"),
      maxPricePerGpuHour: usd.optional().describe("what is paid then, until the count is reached"),
      above: percent
        .optional()
        .describe(
          "in its place: what costs so much more than half of the fleet's GPUs cost is taken only then, such as 50%",
        ),
    },
    {
      error: (issue) =>
        issue.code === "invalid_type"
          ? "expected { for: 2h, maxPricePerGpuHour: 2.60 } or { for: 30m, above: 50% }"
          : undefined,
    },
  )
  .describe("what is dear is taken only after GPUs were missing for so long");

const selectSchema = z
  .strictObject({
    gpuModel: z
      .union([nameSchema, z.array(nameSchema).nonempty("expected at least one model")])
      .optional()
      .describe("a model as the service calls it, or a list: any of them"),
    worth: z
      .record(nameSchema, worthSchema)
      .optional()
      .describe(
        "how much work one GPU of a model does, 1 where nothing is said: prices are compared by work",
      ),
    providers: z.array(nameSchema).nonempty().optional(),
    locations: z.array(nameSchema).nonempty().optional(),
    maxPricePerGpuHour: usd.optional(),
    patience: patienceSchema.optional(),
  })
  .superRefine((select, context) => {
    for (const { path, message } of [...modelProblems(select), ...patienceProblems(select)])
      context.addIssue({ code: "custom", path, message });
  })
  .describe("which offers of GET /api/v1/offers may be launched; needs offers in the profile");

/** A model that stands twice, and a worth of a model that is not asked for. Paths begin in `select`. */
export function modelProblems({
  gpuModel,
  worth = {},
}: Models): readonly { path: PropertyKey[]; message: string }[] {
  const models = modelsOf(gpuModel);
  const twice = models.flatMap((model, index) =>
    models.slice(0, index).some((before) => isModel(before, model))
      ? [{ path: ["gpuModel", index], message: `expected each model once: ${model} stands there before` }]
      : [],
  );
  const others = Object.keys(worth).filter((model) => !models.some((each) => isModel(each, model)));
  const there = models.length > 0 ? `those are ${models.join(", ")}` : "the fleet names none";
  return [
    ...twice,
    ...others.map((model) => {
      const message = `expected the worth of a model of gpuModel, and not of ${model}: ${there}`;
      return { path: ["worth", model], message };
    }),
  ];
}

/** A second price says something only above the first one. What is usual needs none. */
function patienceProblems({
  maxPricePerGpuHour: first,
  patience,
}: Prices): readonly { path: PropertyKey[]; message: string }[] {
  if (!patience) return [];
  const path = ["patience", "maxPricePerGpuHour"];
  const { above, maxPricePerGpuHour: second } = patience;
  if ((above === undefined) === (second === undefined))
    return [{ path: ["patience"], message: "expected either maxPricePerGpuHour or above, such as 50%" }];
  if (second === undefined) return [];
  if (first === undefined)
    return [{ path: ["patience"], message: "expected maxPricePerGpuHour beside it: the price until then" }];
  if (new Big(second).gt(first)) return [];
  return [{ path, message: `expected more than maxPricePerGpuHour, which is ${first}` }];
}

interface Prices {
  readonly maxPricePerGpuHour?: string | undefined;
  readonly patience?: Patience | undefined;
}

interface Models {
  readonly gpuModel?: string | readonly string[] | undefined;
  readonly worth?: Readonly<Record<string, unknown>> | undefined;
}

const readySchema = z
  .strictObject({
    ...questionShape,
    within: durationSchema.default("10m").describe("how long that may take before people are told"),
    replace: z
      .boolean()
      .default(false)
      .describe("whether a machine that was never ready in that time is stopped and replaced"),
  })
  .superRefine(oneWay(["tcp", "http", "command"]))
  .describe("when a running machine is ready for use; without it nobody looks");

/** The fields of a wish, to be put beside a name in a fleet file. */
export const wishShape = {
  gpus: whole(0).describe("how many GPUs to keep; with work the most at a time"),
  candidates: z.array(candidateSchema).nonempty().optional().describe("combinations, the preferred first"),
  select: selectSchema.optional(),
  parameters: z
    .record(z.string(), z.json())
    .default({})
    .describe("values for {parameters.NAME} in the launch body"),
  overshoot: whole(0)
    .default(0)
    .describe("GPUs more than asked for that are acceptable where machines do not add up exactly"),
  surge: whole(0)
    .default(0)
    .describe(
      "GPUs more than that which may be paid for while machines stop: replacements need not wait for the end",
    ),
  buffer: bufferSchema(usd).optional(),
  placement: z
    .union(
      [
        z.enum(["any", "same"]),
        z.strictObject({
          mostPerLocation: someGpus.describe("GPUs of the fleet in one location of a provider at most"),
        }),
      ],
      {
        error:
          "expected any, same (all in one location) or { mostPerLocation: 8 } (so many GPUs in one at most)",
      },
    )
    .default("any")
    .describe("where its machines may stand: anywhere, all in the same location of one provider, or spread"),
  avoid: percent
    .optional()
    .describe(
      "how much dearer a GPU may be elsewhere than in a place that lost machines in the last 5 minutes. Where nothing is said: 0%, so only what costs no more, and 10% where one of them was in its first hour",
    ),
  steadier: percent
    .optional()
    .describe(
      "how much dearer than the cheapest a GPU may be in a combination that by this ledger surely loses fewer machines a day; without it price alone decides",
    ),
  improve: improveSchema.optional(),
  update: updateSchema.optional(),
  maxAge: maxAgeSchema.optional(),
  otherSizes: otherSizesSchema.optional(),
  allOrNothing: z
    .strictObject(
      {
        within: durationSchema.describe(
          "how long it may take from the first launch until all GPUs run, such as 20m",
        ),
      },
      { error: (issue) => (issue.code === "invalid_type" ? "expected { within: 20m }" : undefined) },
    )
    .optional()
    .describe("nothing is launched before all can be had; what does not become whole in time is given back"),
  budget: z
    .strictObject({
      floor: limit("the balance is never spent below this by a launch"),
      perHour: limit("all machines of the fleet together, an hour"),
      perGpuHour: limit("one GPU, an hour: nothing dearer is launched"),
      perDay: limit(
        "what the fleet pays for on one day of UTC: no launch goes above it, and what runs goes on",
      ),
      total: limit(
        "what the fleet pays for in one life, from its first declaration until it is destroyed: it is drained before it pays for an hour that goes above it",
      ),
      totalOf: z
        .enum(["life", "name"], { error: 'expected "life" or "name"' })
        .optional()
        .describe(
          "whose sum total is: this life's (default), or that of all lives which this stack or file gave to the name",
        ),
      churn: limit("what 24 hours may lose to machines that end within their first hour: then launches wait"),
    })
    .refine(({ total, totalOf }) => totalOf === undefined || total !== undefined, {
      path: ["totalOf"],
      error: "says whose sum total is, and there is no total: add one, or take this out",
    })
    .default({}),
  labels: labelsSchema
    .optional()
    .describe("on whose behalf it spends, such as { team: vision }: spend sums up by them"),
  until: momentSchema.optional().describe("from this moment on the fleet is drained, paused or not"),
  life: lifeSchema.optional(),
  work: workSchema.optional(),
  paused: z
    .boolean()
    .default(false)
    .describe("what runs is kept, and nothing is launched or stopped but at a deadline or a spent total"),
  setup: setupSchema.optional(),
  ready: readySchema.optional(),
  health: healthSchema.optional(),
  idle: idleSchema.optional(),
  beforeStop: beforeStopSchema.optional(),
  match: z
    .enum(["wait", "none"])
    .default("wait")
    .describe(
      "on a shared account: wait until machines that were there before are adopted or disowned, or go ahead; an exclusive one takes what fits all the same",
    ),
};

export function oneSource(
  wish: { readonly candidates?: unknown; readonly select?: unknown },
  context: z.RefinementCtx,
): void {
  if ((wish.candidates === undefined) !== (wish.select === undefined)) return;
  context.addIssue({
    code: "custom",
    message:
      "expected either candidates (explicit combinations) or select (a choice among the service's offers), and not both",
  });
}

/** Checks that need an address name one, or their fleet's `ready` does. */
export const addressedChecks = addressed(["health"]);

/** Said where people write. The ledger may hold such a price from before, and it counts as unknown. */
export function pricedCandidates(wish: Pick<WishInput, "candidates">, context: z.RefinementCtx): void {
  for (const [index, { pricePerHour }] of (wish.candidates ?? []).entries())
    if (pricePerHour !== undefined && !parsePrice(String(pricePerHour)))
      context.addIssue({ code: "custom", path: ["candidates", index, "pricePerHour"], message: NO_PRICE });
}

/** What a fleet asks for: a count of GPUs, where they may come from, and what they may cost. */
export const wishSchema = z
  .strictObject({
    ...wishShape,
    schedule: scheduleSchema.optional(),
    metric: metricSchema.optional(),
    // Of a count that follows neither: a person may ask for another one.
    range: rangeSchema.optional(),
  })
  .superRefine(oneSource);

/** As people write it. */
export type WishInput = z.input<typeof wishSchema>;
/** As the ledger stores it. */
export type Wish = z.output<typeof wishSchema>;
export type Ready = z.output<typeof readySchema>;

/** True if a limit on money is set: then the prices of its machines have to be known. */
export function isLimited({ budget }: Wish): boolean {
  return Object.values(budget).some((limit) => limit !== undefined);
}

/** The limits for its launches. A price in `select` is a limit like the budget's: the lower one counts. */
export function limitsOf(wish: Wish): SpendLimits {
  const { budget, select } = wish;
  const usd = (text: string | undefined): Usd | undefined =>
    text === undefined ? undefined : parseUsd(text);
  const [ceiling, most] = [usd(select?.maxPricePerGpuHour), usd(budget.perGpuHour)];
  return {
    floor: usd(budget.floor),
    perHour: usd(budget.perHour),
    perGpuHour: ceiling && most ? (ceiling.lt(most) ? ceiling : most) : (ceiling ?? most),
    perDay: usd(budget.perDay),
    total: usd(budget.total),
    totalOf: budget.totalOf,
    ...(budget.total !== undefined && wish.beforeStop && { ahead: stopAhead(wish) }),
    churn: usd(budget.churn),
  };
}

/** Parsed wishes by stored row: one decision reads the same row a dozen times. */
const read = createMemory<object, Wish>();

/** A wish as a row has it. Throws LEDGER where it is none. */
export function parseWish(stored: unknown): Wish {
  const parsed = (): Wish => {
    const found = wishSchema.safeParse(stored);
    if (found.success) return found.data;
    const [{ path, message } = { path: [], message: "" }] = found.error.issues;
    throw new FleetkeeperError(
      "LEDGER",
      `the ledger is damaged: in a fleet's wish, ${[...path, message].join(": ")}. Nothing is launched with it. Restore it from a backup.`,
    );
  };
  return typeof stored === "object" && stored !== null ? read.of(stored, [], parsed) : parsed();
}
