import { z } from "zod";
import { moment, ownerSchema, text } from "./parts.ts";

/** Each line of `history --json`. */
export const historySchema = z
  .object({
    account: text.describe("its e-mail address"),
    at: moment,
    kind: text,
    owner: ownerSchema.nullable(),
    name: text.nullable().describe("what people call its owner"),
    deployment: text.nullable(),
    intent: text.nullish(),
    actor: text.optional().describe("who ordered it, such as token:ci; none: nobody did"),
    text,
    sequence: z.int(),
  })
  .describe("each line");
