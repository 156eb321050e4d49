import type { DeploymentRow } from "../../ledger/index.ts";
import type { Properties } from "./resource-kind.ts";

/** What a machine shows to the program. What the service does not show is not there. */
export function machineOuts(inputs: Properties, row: DeploymentRow): Properties {
  const shown: Record<string, unknown> = {
    deploymentId: row.id,
    status: row.end !== null && row.end !== "failed" && row.end !== "interrupted" ? row.end : row.status,
    claim: row.claim,
    failureCode: row.failureCode,
    failureReason: row.failureReason,
    suggestedAction: row.suggestedAction,
    stopReason: row.stopReason,
    createdAt: row.createdAt,
    connection: row.connection,
    actualPricePerHour: row.pricePerHour,
  };
  const known = Object.entries(shown).filter(([, value]) => value !== null);
  return { ...inputs, ...Object.fromEntries(known) };
}
