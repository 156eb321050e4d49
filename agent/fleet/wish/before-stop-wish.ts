import { z } from "zod";
import { durationSchema, milliseconds } from "../../../service/text/duration.ts";
import { command, questionShape } from "./machine-question.ts";

/** What runs before a machine is stopped. It asks nothing: how it ends is told, and the machine is stopped. */
export const beforeStopSchema = z
  .strictObject({
    address: questionShape.address
      .optional()
      .describe("the connection detail that FLEETKEEPER_ADDRESS is taken from; without it that of ready"),
    command: command.describe(
      "what saves the machine's work; FLEETKEEPER_WHY and FLEETKEEPER_UNTIL say why it stops, and when at the latest",
    ),
    within: durationSchema
      .default("10m")
      .describe("how long a stop waits for it at most; at until and total it begins so much earlier"),
    again: z
      .boolean()
      .default(false)
      .describe("whether it may run a second time for the same stop, where the agent that ran it has died"),
  })
  .describe("what runs before a running machine is stopped by our choice; without it stops wait for nothing");

export type BeforeStop = z.output<typeof beforeStopSchema>;

/** How long before its deadline, or before its total is spent, a fleet begins to stop: milliseconds. */
export function stopAhead({ beforeStop }: { readonly beforeStop?: BeforeStop | undefined }): number {
  return beforeStop ? milliseconds(beforeStop.within) : 0;
}
