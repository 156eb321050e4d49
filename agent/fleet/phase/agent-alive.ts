import type { Context } from "../../../launch/facts/context.ts";
import type { Keeper } from "../../../launch/keeper.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { elapsed } from "../../../ledger/instant.ts";
import type { LeaseState } from "../../../ledger/lease.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import { readDraft } from "../../../ledger/read-draft.ts";

/** Milliseconds that the loop and its list may be late: a launch may wait as long as a POST takes. */
export function allowedDelay({ settings }: Pick<Context, "settings">): number {
  return 4 * settings.poll + settings.postTimeout;
}

/**
 * True if an agent keeps this account: its process lives and has written its beat lately. `lease`: the account's, if
 * the ledger gives any. Of an agent that died on another host it is over in seconds, and the beat is old in minutes.
 */
export function isAgentAlive(draft: Draft, context: Context, lease?: LeaseState): boolean {
  const { agent } = draft.account;
  return (
    agent !== null &&
    lease?.isFree !== true &&
    context.isAlive(agent.process) &&
    elapsed(agent.beat, context.now) < allowedDelay(context)
  );
}

/** True if an agent keeps this account, as the ledger has it now. */
export async function hasAgent(
  { ledger, account }: Pick<Keeper, "ledger" | "account">,
  context: Context,
): Promise<boolean> {
  const lease = await leaseOf(ledger, account);
  return isAgentAlive(await readDraft({ ledger, account }), context, lease);
}

/** The account's lease as it is now. Undefined: the ledger gives none, or no agent ever kept the account. */
export async function leaseOf(
  ledger: Pick<Ledger, "leases">,
  account: string,
): Promise<LeaseState | undefined> {
  return (await ledger.leases?.look([account]))?.get(account);
}
