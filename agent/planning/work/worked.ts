import type { Context } from "../../../launch/facts/context.ts";
import { claimedBy } from "../../../launch/facts/occupancy.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { elapsed, type Instant, MINUTE_MS } from "../../../ledger/instant.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow, FleetRow, WorkRow } from "../../../ledger/rows.ts";
import { gpusOf } from "../count/machine-gpus.ts";

/** The service looks at machines every five minutes (specification, section 8): so long one may be gone that is shown running. */
const UNSEEN_MS = 5 * MINUTE_MS;

/** How often what is done is written down. */
const COUNTED_EACH_MS = 15 * MINUTE_MS;

/**
 * Milliseconds of one GPU that machines of the fleet ran since its work began; 0: it has none. It is rather too little than too
 * much. A ledger whose clock began anew does not know how long its machines have run: from what was counted last it goes on.
 */
export function workedMs(draft: Draft, fleet: FleetRow, context: Context): number {
  const { work } = fleet;
  if (!work) return 0;
  const served = servedSince(draft, fleet, work.since, context);
  const done = sumOf(served.map((ms) => Math.max(0, ms)));
  const { counted } = work;
  if (!counted || work.since.boot === context.now.boot) return done;
  return Math.max(done, counted.gpuMs + sumOf(servedSince(draft, fleet, counted.at, context)));
}

/** What is to be written down of what is done; undefined: what was counted before is new enough. */
export function nextCounted(
  { counted, over: before }: WorkRow,
  { over }: Pick<WorkRow, "over">,
  gpuMs: number,
  { now }: Context,
): WorkRow["counted"] {
  const isOld = !counted || elapsed(counted.at, now) >= COUNTED_EACH_MS;
  return gpuMs > 0 && (over !== before || (isOld && !over)) ? { at: now, gpuMs } : counted;
}

/** Of each machine. Below 0 where it was lost since, as it may have been gone already when it was counted. */
function servedSince(draft: Draft, { name }: FleetRow, since: Instant, { now }: Context): readonly number[] {
  return claimedBy(draft, fleetOwner(name)).map(
    (row) => gpusOf(draft, row) * servedMs(draft, row, since, now),
  );
}

function servedMs(draft: Draft, row: DeploymentRow, since: Instant, now: Instant): number {
  if (!row.ran) return 0;
  const end = endOf(row, now);
  const intent = row.intent === null ? undefined : draft.intents.ever(row.intent);
  const ran =
    intent && row.toRun !== undefined
      ? elapsed(intent.stamped, end) - row.toRun
      : elapsed(row.claimed ?? row.firstSeen, end);
  const isLost = row.end !== null && row.stop === null && elapsed(since, row.ended ?? now) > 0;
  const unseen = isLost ? UNSEEN_MS + (row.unwatched ?? 0) : 0;
  return Math.max(0, Math.min(ran, elapsed(since, end))) - unseen;
}

function sumOf(served: readonly number[]): number {
  return served.reduce((sum, ms) => sum + ms, 0);
}

/** Until when it surely served. */
function endOf({ stop, missing, unserving, statusSince, end, ended }: DeploymentRow, now: Instant): Instant {
  if (stop) return stop.asked;
  return missing?.since ?? (end !== null ? (ended ?? now) : unserving ? statusSince : now);
}
