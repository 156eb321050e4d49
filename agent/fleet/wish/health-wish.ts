import { z } from "zod";
import { durationSchema } from "../../../service/text/duration.ts";
import { oneWay, port, questionShape } from "./machine-question.ts";

/** What a fleet asks of machines that are ready, and what follows where they are sick. */
export const healthSchema = z
  .strictObject({
    ...questionShape,
    address: questionShape.address.optional(),
    gpud: port
      .optional()
      .describe("the port of gpud (15132): bad while it suggests a reboot or an inspection of the hardware"),
    bad: durationSchema.default("10m").describe("how long a machine must be bad before anything follows"),
    then: z
      .enum(["tell", "replace"], { error: 'expected "tell" or "replace"' })
      .default("tell")
      .describe("what follows: people are told, or the machine is stopped and replaced, too"),
  })
  .superRefine(oneWay(["tcp", "http", "gpud", "command"]))
  .describe("whether a machine that is ready is healthy; without it nobody looks");
export type Health = z.output<typeof healthSchema>;
