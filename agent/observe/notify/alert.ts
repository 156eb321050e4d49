import { createHash } from "node:crypto";
import { needsSupport } from "../../../launch/support-request.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { Owner, StoredEvent } from "../../../ledger/rows.ts";
import type { AlertKind } from "../../fleet/notify-settings.ts";
import { howTold } from "../how-told.ts";

export interface Alert {
  readonly kind: AlertKind;
  /** The kind of the event that it tells, which may be narrower. */
  readonly event: string;
  /** Of the event that it tells: the same for every target, and after a restart. */
  readonly sequence: number;
  readonly at: number;
  readonly owner: Owner | null;
  readonly deployment: string | null;
  readonly text: string;
}

/** Machines of strangers come and go. They matter only once somebody must say whose they are. */
const OURS_ONLY: readonly AlertKind[] = ["interrupted", "support", "running"];

/** What an event of the ledger tells people; undefined: nothing that they need to be told. */
export function alertOf(
  { kind: eventKind, sequence, at, owner: toldOf, deployment, text }: StoredEvent,
  draft: Draft,
  isRetryable: (failureCode: string) => boolean | undefined,
): Alert | undefined {
  const { alert: kind } = howTold(eventKind);
  const row = deployment === null ? undefined : draft.deployments.get(deployment);
  // A list that first shows a machine of ours tells of it before it is claimed.
  const owner = toldOf ?? row?.owner ?? null;
  if (kind === undefined || (OURS_ONLY.includes(kind) && owner === null)) return undefined;
  if (kind === "support" && !(row && needsSupport(draft, row, isRetryable))) return undefined;
  return { kind, event: eventKind, sequence, at, owner, deployment, text };
}

/**
 * Each tells something else than the one before it: another mistake in the file, another reason to stop,
 * another outage. The others of an owner are one state, whose words may change while it lasts.
 */
const BY_TEXT: readonly AlertKind[] = ["settings", "halted", "drained", "unreadable", "refused", "readable"];

/** What two alerts share that say the same: only the first of them is told in its quiet time. */
export function keyOf({ kind, event, owner, deployment, text }: Alert): string {
  const about = deployment ?? owner ?? "";
  // Short: it is kept in the account's row.
  const said = BY_TEXT.includes(kind)
    ? ` ${createHash("sha256").update(text).digest("hex").slice(0, 16)}`
    : "";
  return `${event === "churned" ? event : kind} ${about}${said}`;
}
