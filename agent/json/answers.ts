import { z } from "zod";
import type { Json } from "../../service/contract/service.ts";
import { deploymentsSchema } from "./deployments.ts";
import { count, moment, type Said, text, whoseSchema } from "./parts.ts";
import { askSchema } from "./status.ts";

/*
 * What orders answer, by the API and beside the ledger. An answer that is kept for its key stands in the account's row: it is
 * short.
 */

/** How the fleet stands after it. */
export const fleetSaidSchema = z.object({
  phase: z.enum(["kept", "paused", "drained"]),
  by: z.enum(["removal", "operator", "deadline", "total"]).optional().describe("what drained it"),
  why: text.optional().describe("why it is paused or drained"),
});
export type FleetSaid = Said<typeof fleetSaidSchema>;

export const wokenSchema = z.object({ raised: z.boolean().describe("false: nothing had been given back") });

export const askSaidSchema = fleetSaidSchema.partial({ phase: true }).extend({
  gpus: count.nullable().describe("asked for now, by all that its size follows; null: nobody had asked"),
  asks: askSchema.nullable().optional().describe("what a person asks for now"),
});

export const declaredSchema = z.object({
  changes: z.array(text).describe("what is declared otherwise now, for people"),
  drains: z.array(text).describe("fleets that the file had and has no more"),
});
export type FileSaid = Said<typeof declaredSchema>;

export const heldSchema = z.object({ until: moment.nullable(), why: text.nullable() });
export const releasedSchema = z.object({ released: z.boolean().describe("false: nobody held it") });
export const seenSchema = z.object({ seen: z.array(text).describe("what was put away") });
export const doneSchema = z.looseObject({});
export const stoppedSchema = z.object({
  ended: text.nullable().describe("how it has ended already; null: it lives, and is to end"),
});

export const adoptedSchema = z.object({
  whose: whoseSchema,
  stops: z.array(text).describe("machines that are stopped because of it"),
  purpose: z.enum(["keep", "stop"]).describe("stop: its owner takes it only to stop it"),
  question: text.nullable().describe("what to ask a person first; null: nothing is stopped yet"),
});

export const resumedSchema = z.object({
  halted: count,
  unsound: z.boolean(),
  vanished: z.boolean(),
  returned: z.boolean(),
  refusals: count,
  cooling: count,
});

/** `GET /api/v1/account/stop`: what a stop of all would stop, or what is left of one. */
export const emergencySchema = z.object({
  account: text.describe("its e-mail address"),
  ledger: text,
  list: moment.nullable().describe("when the newest believed list was asked for; null: never"),
  canStop: z.boolean().describe("false: the profile lacks the part stop, and machines run on"),
  machines: deploymentsSchema.describe("certainly ours, and not ended"),
  launches: z
    .array(z.object({ place: text, detail: text }))
    .describe("of unknown outcome: what they made is stopped once it shows"),
  fleets: z.array(text).describe("would launch again"),
  moves: z
    .array(text)
    .describe("fleets in several services: the others may rent the share of what is drained here"),
  slots: z.array(text).describe("of Pulumi deployments: a pulumi up that waits may fill one"),
  drained: z.array(text).describe("fleets that a person has drained"),
  doubtful: deploymentsSchema.describe("they bill, and nobody can say that they are ours: never stopped"),
  wayOn: text.nullable().describe("what a person does about these, for people; null: there is none"),
  mayBeOurs: z.boolean().describe("one of these may be ours"),
});
export type EmergencyKnown = Said<typeof emergencySchema>;

/** What an order about all parts of a fleet did in each account. `answer`: what it says of one account's fleet. */
export function partsSaid<A extends z.ZodType>(answer: A) {
  const part = z.object({
    fleet: text.describe("the part's name; of a fleet file: the file's"),
    of: text.describe("the fleet's name, or the file's"),
    service: text.nullable().describe("as its declaration calls it; null: one account keeps the fleet"),
    hasAgent: z.boolean().describe("false: no agent keeps its account now"),
    answer,
  });
  return z.object({ parts: z.array(part) });
}

export interface PartSaid<A = Json> {
  readonly fleet: string;
  readonly of: string;
  readonly service: string | null;
  readonly hasAgent: boolean;
  readonly answer: A;
}
export const partsSaidSchema = partsSaid(z.unknown().describe("what the order says of one account's fleet"));
export const leftSchema = z.object({ surge: count.describe("GPUs above the count while it moves") });
