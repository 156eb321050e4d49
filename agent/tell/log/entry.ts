import type { Owner } from "../../../ledger/rows.ts";

export type Level = "info" | "warn" | "error";

/** One line of the log: one decision or one event. @internal Exported for tests. */
export interface LogEntry {
  readonly level: Level;
  /** The kind of the ledger's event, or `waits`, or the agent's own `agent`, `service` and `notify`. */
  readonly kind: string;
  /** For people. It may hold any text of the service: the log hides secrets and cleans it. */
  readonly text: string;
  /** Wall time in ms. */
  readonly at: number;
  readonly owner?: Owner | null;
  /** The owner's name for people. Default: the name in `owner`. */
  readonly name?: string;
  readonly deployment?: string | null;
  readonly intent?: string | null;
  /** Further fields, for programs only. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

export type Log = (entry: LogEntry) => void;
