import { z } from "zod";
import { type Said, text } from "./parts.ts";

const accountSchema = z.object({
  service: text.nullable().describe("its name in the fleet file; null: the agent has only one"),
  account: text.nullable().describe("its e-mail address; null: it is not open now"),
  problem: text.nullable().describe("why it is not kept now; null: nothing is wrong"),
});
export type AgentAccount = Said<typeof accountSchema>;

/** `GET /api/v1/accounts`. */
export const agentAccountsSchema = z.object({
  version: text.describe("of the agent"),
  accounts: z.array(accountSchema).describe("in the order of the fleet file"),
});
