import type { Draft } from "../ledger/draft.ts";
import { ledgerOf } from "./groups.ts";
import { unaccounted } from "./occupancy.ts";

/**
 * Why nothing is launched into a slot, and no slot without a launch is deleted, beside a machine that carries this ledger's
 * marker and that no launch of it explains: the ledger is older than that launch, as after a restore from a backup, and the
 * machine may be the slot's own, whose create was killed before Pulumi kept it. Undefined: there is none.
 */
export function whyForgotten(draft: Draft, ledger: string): string | undefined {
  const known = new Set([...draft.intents.values()].map(({ marker }) => marker));
  const [row] = unaccounted(draft).filter(
    ({ claim, marker }) =>
      claim === null && marker !== null && ledgerOf(marker) === ledger && !known.has(marker),
  );
  return (
    row &&
    `${row.id} carries this ledger's marker, and it does not know its launch, as after a restore from a backup: fleetkeeper adopt or ` +
      "disown it first, so that it is neither paid for twice nor left behind"
  );
}
