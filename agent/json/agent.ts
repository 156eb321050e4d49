import { z } from "zod";
import { accountSchema as accountSchemaOfService } from "../../service/contract/contract.ts";
import { type PartSaid, partsSaidSchema } from "./answers.ts";
import { hostsSchema } from "./deployments.ts";
import { offersSchema } from "./offers.ts";
import { type Said, text } from "./parts.ts";
import { plansSchema } from "./plan.ts";

const accountSchema = z.object({
  service: text.nullable().describe("its name in the fleet file; null: the agent has only one"),
  account: text.nullable().describe("its e-mail address; null: it is not open now"),
  problem: text.nullable().describe("why it is not kept now; null: nothing is wrong"),
  distrusted: text
    .nullable()
    .describe("why the newest list is not believed: what it lacks is shown as before; null: it is believed"),
});
export type AgentAccount = Said<typeof accountSchema>;

/** `GET /api/v1/accounts`. */
export const agentAccountsSchema = z.object({
  version: text.describe("of the agent"),
  accounts: z.array(accountSchema).describe("in the order of the fleet file"),
});

/** `GET /api/v1/hosts`. */
export const hostsKnownSchema = z.object({
  details: z
    .record(text, z.enum(["open", "secret"]))
    .describe("the connection details that the profile maps, by its names"),
  hosts: hostsSchema.describe("with what is open of them"),
});
export type HostsKnown = Said<typeof hostsKnownSchema>;

/** `GET /api/v1/offers`. */
export const offersKnownSchema = z.object({
  offers: offersSchema,
  unread: text.nullable().describe("how many offers cannot be read, and why; null: all can"),
});
export type OffersKnown = Said<typeof offersKnownSchema>;

/** `GET /api/v1/plan`. */
export const planKnownSchema = plansSchema.pick({ fleets: true }).extend({
  believed: z.boolean().describe("false: the newest list is not believed, and an agent would do nothing now"),
});

/** `GET /api/v1/ledger/plan`. */
export const servicesPlanSchema = plansSchema.required({ wholes: true }).extend({
  errors: z
    .array(z.object({ service: text, error: text, code: text.describe("such as UNREACHABLE") }))
    .describe("of services that could not be asked"),
  believed: planKnownSchema.shape.believed.describe("false: the newest list of one of them is not believed"),
});
export type ServicesPlan = Said<typeof servicesPlanSchema>;

/** What an order about all parts of a fleet answers with `?dryRun=true`. */
export const foreseenOverSchema = servicesPlanSchema.extend({
  answer: partsSaidSchema.describe("what the order itself would say"),
});
export interface ForeseenOver extends ServicesPlan {
  readonly answer: { readonly parts: readonly PartSaid[] };
}

/** `GET /api/v1/ledger/fleets/{fleet}`, and `/ledger/fleet-files/{file}`. */
export const fleetPartsSchema = z.object({
  name: text,
  version: text.describe("of all its parts: to be sent with an order about all of them that counts on it"),
  parts: z.array(
    z.object({
      fleet: text.describe("the part's name"),
      service: text.nullable().describe("as its declaration calls it; null: one account keeps the fleet"),
      account: text.describe("its e-mail address"),
    }),
  ),
});

/** What an order with `?dryRun=true` answers. */
export const foreseenSchema = planKnownSchema.extend({
  answer: z.unknown().describe("what the order itself would say"),
  warning: text.nullable().describe("what no plan says yet, for people"),
});
export type ForeseenKnown = z.output<typeof foreseenSchema>;

/** `GET /api/v1/token`. */
export const tokenKnownSchema = z
  .object({
    name: text.describe("as events name it, such as token:ci"),
    may: z.enum(["read", "operate", "declare", "admin"]),
    fleets: z
      .array(text)
      .nullable()
      .describe("patterns of the fleets that it orders about; null: all, and the account"),
  })
  .nullable()
  .describe("null: no token came with the request");

/** `GET /api/v1/fleets/{fleet}`. */
export const fleetDeclaredSchema = z.object({
  name: text,
  of: text.nullable().describe("the fleet in several services whose part it is; null: it is none"),
  version: text.describe("of its declaration and its orders: to be sent with an order that counts on them"),
  source: text.describe("who declared it: file:PATH, stack:RESOURCE, or api:"),
  removed: z.boolean(),
  wish: z
    .unknown()
    .describe(
      "as it was declared, with defaults; null: the token may not declare it, and it may hold what is secret",
    ),
});

/** `GET /api/v1/account`. */
export const accountKnownSchema = accountSchemaOfService.extend({
  balance: text.optional().describe("an exact decimal; absent: the service shows none"),
  currency: text.optional(),
});
