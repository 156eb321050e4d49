import { ledgerOf, unaccounted } from "../../../launch/index.ts";
import { type DeploymentRow, type Draft, readDraft } from "../../../ledger/index.ts";
import type { FleetkeeperError } from "../../../service/contract/errors.ts";
import { amountText } from "../../../service/contract/money.ts";
import { type Candidate, knownCandidatesOf, whyNotAmong } from "../inputs/candidates.ts";
import type { Properties } from "../inputs/resource-kind.ts";
import type { Environment } from "../session/environment.ts";
import { ledgerIdIn, otherLedger } from "./ledger-of-origin.ts";

/**
 * The error for a slot that another ledger made and this one does not know. If that ledger is lost, a person
 * has to say what is in the slot. The text has both answers: the ids that it may be, and that none is.
 */
export async function lostSlot(env: Environment, slot: string, props: Properties): Promise<FleetkeeperError> {
  const made = String(props.ledger);
  return otherLedger(`slot ${slot}`, made, await env.ledger(), await wayOn(env, slot, props));
}

async function wayOn(env: Environment, slot: string, props: Properties): Promise<string> {
  const none = `fleetkeeper disown slot:${slot}`;
  const look = `look in the service's dashboard for a machine of this deployment. If one runs: fleetkeeper adopt ID --deployment ${slot}. If none does: ${none}.`;
  let rows: readonly DeploymentRow[];
  let currency: string | undefined;
  try {
    rows = await machinesThatFit(env, props);
    ({ currency } = (await env.session()).keeper.service.abilities);
  } catch (error) {
    return `If it is lost, ${look} (This account's machines cannot be listed just now: ${env.hide((error as Error).message)})`;
  }
  const [first] = rows;
  if (first === undefined)
    return `If it is lost: this account's newest list shows no machine that fits and that nobody here answers for; ${look}`;
  const those = rows.map((row) => shown(row, currency)).join(", ");
  return (
    `If it is lost: ${those} ${rows.length === 1 ? "fits, and nobody here answers for it. If it is" : "fit, and nobody here answers for them. If one is"} ` +
    `this deployment's: fleetkeeper adopt ${rows.length === 1 ? first.id : "ID"} --deployment ${slot}, and run this again. If not: ${none}.`
  );
}

async function machinesThatFit(env: Environment, props: Properties): Promise<readonly DeploymentRow[]> {
  const { keeper, lists } = await env.session();
  await lists.look();
  const draft = await readDraft(keeper);
  return fitting(draft, ledgerIdIn(String(props.ledger)), knownCandidatesOf(props) ?? []);
}

/** Machines of no owner that are not stopping, fit a candidate, and carry no marker of a third ledger. */
function fitting(draft: Draft, lost: string, candidates: readonly Candidate[]): readonly DeploymentRow[] {
  return unaccounted(draft).filter(
    (row) =>
      row.status !== "stopping" &&
      (ledgerOf(row.marker) ?? lost) === lost &&
      whyNotAmong(draft, row, candidates) === undefined,
  );
}

function shown({ id, status, pricePerHour }: DeploymentRow, currency: string | undefined): string {
  return `${id} (${status}${pricePerHour === null ? "" : `, ${amountText(pricePerHour, currency)} an hour`})`;
}
