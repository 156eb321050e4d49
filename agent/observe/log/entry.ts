import type { EventKind } from "../../../ledger/event-kind.ts";
import { ofKind } from "../../../ledger/event-kind.ts";
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

const LEVELS: Readonly<Record<EventKind, Level>> = {
  launch: "info",
  refused: "warn",
  cooldown: "info",
  unknown: "warn",
  claimed: "info",
  absent: "warn",
  disputed: "warn",
  unclaimed: "warn",
  reused: "warn",
  stuck: "warn",
  held: "warn",
  churned: "warn",
  notReady: "warn",
  returned: "error",
  running: "info",
  otherGpus: "warn",
  dearer: "warn",
  failed: "warn",
  support: "warn",
  interrupted: "warn",
  stopped: "info",
  gone: "warn",
  stop: "info",
  gaveBack: "info",
  halted: "error",
  badRecord: "warn",
  distrust: "warn",
  adopted: "info",
  disowned: "info",
  runway: "warn",
  // The agent says why at once, as an error of its own.
  unwritable: "warn",
  unreadable: "warn",
  keyRefused: "warn",
  readable: "info",
  slowList: "warn",
  paused: "info",
  drained: "warn",
  resumed: "info",
  renamed: "info",
  tenure: "info",
  seen: "info",
  reloaded: "info",
  notReloaded: "warn",
};

/** How loud an event of the ledger is. */
export function levelOf(kind: string): Level {
  return ofKind(LEVELS, kind) ?? "info";
}
