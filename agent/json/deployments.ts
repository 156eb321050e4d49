import { z } from "zod";
import {
  connectionSchema,
  currency,
  isoMoment,
  machineSchema,
  type Said,
  setupSchema,
  text,
  whoseSchema,
} from "./parts.ts";

const claim = z.enum(["certain", "inferred", "disputed", "foreign"]);
const stopSchema = z.object({
  asked: isoMoment,
  why: text,
  accepted: z.boolean().describe("the service took a stop call"),
  error: text.nullable().describe("what the last call that failed was answered"),
});

const deploymentSchema = machineSchema.extend({
  currency,
  end: z.enum(["failed", "interrupted", "stopped", "gone"]).nullable().describe("null: it lives"),
  endedAt: isoMoment.nullable(),
  createdAt: text.nullable().describe("as the service shows it"),
  firstSeen: isoMoment,
  claim: claim.nullable().describe("how surely it is ours; null: nobody here answers for it"),
  owner: whoseSchema.nullable(),
  failureCode: text.nullable(),
  failureReason: text.nullable(),
  suggestedAction: text.nullable(),
  stopReason: text.nullable(),
  stop: stopSchema.nullable(),
});
export type DeploymentFacts = Said<typeof deploymentSchema>;

/** `deployments list --json`. */
export const deploymentsSchema = z.array(deploymentSchema);

const historySchema = z.array(z.object({ at: isoMoment, kind: text, text })).describe("the oldest first");
export type DeploymentHistory = Said<typeof historySchema>;

/** `deployments show --json`. */
export const deploymentShownSchema = deploymentSchema.extend({
  version: text.describe("which machine this is, and whose: an order may count on it"),
  connection: connectionSchema,
  marker: text.nullable().describe("what the service shows back of its launch; null: nothing"),
  launch: z
    .object({ place: text, state: text, detail: text })
    .nullable()
    .describe("the launch that made it, as far as this ledger knows; null: none of its"),
  stopText: text.nullable().describe("how its stop goes, for people; null: it is not told to stop"),
  history: historySchema,
});

export type DeploymentShown = Said<typeof deploymentShownSchema>;

const hostSchema = z.object({
  deployment: text,
  owner: whoseSchema,
  setup: setupSchema,
  connection: connectionSchema,
});
export type RunningHost = Said<typeof hostSchema>;

/** `hosts --json`. */
export const hostsSchema = z.array(hostSchema);
