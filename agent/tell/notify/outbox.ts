import { createHash } from "node:crypto";
import { needsSupport } from "../../../launch/ends/support-request.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { EventKind } from "../../../ledger/event-kind.ts";
import { HOUR_MS, MINUTE_MS } from "../../../ledger/instant.ts";
import type { OutboxRow, Owner, StoredEvent } from "../../../ledger/rows.ts";
import type { AlertKind } from "../../fleet/file/notify-settings.ts";
import { howTold } from "../log/how-told.ts";

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
  const row = deployment === null ? undefined : draft.deployments.ever(deployment);
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

/** Kinds of event that say something else than the others of their alert. */
const APART: readonly string[] = ["churned", "unstuck"] satisfies EventKind[];

/** Kinds of event of which each is another one: the next update fails, too. */
const EACH: readonly string[] = ["updateFailed"] satisfies EventKind[];

/** Alerts with the same key say the same: only the first is told in the quiet time. */
function keyOf({ kind, event, owner, deployment, text }: Alert): string {
  const about = deployment ?? owner ?? "";
  // A short hash: the key is kept in the account's row.
  const said =
    BY_TEXT.includes(kind) || EACH.includes(event)
      ? ` ${createHash("sha256").update(text).digest("hex").slice(0, 16)}`
      : "";
  return `${APART.includes(event) ? event : kind} ${about}${said}`;
}

/** What one target is told in one message. */
export interface Batch {
  /** The last event that this batch covers. */
  readonly to: number;
  /** All different. Empty if there is nothing to send, and only the cursor moves on. */
  readonly alerts: readonly Alert[];
}

/** For this long the same alert is not told again. For a machine it is 24 times as long. */
const QUIET_MS = HOUR_MS;
const QUIET_MACHINE_MS = 24 * QUIET_MS;
/** After so many messages in an hour, alerts are gathered and sent every 5 minutes. */
const MOST_AT_ONCE = 6;
const GATHER_MS = 5 * MINUTE_MS;
/** After so many events that tell nothing, the cursor moves on: a restart would read all of them again. */
const MOST_BEHIND = 500;

/** A new target is told only what happens from now on. */
export function newOutbox(newest: number): OutboxRow {
  return { after: newest, sending: null, told: {}, sent: [] };
}

/**
 * What is to be told now; undefined if nothing is. `alerts` are in the order of their events; `newest` is the
 * last event. A batch that was begun is the same after a failure or a restart: the time does not matter.
 */
export function nextBatch(
  outbox: OutboxRow,
  alerts: readonly Alert[],
  kinds: readonly AlertKind[],
  newest: number,
  now: number,
): Batch | undefined {
  if (outbox.sending === null && now < notBefore(outbox, now)) return undefined;
  const until = outbox.sending ?? Number.POSITIVE_INFINITY;
  const told = new Map(Object.entries(outbox.told));
  const fresh: Alert[] = [];
  for (const alert of alerts) {
    if (alert.sequence <= outbox.after || alert.sequence > until || !kinds.includes(alert.kind)) continue;
    const key = keyOf(alert);
    const before = told.get(key);
    if (before !== undefined && Math.abs(alert.at - before) < quietOf(alert)) continue;
    told.set(key, alert.at);
    fresh.push(alert);
  }
  const last = fresh.at(-1);
  if (outbox.sending !== null || last)
    return { to: outbox.sending ?? last?.sequence ?? newest, alerts: fresh };
  return newest - outbox.after > MOST_BEHIND ? { to: newest, alerts: [] } : undefined;
}

/** The outbox after the batch was delivered. */
export function afterBatch(outbox: OutboxRow, { to, alerts }: Batch, now: number): OutboxRow {
  const told = { ...outbox.told };
  for (const alert of alerts) told[keyOf(alert)] = alert.at;
  const recent = Object.entries(told).filter(([, at]) => Math.abs(now - at) < QUIET_MACHINE_MS);
  return {
    after: to,
    sending: null,
    told: Object.fromEntries(recent),
    sent: [...lately(outbox, now), ...(alerts.length > 0 ? [now] : [])],
  };
}

function notBefore(outbox: OutboxRow, now: number): number {
  const recent = lately(outbox, now);
  return recent.length < MOST_AT_ONCE ? now : (recent.at(-1) ?? now) + GATHER_MS;
}

function lately({ sent }: OutboxRow, now: number): readonly number[] {
  return sent.filter((at) => at <= now && now - at < HOUR_MS);
}

function quietOf({ deployment }: Alert): number {
  return deployment === null ? QUIET_MS : QUIET_MACHINE_MS;
}
