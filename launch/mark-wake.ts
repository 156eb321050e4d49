import type { Draft } from "../ledger/draft.ts";

/**
 * A decision after which, if it changed anything, the agent that keeps the account comes round now, wherever it runs.
 * For a wish, an order or a resume. An agent's own decisions wake nobody, but for what machines answered it beside its ticks.
 */
export function waking<T>(decision: (draft: Draft) => T): (draft: Draft) => T {
  return (draft) => {
    const result = decision(draft);
    if (draft.changes.length > 0) wakeAgent(draft);
    return result;
  };
}

export function wakeAgent(draft: Draft): void {
  const { account } = draft;
  draft.putAccount({ ...account, wakes: (account.wakes ?? 0) + 1 });
}
