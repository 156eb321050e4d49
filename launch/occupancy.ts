import type { Draft } from "../ledger/draft.ts";
import { elapsed } from "../ledger/instant.ts";
import type { DeploymentRow, IntentRow, Owner } from "../ledger/rows.ts";
import type { Context } from "./context.ts";

/**
 * What an owner has, and what it may turn out to have. Whatever is not known to be over counts. An open
 * intent is one machine until it is resolved; a dispute is one until a person decides.
 */
export interface Occupancy {
  /** Claimed and not ended, the first seen first. Those that have been stopping for too long are left out. */
  readonly machines: readonly DeploymentRow[];
  /** Open, or in a dispute of which a machine still lives. */
  readonly intents: readonly IntentRow[];
}

export function occupancy(draft: Draft, owner: Owner, context: Context): Occupancy {
  const machines = claimedBy(draft, owner).filter((row) => row.end === null && !stuckStopping(row, context));
  const intents = [...draft.intents.of("owner", owner)].filter((intent) => isUnresolved(draft, intent));
  return { machines, intents };
}

/** True if the launch may have made a machine that nobody claims: open, or in a living dispute. */
export function isUnresolved(draft: Draft, intent: IntentRow): boolean {
  return intent.state === "open" || isDisputed(draft, intent);
}

/** Every deployment that this owner's claims hold, ended ones too, the first seen first. */
export function claimedBy(draft: Draft, owner: Owner): readonly DeploymentRow[] {
  return [...draft.deployments.of("owner", owner)]
    .filter((row) => row.claim === "certain" || row.claim === "inferred")
    .sort((one, other) => one.sequence - other.sequence);
}

/**
 * True if it has been `stopping` for too long. It leaves the count, not the budget: else a stop that hangs
 * keeps a fleet below its count for ever. A machine whose stop is not carried out still runs, and counts.
 */
export function stuckStopping(row: DeploymentRow, context: Context): boolean {
  return row.status === "stopping" && elapsed(row.statusSince, context.now) > context.settings.stopping;
}

function isDisputed(draft: Draft, intent: IntentRow): boolean {
  return (
    intent.state === "disputed" &&
    [...draft.deployments.of("doubt", intent.id)].some((row) => row.claim === "disputed" && row.end === null)
  );
}

/** Living machines that nobody here answers for. They are reported until adopted, disowned or over. */
export function unaccounted(draft: Draft): readonly DeploymentRow[] {
  return [...draft.deployments.of("life", "living")]
    .filter((row) => row.claim === null || row.claim === "disputed")
    .sort((one, other) => one.sequence - other.sequence);
}
