import type { Draft } from "../ledger/draft.ts";
import type { Instant } from "../ledger/instant.ts";
import { age } from "../ledger/instant.ts";
import type { DeploymentRow, StopRow } from "../ledger/rows.ts";
import type { StopAnswer } from "../service/service.ts";
import type { Context } from "./context.ts";
import { note } from "./events.ts";

/** Only what is certainly ours is stopped. */
export function mayStop(row: DeploymentRow): boolean {
  return row.claim === "certain" && row.end === null;
}

/**
 * Writes down that a machine is to be stopped, and why. False: it is not certainly ours, or has ended. `revocable`: it may
 * be taken back for as long as no call has left; `planned`: it may be held; each unless something else asks for it too.
 * `ordered`: people want it so, and not what went wrong.
 */
export function askStop(
  draft: Draft,
  id: string,
  why: string,
  context: Context,
  kind: "revocable" | "planned" | "for good" = "for good",
  ordered = false,
): boolean {
  const row = draft.deployments.get(id);
  if (!row || !mayStop(row)) return false;
  if (row.stop && (kind !== "for good" || !(row.stop.revocable || row.stop.planned))) return true;
  const fresh = { asked: context.now, why, attempts: 0, attempted: null, accepted: false, error: null };
  draft.putDeployment({
    ...row,
    stop: row.stop
      ? { ...final(row.stop), why }
      : {
          ...fresh,
          ...(kind === "for good" ? {} : { [kind]: true }),
          ...(ordered ? { ordered } : {}),
        },
  });
  note(draft, context, "stop", `stopping ${id}: ${why}`, { owner: row.owner, deployment: id });
  return true;
}

/** The machine is wanted again, and nothing was sent that could still end it. */
export function takeBackStop(draft: Draft, id: string, context: Context): void {
  const row = draft.deployments.get(id);
  if (!row?.stop?.revocable) return;
  draft.putDeployment({ ...row, stop: null });
  note(draft, context, "resumed", `${id} is not stopped after all: its deadline was moved`, {
    owner: row.owner,
    deployment: id,
  });
}

/** The last look before a stop call leaves: from then on it is not taken back. False: there is nothing to stop any more. */
export function beginStop(draft: Draft, id: string): boolean {
  // A list may have come meanwhile that is not believed.
  if (draft.account.doubt !== null) return false;
  const row = draft.deployments.get(id);
  if (!row?.stop || row.stop.held || !mayStop(row) || row.status === "stopping") return false;
  if (row.stop.revocable) draft.putDeployment({ ...row, stop: final(row.stop) });
  return true;
}

function final({ revocable: _revocable, planned: _planned, held: _held, ...stop }: StopRow): StopRow {
  return stop;
}

/** Lets a stop wait that only a plan asked for, or go on. No call of it leaves meanwhile; one that is under way is. */
export function hold(draft: Draft, { id }: DeploymentRow, held: boolean): void {
  const row = draft.deployments.get(id);
  if (!row?.stop?.planned || row.end !== null || held === (row.stop.held === true)) return;
  draft.putDeployment({ ...row, stop: { ...final(row.stop), planned: true, ...(held ? { held } : {}) } });
}

/** Somebody waits for this stop: the next call is due at once, however long those that failed have to wait. */
export function hurryStop(draft: Draft, id: string): void {
  const row = draft.deployments.get(id);
  if (row?.stop?.attempted && mayStop(row))
    draft.putDeployment({ ...row, stop: { ...row.stop, attempted: null } });
}

/** The machines whose stop call is due: asked for, still ours, not ended, and not tried too recently. For ever. */
export function dueStops(draft: Draft, context: Context): readonly DeploymentRow[] {
  return [...draft.deployments.values()].filter((row) => {
    if (row.stop === null || row.stop.held || !mayStop(row)) return false;
    if (row.stop.attempted === null) return true;
    if (row.status === "stopping" && row.stop.accepted) return false;
    return age(row.stop.attempted, context.now) >= backoff(row.stop, context);
  });
}

/**
 * Stores what a stop call came to. It is over only when the service shows the end. `looked`: when the GET before the call
 * was asked for, if it was answered.
 */
export function recordStop(
  draft: Draft,
  id: string,
  answer: StopAnswer,
  context: Context,
  looked?: Instant,
): void {
  const row = draft.deployments.get(id);
  if (!row?.stop) return;
  const accepted = row.stop.accepted || answer.kind !== "failed";
  const { retryAfter: _before, ...stop } = row.stop;
  const { retryAfter } = answer.kind === "failed" ? answer : {};
  draft.putDeployment({
    ...row,
    stop: {
      ...stop,
      ...(retryAfter === undefined ? {} : { retryAfter }),
      attempts: row.stop.attempts + 1,
      attempted: context.now,
      accepted,
      // One that came before is still the moment from which on the service stops it.
      ...(accepted ? { first: row.stop.first ?? { at: context.now, status: row.status } } : {}),
      ...(answer.kind === "accepted" ? { acceptedIn: stateFor(row, looked, context) } : {}),
      error: answer.kind === "failed" ? answer.reason : null,
    },
  });
}

/**
 * The state by which its first hour is refunded or not. One before running counts only where a GET showed it just now, since
 * lists lag: a machine that may run by then is counted as paid rather than as refunded.
 */
function stateFor(
  { status }: DeploymentRow,
  looked: Instant | undefined,
  { now, settings }: Context,
): string {
  return looked && age(looked, now) <= settings.stampAge ? status : "running";
}

/** Its machine bills meanwhile. */
const LONGEST_BACKOFF_MS = 300_000;

/** One poll interval, doubling, and as long as the service asked for, up to 5 minutes: a stop is never given up. */
function backoff({ attempts, retryAfter = 0 }: StopRow, { settings }: Context): number {
  const ours = settings.poll * 2 ** Math.max(0, attempts - 1);
  return Math.min(Math.max(ours, retryAfter * 1000), LONGEST_BACKOFF_MS);
}
