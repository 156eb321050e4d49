import type { Owner } from "../../../ledger/rows.ts";

export type Level = "info" | "warn" | "error";

/** One decision, or one thing that happened: one line. @internal Exported for tests. */
export interface LogEntry {
  readonly level: Level;
  /** The kind of the ledger's event; `waits`; or the agent's own `agent`, `service` and `notify`. */
  readonly kind: string;
  /** For people. May hold whatever the service says: who writes it hides secrets and makes it harmless. */
  readonly text: string;
  /** Wall time in ms. */
  readonly at: number;
  readonly owner?: Owner | null;
  /** Of the owner, for people; as in `owner` where it is left out. */
  readonly name?: string;
  readonly deployment?: string | null;
  readonly intent?: string | null;
  /** More that is worth a field of its own, for programs alone. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

export type Log = (entry: LogEntry) => void;
