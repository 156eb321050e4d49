import type { Context } from "hono";
import { z } from "zod";
import { type Actor, hasRight } from "../../../orders/actor.ts";
import { bodyOf, issuesText } from "../reach/body.ts";
import type { Env } from "../reach/guard.ts";
import type { App } from "../reach/listening.ts";
import { problem } from "../reach/problem.ts";
import { BASE } from "./paths.ts";

/** One thing that a Pulumi program asks: of a half of its resources, or of the service. */
export const stackCallSchema = z.strictObject({
  kind: z.enum(["slot", "machine", "fleet", "wish", "lookup"]),
  method: z.string().max(40).describe("as Pulumi calls it, such as create; of a lookup its function"),
  args: z.array(z.unknown()).max(3),
  run: z.string().min(1).max(64).describe("the process that asks: its calls share a list"),
  held: z.array(z.string()).max(20_000).describe("slots that the stack's state was seen to have"),
  cutAtOnce: z.boolean().describe("one Ctrl-C cuts it"),
  after: z.int().min(0).describe("lines that were told before"),
});
export type StackCall = z.output<typeof stackCallSchema>;

export const stackAnswerSchema = z.strictObject({
  said: z
    .array(
      z.strictObject({
        text: z.string(),
        name: z.string().optional(),
        level: z.literal("warning").optional(),
      }),
    )
    .describe("for people, since `after`"),
  next: z.int().describe("the next `after`"),
  done: z
    .strictObject({
      value: z.unknown(),
      held: z.array(z.string()),
      error: z
        .strictObject({
          message: z.string(),
          code: z.string().optional(),
          id: z.string().optional().describe("of what exists, though not as it should be"),
          outs: z.record(z.string(), z.unknown()).optional(),
        })
        .optional(),
    })
    .optional()
    .describe("how it ended; absent while it lasts"),
});
export type StackAnswer = z.output<typeof stackAnswerSchema>;

export type StackRefusal = {
  readonly refused: "gone" | "forbidden" | "otherOrder" | "tooMany" | "ending";
  readonly text: string;
};

/** Who answers what stacks ask. It stands above this room, with what Pulumi's own processes run. */
export interface StackCalls {
  /** Begins the call of this id, or goes on with it. It answers when there is something to tell, or after some seconds. */
  ask(id: string, call: StackCall, actor: Actor, signal: AbortSignal): Promise<StackAnswer | StackRefusal>;
  /** Ends its waits. Its end is still answered. */
  cut(id: string, actor: Actor): void;
}

/** A fleet's deployments, and a state's slots, stand in one body. */
const MOST_BYTES = 1024 * 1024;
const STATUS = { gone: 401, forbidden: 403, otherOrder: 422, tooMany: 429, ending: 503 } as const;
const ID = /^[\w-]{16,64}$/;

/** Below BASE. */
export const STACK_CALL = "/stacks/calls/{id}";

/** Answers `/api/v1/stacks/calls/ID`. */
export function addStackCalls(app: App, stacks: StackCalls): void {
  const path = `${BASE}${STACK_CALL.replace("{id}", ":id")}`;
  app.post(path, (c) => answer(stacks, c));
  app.delete(path, (c) => {
    const { actor } = c.env;
    if (actor && hasRight(actor, "read")) stacks.cut(c.req.param("id") ?? "", actor);
    return c.body("{}\n", 200, { "content-type": "application/json" });
  });
}

async function answer(stacks: StackCalls, c: Context<Env>): Promise<Response> {
  const { actor } = c.env;
  if (!actor) return problem(401, "What a stack asks needs a token.");
  const id = c.req.param("id") ?? "";
  if (!ID.test(id)) return problem(400, "the id of a call: expected 16 to 64 letters, digits and hyphens");
  const body = await bodyOf(c, MOST_BYTES);
  if (body instanceof Response) return body;
  const call = stackCallSchema.safeParse(body);
  if (!call.success) return problem(400, issuesText(call.error));
  const said = await stacks.ask(id, call.data, actor, c.req.raw.signal);
  if ("refused" in said) {
    const later = said.refused === "tooMany" || said.refused === "ending";
    return problem(STATUS[said.refused], said.text, later ? { "retry-after": "2" } : {});
  }
  // As it is: what is long is shortened for people only, and this goes into a state.
  return c.body(`${JSON.stringify(said)}\n`, said.done ? 200 : 202, { "content-type": "application/json" });
}
