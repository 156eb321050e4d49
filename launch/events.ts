import type { Draft } from "../ledger/draft.ts";
import type { Owner } from "../ledger/rows.ts";
import type { Context } from "./context.ts";

/** What the ledger keeps for people, by kind. */
export type EventKind =
  | "launch"
  | "refused"
  | "cooldown"
  | "unknown"
  | "claimed"
  | "absent"
  | "disputed"
  | "unclaimed"
  | "stuck"
  | "held"
  | "notReady"
  | "running"
  /** A machine shows fewer GPUs than were expected. */
  | "smaller"
  | "failed"
  /** A text for the service's support, to be sent as it is. */
  | "support"
  | "interrupted"
  | "stopped"
  | "gone"
  | "stop"
  | "gaveBack"
  | "halted"
  | "distrust"
  | "adopted"
  | "disowned"
  | "runway"
  | "paused"
  | "drained"
  | "resumed"
  | "tenure";

export function note(
  draft: Draft,
  context: Context,
  kind: EventKind,
  text: string,
  about: {
    readonly owner?: Owner | null;
    readonly deployment?: string | null;
    readonly intent?: string | null;
  } = {},
): void {
  const { owner = null, deployment = null, intent } = about;
  draft.note({ at: context.now.wall, kind, owner, deployment, ...(intent ? { intent } : {}), text });
}
