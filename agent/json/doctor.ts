import { z } from "zod";
import { count, type Said, text } from "./parts.ts";

const remedySchema = z
  .object({
    text: text.describe("one sentence"),
    at: text.optional().describe("acme.profile.yaml:5:3: where the lines belong"),
    lines: z.array(text).optional().describe("YAML with its indentation; the user fills in every <...>"),
    proposed: z.literal(true).optional().describe("the lines are guesses: a person must confirm them"),
  })
  .describe("what to do about it");
export type Remedy = Said<typeof remedySchema>;

const checkSchema = z.object({
  id: text.describe("stable: profile, operation.launch, fleet.training.mix"),
  section: z.enum(["configuration", "service", "operations", "deployments", "offers", "fleets"]),
  level: z.enum(["ok", "warning", "problem", "skipped"]).describe("skipped: another check says why"),
  says: text.describe("one or two sentences"),
  details: z.array(text).optional(),
  remedy: remedySchema.optional(),
  configuration: z.literal(true).optional().describe("the configuration itself is wrong: exit code 2"),
});
/** One finding. */
export type Check = Said<typeof checkSchema>;

/** `doctor --json`. Fit for JSON and a terminal: no secret, no control characters. */
export const doctorSchema = z.object({
  exitCode: z.literal([0, 1, 2]).describe("1: something stops launches; 2: the configuration is wrong"),
  baseUrl: text,
  profile: text,
  requests: count.describe("how many were sent: GETs, and what the profile says to read by another method"),
  checks: z.array(checkSchema),
});
export type DoctorReport = Said<typeof doctorSchema>;
