import type { Draft } from "../../ledger/draft.ts";
import { elapsed } from "../../ledger/instant.ts";
import type { DeploymentRow, IntentRow, Owner } from "../../ledger/rows.ts";
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
  const machines = livingOf(draft, owner);
  const isAnyStuck = draft.deployments
    .followingFrom("livingOf", owner, stoppingOf)
    .some((row) => isStuckStopping(row, context));
  return {
    machines: isAnyStuck ? machines.filter((row) => !isStuckStopping(row, context)) : machines,
    intents: unresolvedOf(draft, owner),
  };
}

function stoppingOf(rows: Iterable<DeploymentRow>): readonly DeploymentRow[] {
  return [...rows].filter(({ status }) => status === "stopping");
}

/** True if the launch may have made a machine that nobody claims: open, or in a living dispute. */
export function isUnresolved(draft: Draft, intent: IntentRow): boolean {
  return intent.state === "open" || isDisputed(draft, intent);
}

/** The owner's launches that may have made a machine that nobody claims. */
export function unresolvedOf(draft: Draft, owner: Owner): readonly IntentRow[] {
  return [...draft.intents.of("doubtOf", owner)].filter((intent) => isUnresolved(draft, intent));
}

/** Every deployment that this owner's claims hold and that has not ended, the first seen first. */
export function livingOf(draft: Draft, owner: Owner): readonly DeploymentRow[] {
  return draft.deployments.followingFrom("livingOf", owner, claimedOf);
}

/** Those of them that somebody asked to stop. */
export function toBeStopped(draft: Draft, owner: Owner): readonly DeploymentRow[] {
  return draft.deployments.followingFrom("livingOf", owner, stopAsked);
}

function stopAsked(rows: Iterable<DeploymentRow>): readonly DeploymentRow[] {
  return claimedOf(rows).filter(({ stop }) => stop !== null);
}

/** Every deployment that this owner's claims hold, ended ones too, the first seen first. */
export function claimedBy(draft: Draft, owner: Owner): readonly DeploymentRow[] {
  return draft.deployments.followingFrom("owner", owner, claimedOf);
}

function claimedOf(rows: Iterable<DeploymentRow>): readonly DeploymentRow[] {
  return inSequence(rows, isClaimed);
}

function isClaimed({ claim }: DeploymentRow): boolean {
  return claim === "certain" || claim === "inferred";
}

function allOf(rows: Iterable<DeploymentRow>): readonly DeploymentRow[] {
  return inSequence(rows, () => true);
}

/** They nearly always are already: then they are not sorted. */
function inSequence(
  rows: Iterable<DeploymentRow>,
  isMeant: (row: DeploymentRow) => boolean,
): readonly DeploymentRow[] {
  const found: DeploymentRow[] = [];
  let isSorted = true;
  for (const row of rows) {
    if (!isMeant(row)) continue;
    isSorted &&= row.sequence > (found.at(-1)?.sequence ?? -1);
    found.push(row);
  }
  return isSorted ? found : found.sort((one, other) => one.sequence - other.sequence);
}

/**
 * True if it has been `stopping` for too long. It leaves the count, not the budget: else a stop that hangs
 * keeps a fleet below its count for ever. A machine whose stop is not carried out still runs, and counts.
 */
export function isStuckStopping(row: DeploymentRow, context: Context): boolean {
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
  return draft.deployments.followingFrom("answeredFor", "nobody", allOf);
}
