import type { Draft } from "../ledger/draft.ts";

/**
 * A decision after which, if it changed anything, the agent that keeps the account comes round now, wherever it runs.
 * For a wish, an order or a resume. An agent's own decisions wake nobody.
 */
export function waking<T>(decision: (draft: Draft) => T): (draft: Draft) => T {
  return (draft) => {
    const result = decision(draft);
    const { account } = draft;
    if (draft.changes.length > 0) draft.putAccount({ ...account, wakes: (account.wakes ?? 0) + 1 });
    return result;
  };
}
