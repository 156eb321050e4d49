import { z } from "zod";
import { durationSchema } from "../text/duration.ts";
import { nameSchema } from "../text/name.ts";

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

/** In a record a profile 2 also takes a Relative JSON Pointer: so many levels above it, and on from there. */
const fieldPointer = z
  .string()
  .regex(
    /^(\d+#|\d*(\/([^~]|~0|~1)*)*)$/,
    'expected a JSON Pointer such as /data/items, or "" for the whole document',
  )
  .describe(
    "JSON Pointer (RFC 6901) in the record; profile 2: 2/name stands two levels above it, 2# is the key there",
  );

const POINTER = 'expected a JSON Pointer such as /data/items, or "" for the whole document';

/** A pointer, or one value for all: a service with only one may not show it. */
function orConstant<T extends z.ZodType>(value: T, example: string) {
  return z
    .union([fieldPointer, z.strictObject({ value })], {
      error: `${POINTER}; or ${example} where the service shows no field`,
    })
    .describe(`a JSON Pointer, or ${example}: the same for all, where the service shows no field`);
}

const composed = z
  .strictObject({
    text: z
      .string()
      .regex(/\{[^{}]*\}/, 'expected a text with a pointer in braces, such as "{/gpu/id} x{/gpu/count}"'),
  })
  .describe('profile 2: a text of several fields, such as "{/gpu/id} x{/gpu/count}"');

/** As {@link orConstant}; and composed of several. */
function orComposed<T extends z.ZodType>(value: T, example: string) {
  return z
    .union([fieldPointer, z.strictObject({ value }), composed], {
      error: `${POINTER}; or ${example} where the service shows no field`,
    })
    .describe(`a JSON Pointer, or ${example}: the same for all, where the service shows no field`);
}

const detail = z
  .union(
    [
      fieldPointer,
      z.strictObject({
        pointer: fieldPointer,
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
  .strictObject({ pointer: fieldPointer, unit: z.literal("cents") })
  .describe("a price that the service writes in cents");
const price = z.union([fieldPointer, inCents], { error: `${POINTER}; or ${IN_CENTS}` });
const offerPrice = z.union(
  [fieldPointer, inCents, z.strictObject({ value: z.union([z.string(), z.number()]) })],
  {
    error: `${POINTER}; or ${IN_CENTS}; or { value: "2.49" } where it is the same for all`,
  },
);
const IN_WORDS = "{ pointer: /shelf, soldOut: [empty] }";
const available = z.union(
  [
    fieldPointer,
    z
      .strictObject({
        pointer: fieldPointer,
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

const WHOLE = "an hour of the whole machine, in USD or the profile's currency";
const ONE_GPU =
  "an hour of one GPU, in USD or the profile's currency; in the place of pricePerHour; times the GPU count it is what the machine costs";

const CURRENCY =
  "profile 2: where it says the currency of its price; a price in another one than the profile's is none";

const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "expected an HTTP header name");

const status = z.int().min(100).max(599);

/** Answers that a profile names. */
const answers = z
  .strictObject({ statuses: z.array(status).default([]), codes: z.array(text).default([]) })
  .partial()
  .prefault({});
const scalar = z.union([z.string(), z.number(), z.boolean()]);
const query = z.record(z.string(), scalar).describe("query parameters sent as they are");

const total = pointer
  .optional()
  .describe("where the answer carries the number of all items (not of this page)");

const pagination = z
  .discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("none").describe("one answer holds everything") }),
    z.strictObject({
      kind: z.literal("page").describe("page number and page size"),
      pageParameter: text,
      sizeParameter: text.optional(),
      first: z.union([z.literal(0), z.literal(1)]).describe("the number of the first page"),
      size: z.int().positive().describe("items a page; the list ends with an empty page, or at total"),
      total,
    }),
    z.strictObject({
      kind: z.literal("offset").describe("offset and limit"),
      offsetParameter: text,
      limitParameter: text,
      limit: z.int().positive(),
      total,
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

/** Of a call, in a profile 2. What it leaves out is the specification's. */
const call = z.strictObject({
  method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]).optional(),
  path: z
    .string()
    .regex(/^\/[^?#\s]*$/, "expected a path that begins with /, without a query: that stands under query")
    .optional()
    .describe("below the base URL"),
  query: z.record(z.string(), scalar).optional().describe("query parameters"),
  headers: z.record(headerName, z.string()).optional().describe("further headers"),
  body: z.record(z.string(), z.json()).optional().describe("template of the body"),
  as: z.enum(["json", "form"]).optional().describe("how the body is written; without it as JSON"),
  reads: z
    .literal(true)
    .optional()
    .describe(
      "this call changes nothing, although its method is not GET; only then it is sent as one that reads",
    ),
});

const none = z.strictObject({ none: z.literal(true) });

export const wireProfileSchema = z.strictObject({
  profile: z
    .union([z.literal(1), z.literal(2)])
    .describe("version of this format: 2 says of a service, too, what the specification shows of its own"),
  name: text.describe("how messages call this profile"),

  calls: z
    .strictObject({
      account: call,
      balance: call,
      offers: call,
      list: call,
      get: call,
      launch: call,
      stop: call,
    })
    .partial()
    .optional()
    .describe("profile 2: what is sent for each call, where that is not what the specification shows"),

  account: z
    .union(
      [
        z.strictObject({ id: pointer, name: pointer.optional().describe("what people call the account by") }),
        none,
      ],
      {
        error:
          "expected { id: /data/id, name: /data/email }; or { none: true } where no call shows the account",
      },
    )
    .optional()
    .describe("profile 2: where the answer says which account the credential opens"),

  balance: z
    .union(
      [
        z.strictObject({
          amount: pointer,
          unit: z.literal("cents").optional().describe("the amount is in cents"),
          sign: z.literal("debt").optional().describe("the amount is what is owed: credit is below 0"),
          currency: pointer
            .optional()
            .describe("where it says the currency, which must be USD, or the one of the profile"),
        }),
        none,
      ],
      { error: "expected { amount: /credit }; or { none: true } where no call shows a balance" },
    )
    .optional()
    .describe("profile 2: where the answer says the balance"),

  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, "expected the three letters of ISO 4217, such as EUR")
    .optional()
    .describe("profile 2: in which all amounts of the service are; without it USD"),

  billing: z
    .strictObject({
      by: z.enum(["hour", "minute", "second"]).describe("time is billed by these, as they begin"),
      minimum: durationSchema.optional().describe("what a machine that lives less costs all the same"),
      reserved: durationSchema.optional().describe("what a launch takes from the balance in advance"),
    })
    .optional()
    .describe("profile 2: how time is billed; without it an hour in advance, as the specification has it"),

  auth: z
    .strictObject({
      header: headerName.optional(),
      query: z
        .string()
        .regex(/^[\w.~-]+$/, "expected the name of a query parameter")
        .optional()
        .describe("the query parameter that carries the credential, in the place of a header"),
      value: z
        .string()
        .regex(
          /\{(secret|token)\}/,
          'expected a template with {secret} in it, such as "Bearer {secret}"; the credential itself is given by FLEETKEEPER_API_KEY or FLEETKEEPER_API_KEY_FILE and never stands in a profile',
        )
        // With other characters each request would fail, as if the service were down.
        .regex(
          /^[\x20-\x7e]*$/,
          "expected one line of plain characters, as a header carries them; a block text (|) ends in a line break",
        )
        .describe(
          'template with {secret}, such as "Bearer {secret}"; or with {token}, where there is a call for one',
        ),
      token: z
        .strictObject({
          method: z.enum(["POST", "PUT"]).optional().describe("without it POST"),
          path: call.shape.path.unwrap().describe("below the base URL"),
          as: call.shape.as,
          body: z
            .record(z.string(), z.json())
            .describe("template of the body, with {secret}: the client's secret stands nowhere else then"),
          value: pointer.describe("where the answer has the token"),
          expires: z
            .union([pointer, z.strictObject({ value: z.int().positive() })], {
              error: `${POINTER}; or { value: 3600 } where the answer does not say how long a token lasts`,
            })
            .describe("where the answer has the seconds that the token lasts"),
        })
        .optional()
        .describe("profile 2: the call for a token, by OAuth2 client credentials (RFC 6749, 4.4)"),
    })
    .meta({
      description: "where the credential goes; the secret itself never stands in a profile",
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
      id: z
        .union([pointer, z.strictObject({ text: z.literal(true) })], {
          error: `${POINTER}; or { text: true } where the answer is the id`,
        })
        .optional()
        .describe(
          "where the answer of an accepted launch carries the deployment id; profile 2: { text: true } if the answer is the id",
        ),
      deployment: pointer.optional().describe("where that answer carries the deployment record, if it does"),
      accepted: z
        .strictObject({ pointer, is: z.array(scalar).min(1) })
        .optional()
        .describe("profile 2: a 2xx accepts a launch only if one of these values stands there"),
      createdAt: pointer
        .optional()
        .describe("profile 2: where the error of a launch that made a machine carries its id"),
      refusals: z
        .enum(["certain", "uncertain"])
        .optional()
        .describe(
          "profile 2: whether an error surely made nothing; uncertain without a marker, but for what errors.definite names",
        ),
      mayVanish: durationSchema
        .optional()
        .describe(
          "profile 2: an accepted id that nothing shows for so long (10m to 24h) made no machine; without it an hour",
        ),
    })
    .optional(),

  deployments: z
    .strictObject({
      list: list.optional(),
      ended: z
        .literal("unlisted", { error: "expected unlisted, or nothing where lists go on showing what ended" })
        .optional()
        .describe("profile 2: what has ended leaves lists, and its id is not found any more"),
      get: z
        .strictObject({
          item: pointer.describe("where GET /api/v1/deployments/{id} carries the record"),
          missing: z
            .strictObject({
              statuses: z.array(status).min(1).optional(),
              codes: z
                .array(text)
                .min(1)
                .optional()
                .describe("at errors.code; beside statuses both must fit"),
              empty: z.literal(true).optional().describe("nothing stands at item, or null, {} or []"),
            })
            .optional()
            .describe("profile 2: what means that there is no such deployment, in the place of a 404"),
        })
        .optional(),
      fields: z
        .strictObject({
          id: fieldPointer.describe("profile 2: where a record has its id; without it at /id"),
          status: z
            .union(
              [
                fieldPointer,
                z.strictObject({
                  first: z
                    .array(fieldPointer)
                    .min(1)
                    .describe("of these pointers the first at which anything stands"),
                  none: text.optional().describe("the state of a record at none of which anything stands"),
                }),
                z.strictObject({
                  pointer: fieldPointer,
                  beside: z
                    .array(fieldPointer)
                    .min(1)
                    .describe(
                      "words that say more: each follows the state after a blank, as far as deployments.states names the whole",
                    ),
                }),
              ],
              { error: `${POINTER}; or { first: [/actual_status, /cur_state], none: provisioning }` },
            )
            .describe("profile 2: where a record has its state; without it at /status"),
          failureCode: fieldPointer.describe("profile 2: without it at /failure_code"),
          stopReason: fieldPointer.describe("profile 2: without it at /stop_reason"),
          offer: orComposed(nameSchema, "{ value: acme }"),
          provider: orComposed(nameSchema, "{ value: acme }"),
          location: orComposed(nameSchema, "{ value: acme }"),
          currency: fieldPointer.describe(CURRENCY),
          marker: fieldPointer.describe("where the service echoes back the {marker} of the launch body"),
          createdAt: fieldPointer,
          pricePerHour: price.describe(WHOLE),
          pricePerGpuHour: price.describe(ONE_GPU),
          gpus: orConstant(z.int().nonnegative(), "{ value: 8 }"),
          failureReason: fieldPointer,
          suggestedAction: fieldPointer,
          connection: z.record(z.string(), detail).describe("connection details by a name of your choice"),
        })
        .partial()
        .prefault({})
        .describe("fields beside the specification's id, status, failure_code and stop_reason"),
      records: z
        .strictObject({
          where: fieldPointer,
          is: z.array(z.union([z.string(), z.number(), z.boolean()])).min(1),
        })
        .optional()
        .describe(
          "profile 2: only records that have one of these values there are GPU machines; others are left out",
        ),
      states: z
        .strictObject({
          aliases: z.record(text, text).default({}).describe("the service's word: the specification's word"),
          terminal: z
            .array(text)
            .default([])
            .describe("further states that end a deployment, such as the stopped one"),
          replace: z
            .array(text)
            .min(1)
            .optional()
            .describe(
              "profile 2: states in which a machine is billed and does not serve: it is stopped, and replaced once it is gone",
            ),
        })
        .partial()
        .prefault({}),
    })
    .optional(),

  offers: z
    .strictObject({
      list,
      counts: z
        .array(z.int().positive())
        .min(1)
        .optional()
        .describe(
          "profile 2: an offer is sold with any of these numbers of GPUs; each becomes an offer of its own",
        ),
      fields: z.strictObject({
        id: orComposed(nameSchema, "{ value: acme }"),
        provider: orComposed(nameSchema, "{ value: acme }"),
        location: orComposed(nameSchema, "{ value: acme }"),
        gpus: z
          .union(
            [
              fieldPointer,
              z.strictObject({ value: z.int().positive() }),
              z.strictObject({ count: z.literal(true) }),
            ],
            {
              error: `${POINTER}; or { value: 8 } where the service shows no field; or { count: true } for the one of offers.counts. Where only a name says it: no part offers, and candidates in the fleet file`,
            },
          )
          .describe("a JSON Pointer, or { value: 8 }: the same for all, where the service shows no field"),
        gpuModel: orComposed(nameSchema, "{ value: h100 }").optional(),
        currency: fieldPointer.optional().describe(CURRENCY),
        pricePerHour: offerPrice.optional().describe(WHOLE),
        pricePerGpuHour: offerPrice.optional().describe(ONE_GPU),
        prepaidHours: fieldPointer
          .optional()
          .describe(
            "profile 2: where it says that hours are paid at once, used or not; an offer with any is left out",
          ),
        extra: z
          .record(
            z
              .string()
              .regex(/^(?!(value|text)$)[A-Za-z_][\w-]*$/, "expected a name of letters, digits, _ and -"),
            z.union([fieldPointer, z.strictObject({ count: z.literal(true) })], {
              error: `${POINTER}; or { count: true } for the one of offers.counts`,
            }),
          )
          .optional()
          .describe("profile 2: what else of an offer its launch sends, as {offer.NAME}"),
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
      method: z.enum(["POST", "DELETE", "PUT", "PATCH"]).optional(),
      path: z
        .string()
        .regex(
          /^\/.*\{id\}/,
          "expected a path that begins with / and has {id} in it; where the id stands elsewhere, calls.stop of a profile 2 says where",
        )
        .optional(),
      body: z.record(z.string(), z.json()).optional(),
      gone: answers.describe("answers that mean: already stopping, or nothing there to stop"),
      accepted: z
        .strictObject({ pointer, is: z.array(scalar).min(1) })
        .optional()
        .describe("profile 2: a 2xx accepts a stop only if one of these values stands there"),
    })
    .optional(),

  errors: z
    .strictObject({
      code: pointer.optional(),
      message: pointer.optional(),
      retryAfter: pointer.optional().describe("seconds to wait, in the body, where the header is absent"),
      definite: answers.describe("answers to a launch that surely launched nothing"),
      soldOut: z
        .strictObject({
          statuses: z.array(status).min(1).optional(),
          codes: z.array(text).min(1).optional(),
          wait: durationSchema.default("60s"),
        })
        .optional()
        .describe(
          "profile 2: answers to a launch that mean sold out, by status and code together: nothing is launched there for the Retry-After, or else for this wait",
        ),
    })
    .optional(),

  failures: z
    .strictObject({ retryable: z.array(text).default([]), permanent: z.array(text).default([]) })
    .partial()
    .optional()
    .describe("what is known of failure_code values beyond the specification"),

  limits: z
    .strictObject({
      requestsPerSecond: z.number().positive(),
      launchEvery: durationSchema.describe("profile 2: the least time between two launches of an account"),
    })
    .partial()
    .optional()
    .describe("rates the client keeps to"),
});

export type WireProfile = z.output<typeof wireProfileSchema>;
