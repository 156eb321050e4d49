import type { Keeper } from "../../../../launch/keeper.ts";
import type { FleetkeeperError } from "../../../../service/contract/errors.ts";
import type { Post } from "../../../reconcile/holder.ts";
import type { Level } from "../../../tell/log/entry.ts";

export interface StandbyOptions {
  readonly keeper: Keeper;
  /** Logs something about the agent itself. */
  readonly say: (text: string, level?: Level) => void;
  /** Called at each look while another agent keeps the account. */
  readonly onStandby: () => void;
  readonly onError: (error: FleetkeeperError, retryMs: number) => void;
  readonly work: (signal: AbortSignal) => Promise<void>;
}

/** The agent of an account by a lease. It says once that it stands by, and when it keeps the account. */
export function standingBy({ keeper, say, onStandby, onError, work }: StandbyOptions): Post {
  let stands = false;
  return {
    account: keeper.account,
    onStandby: () => {
      onStandby();
      if (stands) return;
      stands = true;
      void tellKeeper(keeper, say);
    },
    onError,
    onLost: () =>
      say("another agent has taken the account: this one stood still, or could not reach the ledger", "warn"),
    work: (signal) => {
      if (stands) say("this agent keeps the account now");
      stands = false;
      return work(signal);
    },
  };
}

async function tellKeeper({ ledger, account }: Keeper, say: StandbyOptions["say"]): Promise<void> {
  // Only its name is not known then.
  const rows = await ledger.read(account).catch(() => undefined);
  const agent = rows?.account.agent;
  const who = agent ? ` (process ${agent.process.pid} on ${agent.host})` : "";
  say(`standby: another agent keeps the account${who}. This one takes over when that one ends.`);
}
