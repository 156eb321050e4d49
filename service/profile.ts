import { z } from "zod";
import { nameSchema } from "./name.ts";

/**
 * A wire profile: what the specification calls "not shown", as data that a user knows and writes down. A real
 * service has no default profile, and no part has a default that assumes something about the wire.
 *
 * Every part but `profile` and `name` is optional. An operation names the part it lacks; others work.
 *
 * Templates: `{offer}`, `{provider}`, `{location}`, `{marker}`, `{secret}`, `{id}` and `{parameters.NAME}`
 * are replaced in the parsed tree. A text that is one placeholder alone becomes the value with its type;
 * within a longer text it becomes text. Nothing is parsed again, so a value cannot inject anything.
 */

const text = z.string().min(1);

/** RFC 6901. `""` is the whole document. */
const pointer = z
  .string()
  .regex(/^(\/([^~]|~0|~1)*)*$/, 'expected a JSON Pointer such as /data/items, or "" for the whole document')
  .describe("JSON Pointer (RFC 6901); an empty text is the whole document");

const POINTER = 'expected a JSON Pointer such as /data/items, or "" for the whole document';

/** A pointer, or one value for all: a service with only one may not show it. */
function orConstant<T extends z.ZodType>(value: T, example: string) {
  return z
    .union([pointer, z.strictObject({ value })], {
      error: `${POINTER}; or ${example} where the service shows no field`,
    })
    .describe(`a JSON Pointer, or ${example}: the same for all, where the service shows no field`);
}

const detail = z
  .union(
    [
      pointer,
      z.strictObject({
        pointer,
        form: z
          .string()
          .optional()
          .describe(
            'the form of the text there, such as "ssh://{user}@{host}:{port}": the detail is the part that its own name stands for',
          ),
        secret: z
          .boolean()
          .optional()
          .describe("true for a password or a token: it is kept in no ledger and shown nowhere"),
      }),
      z.strictObject({ value: z.union([z.string(), z.number()]) }),
    ],
    {
      error: `${POINTER}; { pointer: /ssh/password, secret: true }; { pointer: /ssh, form: "{user}@{host}" } for a part of a text; or { value: root } where the service shows no field`,
    },
  )
  .describe("a JSON Pointer to a connection detail, what else is known of it, or its value for all machines");

const IN_CENTS = "{ pointer: /cents, unit: cents }";
const inCents = z
  .strictObject({ pointer, unit: z.literal("cents") })
  .describe("a price that the service writes in cents");
const price = z.union([pointer, inCents], { error: `${POINTER}; or ${IN_CENTS}` });
const offerPrice = z.union([pointer, inCents, z.strictObject({ value: z.union([z.string(), z.number()]) })], {
  error: `${POINTER}; or ${IN_CENTS}; or { value: "2.49" } where it is the same for all`,
});
const IN_WORDS = "{ pointer: /shelf, soldOut: [empty] }";
const available = z.union(
  [
    pointer,
    z
      .strictObject({
        pointer,
        soldOut: z
          .array(text)
          .min(
            1,
            "expected at least one word that means sold out, such as [empty] (a pointer alone, as in available: /shelf, needs none)",
          )
          .describe(
            "the words there that mean sold out, letter for letter as the service writes them; any other text means that a machine can be had",
          ),
      })
      .describe("where a word says it"),
    z.strictObject({ value: z.union([z.boolean(), z.number()]) }),
  ],
  {
    error: `${POINTER}; or ${IN_WORDS}, with a list of the words that mean sold out, where a word says it; or { value: true } where the service shows no field`,
  },
);

const WHOLE = "USD an hour of the whole machine";
const ONE_GPU =
  "USD an hour of one GPU, in the place of pricePerHour; times the GPU count it is what the machine costs";

const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "expected an HTTP header name");

const status = z.int().min(100).max(599);
const scalar = z.union([z.string(), z.number(), z.boolean()]);
const query = z.record(z.string(), scalar).describe("query parameters sent as they are");

const pagination = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("none").describe("one answer holds everything") }),
    z.strictObject({
      kind: z.literal("page").describe("page number and page size"),
      pageParameter: text,
      sizeParameter: text.optional(),
      first: z.union([z.literal(0), z.literal(1)]).describe("the number of the first page"),
      size: z.int().positive().describe("items a page; the list ends with an empty page, or at total"),
      total: pointer
        .optional()
        .describe("where the answer carries the number of all items (not of this page)"),
    }),
    z.strictObject({
      kind: z.literal("offset").describe("offset and limit"),
      offsetParameter: text,
      limitParameter: text,
      limit: z.int().positive(),
      total: pointer
        .optional()
        .describe("where the answer carries the number of all items (not of this page)"),
    }),
    z.strictObject({
      kind: z.literal("cursor").describe("the answer carries a cursor for the next page"),
      cursorParameter: text,
      next: pointer.describe("where the cursor is; absent, null or an empty text is the end"),
      sizeParameter: text.optional(),
      size: z.int().positive().optional(),
    }),
    z.strictObject({
      kind: z.literal("link").describe('Link header with rel="next" (RFC 8288); same origin only'),
    }),
  ])
  .describe("how a list goes on, and how its end is known");

const list = z.strictObject({
  items: pointer.describe("where the array of items is"),
  query: query.optional(),
  pagination,
});

export const wireProfileSchema = z.strictObject({
  profile: z.literal(1).describe("version of this format"),
  name: text.describe("how messages call this profile"),

  auth: z
    .strictObject({
      header: headerName,
      value: z
        .string()
        .includes(
          "{secret}",
          'expected a template with {secret} in it, such as "Bearer {secret}"; the credential itself is given by FLEETKEEPER_API_KEY or FLEETKEEPER_API_KEY_FILE and never stands in a profile',
        )
        // With other characters each request would fail, as if the service were down.
        .regex(
          /^[\x20-\x7e]*$/,
          "expected one line of plain characters, as a header carries them; a block text (|) ends in a line break",
        )
        .describe('template with {secret}, such as "Bearer {secret}"'),
    })
    .meta({
      description: "the credential header; the secret itself never stands in a profile",
      // A user may write the secret here by mistake: no message repeats a value of this part.
      writeOnly: true,
    })
    .optional(),

  launch: z
    .strictObject({
      body: z
        .record(z.string(), z.json())
        .describe(
          'template of the JSON body of POST /api/v1/deployments; { number: "{offer}" } sends the digits of a text as a number',
        ),
      id: pointer.optional().describe("where the answer of an accepted launch carries the deployment id"),
      deployment: pointer.optional().describe("where that answer carries the deployment record, if it does"),
    })
    .optional(),

  deployments: z
    .strictObject({
      list: list.optional(),
      get: z
        .strictObject({ item: pointer.describe("where GET /api/v1/deployments/{id} carries the record") })
        .optional(),
      fields: z
        .strictObject({
          offer: orConstant(nameSchema, "{ value: acme }"),
          provider: orConstant(nameSchema, "{ value: acme }"),
          location: orConstant(nameSchema, "{ value: acme }"),
          marker: pointer.describe("where the service echoes back the {marker} of the launch body"),
          createdAt: pointer,
          pricePerHour: price.describe(WHOLE),
          pricePerGpuHour: price.describe(ONE_GPU),
          gpus: orConstant(z.int().nonnegative(), "{ value: 8 }"),
          failureReason: pointer,
          suggestedAction: pointer,
          connection: z.record(z.string(), detail).describe("connection details by a name of your choice"),
        })
        .partial()
        .prefault({})
        .describe("fields beside the specification's id, status, failure_code and stop_reason"),
      states: z
        .strictObject({
          aliases: z.record(text, text).default({}).describe("the service's word: the specification's word"),
          terminal: z
            .array(text)
            .default([])
            .describe("further states that end a deployment, such as the stopped one"),
        })
        .partial()
        .prefault({}),
    })
    .optional(),

  offers: z
    .strictObject({
      list,
      fields: z.strictObject({
        id: orConstant(nameSchema, "{ value: acme }"),
        provider: orConstant(nameSchema, "{ value: acme }"),
        location: orConstant(nameSchema, "{ value: acme }"),
        gpus: orConstant(z.int().positive(), "{ value: 8 }"),
        gpuModel: orConstant(nameSchema, "{ value: h100 }").optional(),
        pricePerHour: offerPrice.optional().describe(WHOLE),
        pricePerGpuHour: offerPrice.optional().describe(ONE_GPU),
        available: available
          .optional()
          .describe(
            `whether a machine of it can be had now: a boolean, the number of machines, or a word, as in ${IN_WORDS}`,
          ),
      }),
    })
    .optional(),

  stop: z
    .strictObject({
      method: z.enum(["POST", "DELETE", "PUT", "PATCH"]),
      path: z.string().regex(/^\/.*\{id\}/, "expected a path that begins with / and has {id} in it"),
      body: z.record(z.string(), z.json()).optional(),
      gone: z
        .strictObject({ statuses: z.array(status).default([]), codes: z.array(text).default([]) })
        .partial()
        .prefault({})
        .describe("answers that mean: already stopping, or nothing there to stop"),
    })
    .optional(),

  errors: z
    .strictObject({
      code: pointer.optional(),
      message: pointer.optional(),
      retryAfter: pointer.optional().describe("seconds to wait, in the body, where the header is absent"),
      definite: z
        .strictObject({ statuses: z.array(status).default([]), codes: z.array(text).default([]) })
        .partial()
        .prefault({})
        .describe("answers to a launch that surely launched nothing"),
    })
    .optional(),

  failures: z
    .strictObject({ retryable: z.array(text).default([]), permanent: z.array(text).default([]) })
    .partial()
    .optional()
    .describe("what is known of failure_code values beyond the specification"),

  limits: z
    .strictObject({ requestsPerSecond: z.number().positive() })
    .partial()
    .optional()
    .describe("rates the client keeps to"),
});

export type WireProfile = z.output<typeof wireProfileSchema>;
