import { ledgerOf, unaccounted } from "../../launch/index.ts";
import type { DeploymentRow, Draft, Ledger } from "../../ledger/index.ts";
import { readDraft } from "../../ledger/index.ts";
import { FleetkeeperError } from "../../service/errors.ts";
import { usdText } from "../../service/money.ts";
import type { Candidate } from "./candidates.ts";
import { knownCandidatesOf, whyNotAmong } from "./candidates.ts";
import type { Environment } from "./environment.ts";
import type { Properties } from "./resource-kind.ts";

/**
 * Where a slot was made, for its state: the ledger's id, and for people host and file. Another ledger cannot
 * know whether a launch into the slot is still open there.
 */
export function madeWith(ledger: Ledger, host: string): string {
  return `${ledger.id} ${host}:${ledger.location}`;
}

/** True if the slot was made with this ledger, also if its file was moved. */
export function isMadeWith(text: string, ledger: Ledger): boolean {
  return ledgerIn(text) === ledger.id;
}

/** The id of the ledger that made the slot. */
function ledgerIn(text: string): string {
  return text.split(" ")[0] ?? "";
}

/**
 * A launch may be open in the missing ledger: nothing may be launched, and nothing counts as over. `wayOn`:
 * what to do if that ledger is lost.
 */
function madeElsewhere(what: string, text: string, ledger: Ledger, wayOn: string): FleetkeeperError {
  const [id, ...place] = text.split(" ");
  return new FleetkeeperError(
    "LEDGER",
    `${what} was made with another ledger, ${id} at ${place.join(" ")}, and this one, ${ledger.id} at ${ledger.location}, ` +
      `does not know it: something of it may run, or be about to. Set fleetkeeper:ledger (or FLEETKEEPER_LEDGER) to that file. ${wayOn}`,
  );
}

/** A fleet made anew adopts what runs already, and a destroy after that stops what it adopted. */
export function fleetMadeElsewhere(name: string, text: string, ledger: Ledger): FleetkeeperError {
  const wayOn =
    "If it is lost, make the fleet anew here: pulumi up --replace with this resource's URN (...:Fleet::..., by pulumi stack " +
    "--show-urns). On an exclusive account it takes what runs and fits; on a shared one it waits until fleetkeeper adopt or disown.";
  return madeElsewhere(`fleet ${name}`, text, ledger, wayOn);
}

/**
 * The error for a slot that another ledger made and this one does not know. If that ledger is lost, a person
 * has to say what is in the slot. The text has both answers: the ids that it may be, and that none is.
 */
export async function lostSlot(env: Environment, slot: string, props: Properties): Promise<FleetkeeperError> {
  const made = String(props.ledger);
  return madeElsewhere(`slot ${slot}`, made, await env.ledger(), await wayOn(env, slot, props));
}

async function wayOn(env: Environment, slot: string, props: Properties): Promise<string> {
  const none = `fleetkeeper disown slot:${slot}`;
  const look = `look in the service's dashboard for a machine of this deployment. If one runs: fleetkeeper adopt ID --deployment ${slot}. If none does: ${none}.`;
  let rows: readonly DeploymentRow[];
  try {
    rows = await machinesThatFit(env, props);
  } catch (error) {
    return `If it is lost, ${look} (This account's machines cannot be listed just now: ${env.hide((error as Error).message)})`;
  }
  const [first] = rows;
  if (first === undefined)
    return `If it is lost: this account's newest list shows no machine that fits and that nobody here answers for; ${look}`;
  const those = rows.map(shown).join(", ");
  return (
    `If it is lost: ${those} ${rows.length === 1 ? "fits, and nobody here answers for it. If it is" : "fit, and nobody here answers for them. If one is"} ` +
    `this deployment's: fleetkeeper adopt ${rows.length === 1 ? first.id : "ID"} --deployment ${slot}, and run this again. If not: ${none}.`
  );
}

async function machinesThatFit(env: Environment, props: Properties): Promise<readonly DeploymentRow[]> {
  const { keeper, rounds } = await env.session();
  await rounds.look();
  const draft = await readDraft(keeper);
  return fitting(draft, ledgerIn(String(props.ledger)), knownCandidatesOf(props) ?? []);
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

function shown({ id, status, pricePerHour }: DeploymentRow): string {
  return `${id} (${status}${pricePerHour === null ? "" : `, ${usdText(pricePerHour)} USD an hour`})`;
}
