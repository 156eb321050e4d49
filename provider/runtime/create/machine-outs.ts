import type { DeploymentRow, Draft } from "../../../ledger/index.ts";
import { slotOwner } from "../../../ledger/index.ts";
import { readable } from "../../../service/contract/unread.ts";
import { hasSecret } from "../../../service/profile/connection.ts";
import { combinationOf } from "../inputs/candidates.ts";
import type { Properties } from "../inputs/resource-kind.ts";
import type { Session } from "../session/environment.ts";
import type { Progress } from "../session/progress.ts";

/** Its status. What the service calls a stopped one is not shown, so its end stands for it. */
export function shownStatus(row: DeploymentRow): string {
  return row.end !== null && row.end !== "failed" && row.end !== "interrupted" ? row.end : row.status;
}

/**
 * A machine's outputs. What the service does not show is absent. Without a draft, so is the combination that
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
    // The claim travels in the state: a later ledger needs it to stop the machine.
    claim: inputs.slot === undefined || row.owner === slotOwner(String(inputs.slot)) ? row.claim : null,
    // So does the account: with another key, a later ledger would take the machine for gone.
    account: keeper.account,
    // A program that names one combination has it in its inputs.
    taken: inputs.offer === undefined ? combinationOf(draft, row) : null,
    failureCode: row.failureCode,
    failureReason: row.failureReason,
    suggestedAction: row.suggestedAction,
    stopReason: row.stopReason,
    createdAt: row.createdAt,
    connection: row.connection,
    // Set even if empty: a missing output is unknown in previews. Left out only until the service was asked.
    secretConnection: hasSecret(keeper.service.abilities) ? null : {},
    actualPricePerHour: row.pricePerHour,
    readyAt: readyAtOf(inputs, row) ?? null,
  };
  const known = Object.entries(shown).filter(([, value]) => value !== null);
  const { secretConnection: _stale, claim, readyAt: _before, ...rest } = inputs;
  // A ledger without a claim is older than the state; a claim for another owner wins over the state.
  const kept = row.claim === null && claim !== undefined ? { claim } : {};
  return { ...rest, ...kept, ...Object.fromEntries(known) };
}

/** A ledger that never asked the machine leaves what the state says. */
function readyAtOf({ ready, readyAt }: Properties, row: DeploymentRow): unknown {
  if (ready === undefined || row.ready === undefined) return readyAt;
  return row.ready.ok ? new Date(row.ready.since.wall).toISOString() : undefined;
}

/**
 * True if the profile has secret connection details and these properties lack them. If the service showed
 * none before, it is asked again now: otherwise each run would announce a change and make none.
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
  return hasSecret(keeper.service.abilities) && row.status === "running" && isEmpty(outs.secretConnection);
}

function isEmpty(details: unknown): boolean {
  return Object.keys(details ?? {}).length === 0;
}

/** Empty: the service shows none (yet). */
async function secretsOf(session: Session, { id }: DeploymentRow, signal: AbortSignal): Promise<Properties> {
  const { service } = session.keeper;
  const shown = service.abilities.get
    ? await service.deployment(id, signal)
    : readable(await service.deployments(signal)).find((each) => each.id === id);
  return shown?.secretConnection ?? {};
}

/**
 * Adds the secret connection details, which no ledger stores: the service is asked. A failure must not lose a
 * machine that runs, so it is only told, and the next run asks again.
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
