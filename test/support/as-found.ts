import type { Draft } from "../../ledger/draft.ts";
import type { DeploymentRow, IntentRow } from "../../ledger/rows.ts";

/** Puts rows into the ledger as an older version, or another story, may have left them: no move leads there. */
export function intentAsFound(draft: Draft, row: IntentRow): void {
  draft.intents.set(row.id, row);
  draft.changes.push({ table: "intent", row });
}

export function deploymentAsFound(draft: Draft, row: DeploymentRow): void {
  draft.deployments.set(row.id, row);
  draft.changes.push({ table: "deployment", row });
}
