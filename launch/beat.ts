import type { Draft } from "../ledger/draft.ts";
import { elapsed } from "../ledger/instant.ts";
import type { Keeper } from "./keeper.ts";

/*
 * The agent that keeps an account says so all the time, or another one takes its place. It says it with each
 * full list that it writes down: a tick in which nothing changed is one small write.
 */

/** This process is the agent that keeps the account. By more than the pid: in containers all have number 1. */
export function keepsAccount({ account: { agent } }: Draft, { clock }: Pick<Keeper, "clock">): boolean {
  const { boot, pid, started } = clock.self;
  const process = agent?.process;
  return process?.boot === boot && process.pid === pid && process.started === started;
}

/** Renews the agent's beat, if this process is the agent. */
export function beat(draft: Draft, keeper: Pick<Keeper, "clock">): void {
  const { account } = draft;
  if (account.agent === null || !keepsAccount(draft, keeper)) return;
  draft.putAccount({ ...account, agent: { ...account.agent, beat: keeper.clock.now() } });
}

/** The newest list, if it has just come, has renewed it. Where none comes, the loop itself must. */
export function isBeatFresh(draft: Draft, { clock, settings }: Pick<Keeper, "clock" | "settings">): boolean {
  const { agent } = draft.account;
  return agent !== null && elapsed(agent.beat, clock.now()) < 1.5 * settings.poll;
}
