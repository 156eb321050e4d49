import type { DeploymentRow, Draft } from "../../ledger/index.ts";
import { slotOwner } from "../../ledger/index.ts";
import { readable } from "../../service/unread.ts";
import { combinationOf } from "./candidates.ts";
import type { Session } from "./environment.ts";
import type { Progress } from "./progress.ts";
import type { Properties } from "./resource-kind.ts";

/** Its state; how a stopped deployment is called is not shown, so that it is called by its end. */
export function shownStatus(row: DeploymentRow): string {
  return row.end !== null && row.end !== "failed" && row.end !== "interrupted" ? row.end : row.status;
}

/**
 * What a machine shows to the program. What the service does not show is not there; nor, without the ledger's rows, what
 * it was launched as.
 */
export function machineOuts(
  { keeper }: Session,
  inputs: Properties,
  row: DeploymentRow,
  draft: Draft | undefined,
): Properties {
  const shown: Record<string, unknown> = {
    deploymentId: row.id,
    status: shownStatus(row),
    // How surely it is this slot's travels in the state: a later ledger stops it by that.
    claim: inputs.slot === undefined || row.owner === slotOwner(String(inputs.slot)) ? row.claim : null,
    // So does whose it is: a later ledger with another key would take it for gone.
    account: keeper.account,
    // Where the program names one combination, this would repeat it.
    taken: inputs.offer === undefined ? combinationOf(draft, row) : null,
    failureCode: row.failureCode,
    failureReason: row.failureReason,
    suggestedAction: row.suggestedAction,
    stopReason: row.stopReason,
    createdAt: row.createdAt,
    connection: row.connection,
    // Always there, since what an engine does not know of is unknown in its previews; but for what is yet to be asked for.
    secretConnection: keeper.service.abilities.secretConnection ? null : {},
    actualPricePerHour: row.pricePerHour,
  };
  const known = Object.entries(shown).filter(([, value]) => value !== null);
  const { secretConnection: _stale, claim, ...rest } = inputs;
  // A ledger that does not know of the claim is older than the state; one that knows it to be another's has the last word.
  const kept = row.claim === null && claim !== undefined ? { claim } : {};
  return { ...rest, ...kept, ...Object.fromEntries(known) };
}

/**
 * True if connection details that the profile calls secret are to be had, and these properties lack them. Where the service
 * was asked and did not show any, it is asked again: else each run would announce a change that nothing comes of.
 */
export async function lacksSecrets(
  session: Session,
  row: DeploymentRow | undefined,
  outs: Properties,
  signal: AbortSignal,
): Promise<boolean> {
  if (row === undefined || !mayLackSecrets(session, row, outs)) return false;
  if (outs.secretConnection === undefined) return true;
  const shown = await secretsOf(session, row, signal).catch((): Properties => ({}));
  return !isEmpty(shown);
}

function mayLackSecrets({ keeper }: Session, row: DeploymentRow, outs: Properties): boolean {
  const { abilities } = keeper.service;
  return abilities.secretConnection === true && row.status === "running" && isEmpty(outs.secretConnection);
}

function isEmpty(details: unknown): boolean {
  return Object.keys(details ?? {}).length === 0;
}

/** Empty: the service does not show any (yet). */
async function secretsOf(
  { keeper }: Session,
  { id }: DeploymentRow,
  signal: AbortSignal,
): Promise<Properties> {
  const { service } = keeper;
  const shown = service.abilities.get
    ? await service.deployment(id, signal)
    : readable(await service.deployments(signal)).find((each) => each.id === id);
  return shown?.secretConnection ?? {};
}

/**
 * The same with the secret connection details, which no ledger holds: the service is asked for them. A machine that runs
 * must not be lost for them: where they cannot be had, the next run asks again.
 */
export async function withSecrets(
  session: Session,
  outs: Properties,
  row: DeploymentRow,
  tell: Progress,
  signal: AbortSignal,
): Promise<Properties> {
  if (!mayLackSecrets(session, row, outs)) return outs;
  try {
    return { ...outs, secretConnection: await secretsOf(session, row, signal) };
  } catch (error) {
    tell(`its secret connection details cannot be read just now: ${(error as Error).message}`);
    return outs;
  }
}
