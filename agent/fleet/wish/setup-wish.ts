import { z } from "zod";
import { durationSchema } from "../../../service/text/duration.ts";
import { command, questionShape } from "./machine-question.ts";

const RETRIES = "expected a whole number from 0 to 100";

export const setupSchema = z
  .strictObject({
    command: command.describe(
      "sets up the machine that FLEETKEEPER_ADDRESS names, and ends with 0; FLEETKEEPER_TRY says which try it is",
    ),
    address: questionShape.address
      .optional()
      .describe(
        "the connection detail of the wire profile to wait for; without it, that of ready if there is one",
      ),
    within: durationSchema.default("15m").describe("how long one try may take before it is ended"),
    retries: z
      .int(RETRIES)
      .min(0, RETRIES)
      .max(100, RETRIES)
      .default(3)
      .describe("how often it is tried again after a try that failed"),
  })
  .describe("what is run once for each machine that runs; it is ready only after that");
export type Setup = z.output<typeof setupSchema>;
