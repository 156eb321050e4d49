import type { ArchivedPair, ArchiveStore } from "../archive.ts";
import type { Archived } from "../rows.ts";
import { read, readArchived } from "../stored-row.ts";
import type { Statements } from "./statements.ts";

/** Runs what reads the ledger, and throws LEDGER where SQLite throws. */
export type Guarded = <T>(work: () => T) => T;

/** The archived rows of one account, read one by one. */
export function archiveStore(sql: Statements, account: string, guarded: Guarded): ArchiveStore {
  const pair = (deployment: string): ArchivedPair | undefined => {
    const stored = sql.deployment.get(account, deployment);
    if (!stored) return undefined;
    const row = read("deployment", stored);
    const launch = row.intent === null ? undefined : sql.intent.get(account, row.intent);
    return {
      row,
      intent: launch ? read("intent", launch) : null,
      archived: stored.archived === null ? NOT_ANY_MORE : readArchived(stored.archived),
    };
  };
  const pairOf = (intent: string): ArchivedPair | undefined => {
    const stored = sql.intent.get(account, intent);
    if (!stored || stored.archived === null) return undefined;
    return pair(read("intent", stored).deployment ?? "");
  };
  return {
    pair: (deployment) => guarded(() => pair(deployment)),
    pairOf: (intent) => guarded(() => pairOf(intent)),
    idsOf: (owner) => guarded(() => sql.archivedOf.all(account, owner).map(({ id }) => String(id))),
  };
}

/** A reader may still have the archive of before. */
const NOT_ANY_MORE: Archived = { owner: null, record: null, spent: {} };
