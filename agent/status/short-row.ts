import { labelsOf } from "../../launch/facts/labels.ts";
import { hookUntil } from "../../launch/facts/stop-hook.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import type { ShortRow } from "../json/parts.ts";
import { gpusOf } from "../planning/count/machine-gpus.ts";
import { healthFacts } from "../planning/machines/health.ts";
import { setupOf } from "../planning/machines/setup.ts";

/** A machine for programs. What the service does not show is taken from its launch. */
export function shortRow(draft: Draft, row: DeploymentRow): ShortRow {
  const intent = row.intent === null ? undefined : draft.intents.ever(row.intent);
  return {
    id: row.id,
    status: row.status,
    offer: row.offer ?? intent?.offer ?? null,
    provider: row.provider ?? intent?.provider ?? null,
    location: row.location ?? intent?.location ?? null,
    gpus: gpusOf(draft, row) || null,
    pricePerHour: row.pricePerHour,
    labels: labelsOf(draft, row),
    setup: setupOf(draft, row) ?? null,
    health: healthFacts(draft, row),
    beforeStop: savingOf(row),
    hold: row.hold === undefined ? null : { until: row.hold.until, why: row.hold.why ?? null },
  };
}

function savingOf({ stop, end }: DeploymentRow): ShortRow["beforeStop"] {
  if (!stop?.hook || end !== null) return null;
  const { state, said = null } = stop.hook;
  return { state, until: hookUntil(stop.hook), said };
}
