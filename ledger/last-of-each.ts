import type { Change } from "./draft.ts";

/**
 * A machine that was put more than once is stored once, as it was put last, and so is the account. Launches are
 * stored as they were put: one may be opened in its group only after another one was closed.
 */
export function lastOfEach(changes: readonly Change[]): readonly Change[] {
  const last = new Map<string | undefined, Change>();
  for (const change of changes) last.set(keyOf(change), change);
  return changes.filter((change) => {
    const key = keyOf(change);
    return key === undefined || last.get(key) === change;
  });
}

function keyOf(change: Change): string | undefined {
  if (change.table === "deployment") return change.row.id;
  return change.table === "account" ? "" : undefined;
}
