import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { type AgentClient, createAgentClient } from "../../../agent/remote/agent-client.ts";
import { type StackAnswer, type StackCall, stackAnswerSchema } from "../../../agent/tell/http/api/stacks.ts";
import { type ErrorCode, FleetkeeperError } from "../../../service/contract/errors.ts";
import type { Json } from "../../../service/contract/service.ts";
import { NotAsItShouldBe } from "../inputs/resource-kind.ts";
import type { AgentLink, Environment } from "../session/environment.ts";
import { interrupted } from "../session/wait-limit.ts";
import type { KeepingAgent } from "./agent-settings.ts";

/** How long an agent may be away that has not answered this process once. */
const FIRST_MS = 15_000;
/** Between two requests while it is away. */
const AGAIN_MS = 1_000;
/** After a Ctrl-C the agent has this long to say how a call ended: the answer of a launch may be that far. */
const CUT_MS = 150_000;

/** What is asked of the agent for one process: its calls share lists there. Close it where the process goes on. */
export function openAgentLink(
  agent: KeepingAgent,
  variables: Readonly<Record<string, string | undefined>>,
  client: AgentClient = createAgentClient(agent, variables),
): AgentLink & { close(): Promise<void> } {
  const { url, folder } = agent;
  const run = randomUUID();
  let isKnown = false;

  /** One request. An error: the agent is away, and may be asked again. */
  async function asked(
    path: string,
    body: StackCall,
    signal: AbortSignal,
  ): Promise<StackAnswer | FleetkeeperError> {
    try {
      const order = { path, key: path, body: body as unknown as Readonly<Record<string, Json>> };
      const answer = await client.order(order, stackAnswerSchema, signal, folder);
      isKnown = true;
      return answer;
    } catch (error) {
      if (!(error instanceof FleetkeeperError)) throw error;
      if (isAway(error)) return error;
      if (error.status !== 401 || folder === "") throw error;
      const service = folder.replace("/services/", "");
      throw new FleetkeeperError("CREDENTIAL", `${error.message}. Or has the agent no service ${service}?`, {
        cause: error,
      });
    }
  }

  return {
    async call(kind, method, args, env, patience) {
      const path = `/stacks/calls/${randomUUID()}`;
      const never = new AbortController().signal;
      const cut = (): void => {
        client
          .order({ method: "DELETE", path, key: path }, z.unknown(), never, folder)
          .catch(() => undefined);
      };
      env.signal.throwIfAborted();
      env.signal.addEventListener("abort", cut, { once: true });
      const cutAtOnce = env.cutAtOnce === true;
      let after = 0;
      let heard = performance.now();
      let cutAt: number | undefined;
      let told: string | undefined;
      try {
        for (;;) {
          const body = { kind, method, args: [...args], run, held: [...env.held], cutAtOnce, after };
          const answer = await asked(path, body, never);
          const now = performance.now();
          // It is there, and has too much to do.
          if (answer instanceof FleetkeeperError && answer.status === 429) heard = now;
          if (env.signal.aborted) {
            cutAt ??= now;
            // The first time may have come before the call.
            cut();
          }
          if (!(answer instanceof FleetkeeperError)) {
            heard = now;
            after = answer.next;
            for (const { text, name, level } of answer.said) env.say(text, name, level);
            if (answer.done) return endOf(answer.done, env);
          } else if (cutAt !== undefined) throw interrupted(`the agent at ${url} is away, and says no end`);
          else if (now - heard > (isKnown ? patience : FIRST_MS)) throw away(answer, now - heard);
          else {
            if (told !== answer.message && answer.status !== 429)
              env.say(`the agent is away, and is asked again: ${answer.message}`);
            told = answer.message;
            await sleep(AGAIN_MS, undefined, { signal: env.signal }).catch(() => undefined);
          }
          if (cutAt !== undefined && now - cutAt > CUT_MS)
            throw interrupted("the agent goes on with what it has sent");
        }
      } finally {
        env.signal.removeEventListener("abort", cut);
      }
    },
    close: () => client.close(),
  };
}

/** It did not answer, it is starting or stopping, or it has too much to do. */
function isAway({ code, status = 0 }: FleetkeeperError): boolean {
  return code === "UNREACHABLE" || [429, 502, 503, 504].includes(status);
}

function away(last: FleetkeeperError, ms: number): FleetkeeperError {
  const text = `the agent has been away for ${Math.round(ms / 1000)} s: ${last.message} Nothing is lost: the next pulumi command goes on from here.`;
  return new FleetkeeperError("UNREACHABLE", text, { cause: last });
}

function endOf(
  { value, held, error }: NonNullable<StackAnswer["done"]>,
  env: Pick<Environment, "held">,
): unknown {
  for (const slot of held) env.held.add(slot);
  if (!error) return value ?? undefined;
  const { message, code, id, outs } = error;
  if (id !== undefined) throw new NotAsItShouldBe(message, id, outs ?? {});
  throw code === undefined ? new Error(message) : new FleetkeeperError(code as ErrorCode, message);
}
