import { HOUR_MS, MINUTE_MS } from "../../../ledger/instant.ts";
import type { OutboxRow } from "../../../ledger/rows.ts";
import type { AlertKind } from "../../fleet/notify-settings.ts";
import type { Alert } from "./alert.ts";
import { keyOf } from "./alert.ts";

/** What one target is told at one time. */
export interface Batch {
  /** The events up to this one are told by it, or need not be. */
  readonly to: number;
  /** Each says something that the others do not. None: there is nothing to send, and the outbox goes on. */
  readonly alerts: readonly Alert[];
}

/** How long the same thing is not told again: a machine is told once, a state again while it lasts. */
const QUIET_MS = HOUR_MS;
const QUIET_MACHINE_MS = 24 * QUIET_MS;
/** So many messages an hour go out at once; after that they are gathered for a while. */
const MOST_AT_ONCE = 6;
const GATHER_MS = 5 * MINUTE_MS;
/** Events that tell nobody anything are read again after a restart; not more than so many. */
const MOST_BEHIND = 500;

/** A target that is new hears what happens from now on. */
export function newOutbox(newest: number): OutboxRow {
  return { after: newest, sending: null, told: {}, sent: [] };
}

/**
 * What is to be told now; undefined: nothing. `alerts` are in the order of their events, of which `newest` is
 * the last. A batch that was begun is the same again after a failure or a restart: nothing in it depends on
 * the moment.
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

/** It was delivered. */
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
