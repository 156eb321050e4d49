import type { Context } from "../../launch/context.ts";
import type { Draft } from "../../ledger/draft.ts";
import { elapsed } from "../../ledger/instant.ts";

/** Milliseconds that the loop and its list may be late: a launch may wait as long as a POST takes. */
export function allowedDelay({ settings }: Pick<Context, "settings">): number {
  return 4 * settings.poll + settings.postTimeout;
}

/** True if an agent keeps this account: its process lives and has written its beat lately. */
export function agentAlive(draft: Draft, context: Context): boolean {
  const { agent } = draft.account;
  return (
    agent !== null &&
    context.isAlive(agent.process) &&
    elapsed(agent.beat, context.now) < allowedDelay(context)
  );
}
