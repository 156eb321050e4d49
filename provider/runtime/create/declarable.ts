import { sameAccount } from "../../../account/index.ts";
import type { Wish } from "../../../agent/index.ts";
import type { WishInputs } from "../inputs/inputs.ts";
import { isUnknown } from "../inputs/unknown.ts";
import { type Seen, seenOf } from "../ownership/fleet-source.ts";
import { isOriginOf, otherLedgerOfFleet } from "../ownership/ledger-of-origin.ts";
import { type WantedPart, wantedParts } from "../ownership/parts.ts";
import type { Session } from "../session/environment.ts";
import { refuseCommands } from "./commands.ts";
import { refuseRename } from "./declare-parts.ts";

/** Where a fleet is declared, and what its resource declared before. */
export interface Declarable {
  readonly seen: readonly Seen[];
  readonly wanted: readonly WantedPart[];
  readonly accounts: readonly string[];
}

/** Throws what forbids its declaration: LEDGER, WRONG_ACCOUNT or CONFIG. Of a fleet whose other half is not made, `ledger` is unknown. */
export async function declarable({ keeper }: Session, inputs: WishInputs, wish: Wish): Promise<Declarable> {
  const { ledger } = keeper;
  const { name, source, services, ledger: made } = inputs;
  const seen = await seenOf(ledger, source);
  const owners = [await ledger.accountOfFleet(name), seen[0]?.account];
  if (services === undefined) for (const owner of owners) sameAccount(keeper, owner, `fleet ${name}`);
  if (owners.every((owner) => owner === undefined) && !isUnknown(made) && !isOriginOf(made, ledger))
    throw otherLedgerOfFleet(name, made, ledger);
  refuseRename(name, seen);
  const wanted = await wantedParts(keeper, { ...inputs, wish }, seen);
  const accounts = wanted.map(({ account }) => account);
  await refuseCommands(ledger, accounts, wish);
  return { seen, wanted, accounts };
}
