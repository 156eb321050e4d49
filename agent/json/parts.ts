import { z } from "zod";

/** What a schema describes, as whoever makes it has it: nothing of it is changed later. */
export type Said<T extends z.ZodType> = DeepReadonly<z.output<T>>;
type DeepReadonly<T> = { readonly [K in keyof T]: DeepReadonly<T[K]> };

export const text = z.string();
export const count = z.int().nonnegative();
export const usd = text.describe("an exact decimal, in the account's currency");
export const currency = text.describe("of all amounts beside it: USD, or what the profile says");
export const moment = z.number().describe("milliseconds since 1970");
/** `fleet:NAME`, or `slot:ID` of a Pulumi `Deployment`. */
export const ownerSchema = z.union([z.templateLiteral(["fleet:", text]), z.templateLiteral(["slot:", text])]);
export const isoMoment = text.describe("ISO 8601, UTC");

/** An exact combination. */
export const combinationShape = { offer: text, provider: text, location: text };

export const holdsSchema = z
  .array(
    z.object({
      kind: text,
      about: z.enum(["account", "owner", "place", "money"]),
      remedy: z
        .enum(["wait", "person", "wish"])
        .describe(
          "wait: it passes by itself. person: somebody has to act. wish: another wish, or more credits",
        ),
      until: moment
        .nullable()
        .describe("when it passes by itself, in milliseconds since 1970; null: not known"),
      numbers: z.record(text, z.union([text, z.number()])).describe("what its text is made of"),
    }),
  )
  .describe("what holds launches, the one that matters most first");

/** How the setup of its fleet stands on a machine. */
export const setupSchema = z
  .object({
    state: z.enum(["waiting", "running", "done", "failed"]).describe("failed: no further try follows"),
    tries: count.describe("that began"),
    since: moment,
    said: text.nullable().describe("the last lines of the newest try that ended, or what it waits for"),
  })
  .nullable()
  .describe("of a fleet's setup command; null: its fleet has none, or it does not run");
export type SetupFacts = NonNullable<Said<typeof setupSchema>>;

export const labelsSchema = z.record(text, text).describe("on whose behalf money is spent, by names");

/** A machine in short. What the service does not show is taken from its launch. */
export const machineSchema = z.object({
  id: text,
  status: text.describe("the service's own word"),
  offer: text.nullable(),
  provider: text.nullable(),
  location: text.nullable(),
  gpus: count.nullable(),
  pricePerHour: usd.nullable(),
  labels: labelsSchema.describe("under which it is paid for: its owner's at its launch"),
  setup: setupSchema,
  hold: z
    .object({ until: moment, why: text.nullable() })
    .nullable()
    .describe(
      "a person holds it: no stop that fleetkeeper chooses takes it before that; null: nobody ever did",
    ),
  health: z
    .object({
      good: z.boolean(),
      since: moment,
      badSeconds: z.number().describe("for how long it was seen bad; time without an answer is none"),
      why: text.nullable().describe("what it said last, where it is bad"),
    })
    .nullable()
    .describe("what it said by its fleet's health check; null: it has none, or said nothing yet"),
  beforeStop: z
    .object({
      state: z.enum(["waiting", "running", "done", "failed"]),
      until: moment.describe("then it is stopped, whatever the command does, milliseconds since 1970"),
      said: text.nullable().describe("why it failed"),
    })
    .nullable()
    .describe("the command that its stop waits for, or waited for; null: none"),
});
export type ShortRow = Said<typeof machineSchema>;

/** Who wants a machine, in the words that people gave: a fleet's name, or that of a Pulumi `Deployment`. */
export const whoseSchema = z.union([z.object({ fleet: text }), z.object({ deployment: text })]);
export type Whose = Said<typeof whoseSchema>;

/** Connection details, by the names that the profile gives them. */
export const connectionSchema = z.record(text, text);

export const olderSchema = z
  .array(z.object({ id: text, differs: z.array(text).describe("keys of the wish") }))
  .describe(
    "machines whose launch sent what the wish does not say any more, or of a combination that it does not allow",
  );
