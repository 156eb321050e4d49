import type { Draft } from "../../ledger/draft.ts";
import { launchOf } from "../claim/candidates.ts";
import { ledgerOf } from "../claim/groups.ts";
import type { Context } from "../facts/context.ts";
import { type Hold, hold } from "../facts/hold.ts";
import { unaccounted } from "../facts/occupancy.ts";

/**
 * Why nothing is launched beside a machine that carries this ledger's marker and no launch of it explains.
 * Undefined: there is none. The ledger is then older than that launch, as after a restore, and may lack
 * others. A slot waits on any account, and is not deleted without a launch: the machine may be its own, from
 * a create that was killed before Pulumi kept it.
 */
export function whyForgotten(draft: Draft, { ledger }: Context): Hold | undefined {
  const [row, ...others] = unaccounted(draft).filter(
    ({ claim, marker }) =>
      claim === null && ledgerOf(marker) === ledger && launchOf(draft, marker) === undefined,
  );
  const more = others.length === 0 ? "" : ` (${others.length} more do, too)`;
  return row && hold("forgotten", { id: row.id, more });
}

/** Why a fleet waits for such a machine. On an exclusive account it takes it, and does not wait. */
export function whyFleetForgotten(draft: Draft, context: Context): Hold | undefined {
  return draft.account.tenure === "exclusive" ? undefined : whyForgotten(draft, context);
}
