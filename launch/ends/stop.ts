import type { Draft } from "../../ledger/draft.ts";
import { age, elapsed, type Instant } from "../../ledger/instant.ts";
import type { DeploymentRow, StopRow } from "../../ledger/rows.ts";
import type { StopAnswer } from "../../service/contract/service.ts";
import type { Context } from "../facts/context.ts";
import { note } from "../facts/events.ts";
import { isHooked } from "../facts/stop-hook.ts";

/** Only what is certainly ours is stopped. */
export function mayStop(row: DeploymentRow): boolean {
  return row.claim === "certain" && row.end === null;
}

export type StopKind = "revocable" | "planned" | "for good";

/**
 * Writes down that a machine is to be stopped, and why. False: it is not certainly ours, or has ended. A
 * `revocable` stop may be taken back until a call has left; a `planned` one may be held. A stop for good ends
 * both. `ordered`: people want it, and nothing went wrong.
 */
export function askStop(
  draft: Draft,
  id: string,
  why: string,
  context: Context,
  kind: StopKind = "for good",
  ordered = false,
): boolean {
  const row = draft.deployments.ever(id);
  if (!row || !mayStop(row)) return false;
  if (row.stop && (kind !== "for good" || !(row.stop.revocable || row.stop.planned))) return true;
  const fresh = { asked: context.now, why, attempts: 0, attempted: null, accepted: false, error: null };
  draft.putDeployment({
    ...row,
    stop: row.stop
      ? { ...final(row.stop, context.now), why }
      : {
          ...fresh,
          ...(kind === "for good" ? {} : { [kind]: true }),
          ...(ordered ? { ordered } : {}),
        },
  });
  note(draft, context, "stop", `stopping ${id}: ${why}`, { owner: row.owner, deployment: id });
  return true;
}

/** The machine is wanted again, and no call was sent that could still end it. `why`: what was changed. */
export function takeBackStop(
  draft: Draft,
  id: string,
  context: Context,
  why = "its deadline was moved",
): void {
  const row = draft.deployments.ever(id);
  if (!row?.stop?.revocable) return;
  draft.putDeployment({ ...row, stop: null });
  note(draft, context, "resumed", `${id} is not stopped after all: ${why}`, {
    owner: row.owner,
    deployment: id,
  });
}

/** The last look before a stop call. It is not taken back from then on. False: nothing is left to stop. */
export function beginStop(draft: Draft, id: string, context: Context): boolean {
  // A list may have come meanwhile that is not believed.
  if (draft.account.doubt !== null) return false;
  const row = draft.deployments.ever(id);
  if (!row?.stop || row.stop.held || !mayStop(row) || row.status === "stopping") return false;
  if (isHooked(row, context)) return false;
  if (row.stop.unserving && row.stop.attempts === 0 && row.status === "running") {
    draft.putDeployment({ ...row, stop: null });
    const about = { owner: row.owner, deployment: id };
    note(draft, context, "resumed", `${id} is not stopped after all: it runs again`, about);
    return false;
  }
  const { revocable, ...stop } = row.stop;
  if (revocable) draft.putDeployment({ ...row, stop });
  return true;
}

function final(
  { revocable: _revocable, planned: _planned, held, calls, hook, ...stop }: StopRow,
  now: Instant,
): StopRow {
  return {
    ...stop,
    // A command that waited for the end of a pause has its whole time from then on.
    ...(hook && { hook: held && hook.state === "waiting" ? { ...hook, since: now } : hook }),
    // The calls before a pause say nothing of what the next one comes to.
    ...(held || !calls ? {} : { calls }),
  };
}

/** Holds a stop that only a plan asked for, or lets it go on. A call that is under way is not held. */
export function hold(draft: Draft, { id }: DeploymentRow, held: boolean, { now }: Context): void {
  const row = draft.deployments.ever(id);
  if (!row?.stop?.planned || row.end !== null || held === (row.stop.held === true)) return;
  const { revocable } = row.stop;
  const kind = { planned: true, ...(revocable ? { revocable } : {}) } as const;
  draft.putDeployment({ ...row, stop: { ...final(row.stop, now), ...kind, ...(held ? { held } : {}) } });
}

/** Somebody waits for this stop: the next call is due at once, whatever wait the failed ones have left. */
export function hurryStop(draft: Draft, id: string): void {
  const row = draft.deployments.ever(id);
  if (row?.stop?.attempted && mayStop(row))
    draft.putDeployment({ ...row, stop: { ...row.stop, attempted: null } });
}

/** The machines whose stop call is due: asked for, still ours, not ended, not tried just now. For ever. */
export function dueStops(draft: Draft, context: Context): readonly DeploymentRow[] {
  return [...draft.deployments.of("stop", "asked")].filter((row) => {
    if (row.stop === null || row.stop.held || !mayStop(row) || isHooked(row, context)) return false;
    if (row.stop.attempted === null) return true;
    if (isStopSpent(row, context)) return false;
    if (row.status === "stopping" && row.stop.accepted) return false;
    return age(row.stop.attempted, context.now) >= backoff(row.stop, context);
  });
}

/** One call may have been lost, and a second one be on its way. */
export const CALLS_IN_VAIN = 3;

/** True if calls enough were made to a machine that lists lack and that the service refuses to show. */
export function isStopSpent({ missing, stop }: DeploymentRow, { now, settings }: Context): boolean {
  if (!missing?.doubt?.refused || missing.lists < 2 || !stop?.calls) return false;
  return stop.calls.times >= CALLS_IN_VAIN && elapsed(stop.calls.since, now) >= settings.stopping;
}

/**
 * Stores what a stop call came to. The stop is over only when the service shows the end. `looked`: when the
 * GET before the call was asked for, if it was answered.
 */
export function storeStop(
  draft: Draft,
  id: string,
  answer: StopAnswer,
  context: Context,
  looked?: Instant,
): void {
  const row = draft.deployments.ever(id);
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
      // An earlier accepted call is still the moment from which the service stops it.
      ...(accepted ? { first: row.stop.first ?? { at: context.now, status: row.status } } : {}),
      ...(answer.kind === "accepted" ? { acceptedIn: stateFor(row, looked, context) } : {}),
      calls: {
        since: row.stop.calls?.since ?? context.now,
        times: (row.stop.calls?.times ?? 0) + 1,
        sent: answer.sent ?? null,
        said: answer.kind === "failed" ? answer.reason : answer.said,
      },
      error: answer.kind === "failed" ? answer.reason : null,
    },
  });
}

/**
 * The state that decides whether the first hour is refunded. A state before running counts only if a GET
 * showed it just now, since lists lag. Otherwise the machine may run by then, and counts as paid.
 */
function stateFor(
  { status }: DeploymentRow,
  looked: Instant | undefined,
  { now, settings }: Context,
): string {
  return looked && age(looked, now) <= settings.stampAge ? status : "running";
}

/** The machine bills meanwhile. */
const LONGEST_BACKOFF_MS = 300_000;

/** One poll interval, doubling, or what the service asked for, up to 5 minutes. A stop is never given up. */
function backoff({ attempts, retryAfter = 0 }: StopRow, { settings }: Context): number {
  const ours = settings.poll * 2 ** Math.max(0, attempts - 1);
  return Math.min(Math.max(ours, retryAfter * 1000), LONGEST_BACKOFF_MS);
}
