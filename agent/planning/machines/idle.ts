import type { Context } from "../../../launch/facts/context.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { age, elapsed, type Instant, MINUTE_MS } from "../../../ledger/instant.ts";
import { ownerParts } from "../../../ledger/owner.ts";
import type { DeploymentRow, FleetRow } from "../../../ledger/rows.ts";
import { milliseconds } from "../../../service/text/duration.ts";
import { fleetPhase } from "../../fleet/phase/fleet-phase.ts";
import type { Idle } from "../../fleet/wish/idle-wish.ts";
import type { Answer } from "../../fleet/wish/machine-question.ts";
import { parseWish } from "../../fleet/wish/wish.ts";
import { gpusOf } from "../count/machine-gpus.ts";
import { isReady, running } from "./readiness.ts";

/*
 * Since when a machine is idle: from the first idle answer on, and only as long as each further one comes in time and says
 * so. Busy begins it anew. So does an unknown answer, and so does a time in which nobody asked: what a machine did then,
 * nobody saw.
 */

/** A machine whose fleet says when it is idle. */
export interface Watched {
  readonly fleet: string;
  readonly source: string;
  readonly row: DeploymentRow;
  readonly idle: Idle;
  /** The connection detail with its address. */
  readonly address: string | undefined;
}

/** The running machines of kept fleets that say when one is idle. One that is not ready has not begun to be used. */
export function watchedForIdle(draft: Draft, context: Context): readonly Watched[] {
  return [...draft.fleets.values()].flatMap((fleet) => {
    const wish = parseWish(fleet.wish);
    const { idle, ready } = wish;
    if (!idle || fleetPhase(draft, fleet, context).kind !== "kept") return [];
    const { name, source } = fleet;
    return running(draft, name)
      .filter((row) => isReady(row, wish))
      .map((row) => ({ fleet: name, source, row, idle, address: idle.address ?? ready?.address }));
  });
}

/** Stores an answer. Good is idle, bad is busy. An idle one is stored each time: it says that somebody asked. */
export function storeIdle(draft: Draft, id: string, answer: Answer, at: Instant, context: Context): void {
  const row = draft.deployments.ever(id);
  const idle = row && idleOf(draft, row);
  if (!row || !idle || row.end !== null || row.stop !== null || row.status !== "running") return;
  const { idle: before, ...busy } = row;
  const by = checkOf(idle);
  if (answer.kind === "bad") {
    if (before) draft.putDeployment(busy);
  } else if (answer.kind === "unknown") {
    const { why } = answer;
    if (before?.why !== why) draft.putDeployment({ ...row, idle: { since: null, asked: at, by, why } });
  } else {
    const goesOn = before?.since && before.by === by && age(before.asked, at) <= longestGap(context);
    draft.putDeployment({ ...row, idle: { since: goesOn ? before.since : at, asked: at, by } });
  }
}

/** How long a machine has been idle, in ms; undefined: it is not, or nobody has asked of late. */
export function idleMs(draft: Draft, row: DeploymentRow, context: Context): number | undefined {
  const idle = idleOf(draft, row);
  if (!idle || !row.idle?.since || row.idle.by !== checkOf(idle) || row.status !== "running")
    return undefined;
  if (row.stop !== null || age(row.idle.asked, context.now) > longestGap(context)) return undefined;
  return elapsed(row.idle.since, context.now);
}

/** True if it has been idle for as long as its fleet says. */
export function isIdle(draft: Draft, row: DeploymentRow, context: Context): boolean {
  const [idle, ms] = [idleOf(draft, row), idleMs(draft, row, context)];
  return idle !== undefined && ms !== undefined && ms >= milliseconds(idle.for);
}

/** Machines that do not say whether they are idle: a check that cannot be asked gives nothing back. */
export function notKnownIdle(draft: Draft, { name, wish }: FleetRow, context: Context): readonly string[] {
  if (parseWish(wish).idle === undefined) return [];
  return watchedForIdle(draft, context).flatMap(({ fleet, row: { id, idle } }) =>
    fleet === name && idle?.why !== undefined ? [`nobody knows whether ${id} is idle: ${idle.why}`] : [],
  );
}

/** GPUs of the machines that are; undefined: the fleet has no such check. */
export function idleGpus(draft: Draft, fleet: FleetRow, context: Context): number | undefined {
  if (parseWish(fleet.wish).idle === undefined) return undefined;
  return running(draft, fleet.name)
    .filter((row) => isIdle(draft, row, context))
    .reduce((sum, row) => sum + gpusOf(draft, row), 0);
}

/** What its fleet says of idle machines. */
function idleOf(draft: Draft, { owner }: DeploymentRow): Idle | undefined {
  const fleet = owner === null ? undefined : draft.fleets.get(ownerParts(owner).name);
  return owner?.startsWith("fleet:") && fleet ? parseWish(fleet.wish).idle : undefined;
}

/** Identifies a check: what another one has found does not count for it. */
function checkOf({ for: _for, then: _then, keep: _keep, ...check }: Idle): string {
  return JSON.stringify(check);
}

/** Machines are asked each minute, after a tick. An answer may take half a minute. */
function longestGap({ settings }: Context): number {
  return 2 * MINUTE_MS + 2 * settings.poll;
}
