import type { Ledger } from "../../../ledger/index.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";

/**
 * Where a slot was made, for its state: the ledger's id, and for people its place, with the host of a file. Another ledger cannot
 * know whether a launch into the slot is still open there.
 */
export function originText(ledger: Ledger, host: string): string {
  const { id, location } = ledger;
  return `${id} ${/^postgres:/.test(location) ? location : `${host}:${location}`}`;
}

/** True if the slot was made with this ledger, also if its file was moved. */
export function isOriginOf(text: string, ledger: Ledger): boolean {
  return ledgerIdIn(text) === ledger.id;
}

/** The id of the ledger that made the slot. */
export function ledgerIdIn(text: string): string {
  return text.split(" ")[0] ?? "";
}

/**
 * A launch may be open in the missing ledger: nothing may be launched, and nothing counts as over. `wayOn`:
 * what to do if that ledger is lost.
 */
export function otherLedger(what: string, text: string, ledger: Ledger, wayOn: string): FleetkeeperError {
  const [id, ...place] = text.split(" ");
  return new FleetkeeperError(
    "LEDGER",
    `${what} was made with another ledger, ${id} at ${place.join(" ")}, and this one, ${ledger.id} at ${ledger.location}, ` +
      `does not know it: something of it may run, or be about to. Set fleetkeeper:ledger (or FLEETKEEPER_LEDGER) to that ledger. ${wayOn}`,
  );
}

/** A fleet made anew adopts what runs already, and a destroy after that stops what it adopted. */
export function otherLedgerOfFleet(name: string, text: string, ledger: Ledger): FleetkeeperError {
  const wayOn =
    "If it is lost, make the fleet anew here: pulumi up --replace with this resource's URN (...:Fleet::..., by pulumi stack " +
    "--show-urns). On an exclusive account it takes what runs and fits; on a shared one it waits until fleetkeeper adopt or disown.";
  return otherLedger(`fleet ${name}`, text, ledger, wayOn);
}
