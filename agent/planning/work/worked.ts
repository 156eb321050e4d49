import type { Context } from "../../../launch/facts/context.ts";
import { claimedBy } from "../../../launch/facts/occupancy.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { elapsed, type Instant, MINUTE_MS } from "../../../ledger/instant.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow, FleetRow } from "../../../ledger/rows.ts";
import { gpusOf } from "../count/machine-gpus.ts";

/** The service looks at machines every five minutes (specification, section 8): so long one may be gone that is shown running. */
const UNSEEN_MS = 5 * MINUTE_MS;

/** Milliseconds of one GPU that machines of the fleet ran since its work began; 0: it has none. It is rather too little than too much. */
export function workedMs(draft: Draft, { name, work }: FleetRow, { now }: Context): number {
  if (!work) return 0;
  return claimedBy(draft, fleetOwner(name)).reduce(
    (sum, row) => sum + gpusOf(draft, row) * servedMs(draft, row, work.since, now),
    0,
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
  const unseen = row.end !== null && row.stop === null ? UNSEEN_MS + (row.unwatched ?? 0) : 0;
  return Math.max(0, Math.min(ran - unseen, elapsed(since, end)));
}

/** Until when it surely served. */
function endOf({ stop, missing, unserving, statusSince, end, ended }: DeploymentRow, now: Instant): Instant {
  if (stop) return stop.asked;
  return missing?.since ?? (end !== null ? (ended ?? now) : unserving ? statusSince : now);
}
