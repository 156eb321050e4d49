import { createHash } from "node:crypto";
import { needsSupport } from "../../../launch/support-request.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { Owner, StoredEvent } from "../../../ledger/rows.ts";
import type { AlertKind } from "../../fleet/notify-settings.ts";
import { howTold } from "../how-told.ts";

export interface Alert {
  readonly kind: AlertKind;
  /** The kind of its event. It may be narrower. */
  readonly event: string;
  /** The number of its event: the same for every target and after a restart. */
  readonly sequence: number;
  readonly at: number;
  readonly owner: Owner | null;
  readonly deployment: string | null;
  readonly text: string;
}

/** Kinds that are told only of machines of ours. Strangers' machines come and go. */
const OURS_ONLY: readonly AlertKind[] = ["interrupted", "support", "running"];

/** The alert for an event of the ledger; undefined if people need not be told. */
export function alertOf(
  { kind: eventKind, sequence, at, owner: toldOf, deployment, text }: StoredEvent,
  draft: Draft,
  isRetryable: (failureCode: string) => boolean | undefined,
): Alert | undefined {
  const { alert: kind } = howTold(eventKind);
  const row = deployment === null ? undefined : draft.deployments.get(deployment);
  // A list may show a machine of ours before it is claimed: its event then names no owner.
  const owner = toldOf ?? row?.owner ?? null;
  if (kind === undefined || (OURS_ONLY.includes(kind) && owner === null)) return undefined;
  if (kind === "support" && !(row && needsSupport(draft, row, isRetryable))) return undefined;
  return { kind, event: eventKind, sequence, at, owner, deployment, text };
}

/**
 * For these kinds another text is another alert: another mistake in the file, another outage. For all other
 * kinds an owner's alerts are one state, and its text may change while it lasts.
 */
const BY_TEXT: readonly AlertKind[] = ["settings", "halted", "drained", "unreadable", "refused", "readable"];

/** Alerts with the same key say the same: only the first is told in the quiet time. */
export function keyOf({ kind, event, owner, deployment, text }: Alert): string {
  const about = deployment ?? owner ?? "";
  // A short hash: the key is kept in the account's row.
  const said = BY_TEXT.includes(kind)
    ? ` ${createHash("sha256").update(text).digest("hex").slice(0, 16)}`
    : "";
  return `${event === "churned" ? event : kind} ${about}${said}`;
}
