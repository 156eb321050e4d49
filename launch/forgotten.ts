import type { Draft } from "../ledger/draft.ts";
import type { Context } from "./context.ts";
import { ledgerOf } from "./groups.ts";
import { unaccounted } from "./occupancy.ts";

/**
 * Why nothing is launched beside a machine that carries this ledger's marker and that no launch of it explains: the ledger is older
 * than that launch, as after a restore from a backup. Where one was forgotten, others may have been: for a slot on any account,
 * since the machine may be its own, whose create was killed before Pulumi kept it, nor is a slot without a launch deleted; for a
 * fleet where it may not simply be taken. Undefined: there is none.
 */
export function whyForgotten(draft: Draft, { ledger }: Context): string | undefined {
  const known = new Set([...draft.intents.values()].map(({ marker }) => marker));
  const [row, ...others] = unaccounted(draft).filter(
    ({ claim, marker }) =>
      claim === null && marker !== null && ledgerOf(marker) === ledger && !known.has(marker),
  );
  if (!row) return undefined;
  const more = others.length === 0 ? "" : ` (${others.length} more do, too)`;
  return (
    `${row.id} carries this ledger's marker${more}, and it does not know its launch, as after a restore from a backup: fleetkeeper adopt ` +
    "or disown it first, so that it is neither paid for twice nor left behind"
  );
}
