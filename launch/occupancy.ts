import type { Draft } from "../ledger/draft.ts";
import { elapsed } from "../ledger/instant.ts";
import type { DeploymentRow, IntentRow, Owner } from "../ledger/rows.ts";
import type { Context } from "./context.ts";

/**
 * What an owner has and what it may turn out to have. Everything that is not known to be over counts: an open intent is
 * a machine until it is resolved, and a disputed one is one machine until a person decides.
 */
export interface Occupancy {
  /** Claimed and not ended, oldest claim first; those that have been stopping for too long are left out. */
  readonly machines: readonly DeploymentRow[];
  /** Open, or disputed with something of the dispute still alive. */
  readonly intents: readonly IntentRow[];
}

export function occupancy(draft: Draft, owner: Owner, context: Context): Occupancy {
  const machines = claimedBy(draft, owner).filter((row) => row.end === null && !stuckStopping(row, context));
  const intents = [...draft.intents.values()].filter(
    (intent) => intent.owner === owner && isUnresolved(draft, intent),
  );
  return { machines, intents };
}

/** A launch that is open, or in a dispute of which something lives: it may have made a machine that nothing here claims. */
export function isUnresolved(draft: Draft, intent: IntentRow): boolean {
  return intent.state === "open" || isDisputed(draft, intent);
}

/** Every deployment this owner ever claimed, the one first seen first. */
export function claimedBy(draft: Draft, owner: Owner): readonly DeploymentRow[] {
  return [...draft.deployments.values()]
    .filter((row) => row.owner === owner && (row.claim === "certain" || row.claim === "inferred"))
    .sort((one, other) => one.sequence - other.sequence);
}

/**
 * It has been `stopping` for too long, and leaves the count, not the budget: a stop that nobody carries out leaves the
 * machine running, and that one still counts. Otherwise a stop that hangs would keep a fleet below its count for ever.
 */
export function stuckStopping(row: DeploymentRow, context: Context): boolean {
  return row.status === "stopping" && elapsed(row.statusSince, context.now) > context.settings.stopping;
}

function isDisputed(draft: Draft, intent: IntentRow): boolean {
  return (
    intent.state === "disputed" &&
    [...draft.deployments.values()].some(
      (row) => row.intent === intent.id && row.claim === "disputed" && row.end === null,
    )
  );
}

/** Active machines that nobody here answers for: reported until adopted, disowned or stopped. */
export function unaccounted(draft: Draft): readonly DeploymentRow[] {
  return [...draft.deployments.values()]
    .filter((row) => row.end === null && (row.claim === null || row.claim === "disputed"))
    .sort((one, other) => one.sequence - other.sequence);
}
