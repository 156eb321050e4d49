import type { Draft } from "../../ledger/draft.ts";
import { elapsed, type Instant } from "../../ledger/instant.ts";
import type { DeploymentRow, ProfileKnowledge } from "../../ledger/rows.ts";
import { ACTIVE_STATES, TERMINAL_STATES } from "../../service/contract/contract.ts";
import { type Context, knowledgeOf, learn } from "../facts/context.ts";
import { note } from "../facts/events.ts";

/*
 * A state that neither the specification nor the profile names may be a machine's end, or a part of its life
 * ("queued", "maintenance"). A list may be as old as one settle time, so after a stop it may show what was
 * before. To take a living machine for ended pays for two. To take an ended one for living is one too few for
 * a while, and is told. So any proof that machines live in a state outweighs the signs of an end.
 */

/** What showed a deployment: a full list, a GET by its id, or only its launch's answer (`asked` is null). */
export interface ShownBy {
  readonly by: "list" | "get" | "launch";
  /** When the request was sent. */
  readonly asked: Instant | null;
}

/** The active states bill (specification, section 3). */
export function isActive(status: string): boolean {
  return (ACTIVE_STATES as readonly string[]).includes(status);
}

/** True if a machine in this state bills, whether it serves or not. */
export function isBilled(status: string, { wire }: Context): boolean {
  return isActive(status) || wire.isUnserving?.(status) === true;
}

/**
 * Remembers a state that machines live in, by one of two proofs. A launch that was just answered is in it,
 * and neither ran nor was stopped. Or a machine was in it and is active again, too late for an old list.
 */
export function learnLife(
  draft: Draft,
  before: DeploymentRow | undefined,
  row: DeploymentRow,
  look: ShownBy,
  context: Context,
): void {
  const lived = [rose(draft, row, look, context), cameBack(before, row, look, context)];
  for (const status of lived) if (status !== undefined) remember(draft, status, row, context);
}

/**
 * True if the state proves no end while lists may be from before the stop: machines live in it, or this one
 * was in it when its stop was accepted. It is never learned as an end from this machine.
 */
export function isDoubtfulEnd({ status, stop }: DeploymentRow, known: ProfileKnowledge): boolean {
  return isLived(status, known) || (stop?.first?.status ?? stop?.acceptedIn) === status;
}

/** True if this list is too new to show what was before the stop or before this state. */
export function showsAfterStop(row: DeploymentRow, { asked }: ShownBy, { settings }: Context): boolean {
  const { statusSince, stop } = row;
  const since = stop?.accepted ? (stop.first?.at ?? stop.attempted ?? stop.asked) : statusSince;
  return asked !== null && [since, statusSince].every((from) => elapsed(from, asked) >= settings.settle);
}

/** True if only its state made it an end, and machines are now known to live in that state. */
export function isNoEnd(row: DeploymentRow, known: ProfileKnowledge, context: Context): boolean {
  return (
    row.end === "stopped" &&
    row.stop?.accepted !== true &&
    row.stoppingSeen !== true &&
    row.stopReason === null &&
    isUnnamed(row.status, context) &&
    isLived(row.status, known)
  );
}

function rose(draft: Draft, row: DeploymentRow, { by }: ShownBy, context: Context): string | undefined {
  if (row.young !== true || row.stop !== null || !isUnnamed(row.status, context)) return undefined;
  if (row.stopReason !== null || row.failureCode !== null) return undefined;
  const made = draft.intents.ever(row.intent ?? "");
  const answered =
    by === "launch" ||
    made?.answer?.id === row.id ||
    [...draft.intents.values()].some(({ answer }) => answer?.id === row.id);
  return answered ? row.status : undefined;
}

function cameBack(
  before: DeploymentRow | undefined,
  row: DeploymentRow,
  { asked }: ShownBy,
  context: Context,
): string | undefined {
  if (!before || asked === null || !isActive(row.status) || !isUnnamed(before.status, context))
    return undefined;
  return elapsed(before.statusSince, asked) >= context.settings.settle ? before.status : undefined;
}

function remember(draft: Draft, status: string, row: DeploymentRow, context: Context): void {
  const profile = context.wire.profileHash;
  const known = knowledgeOf(draft, profile);
  const ends = known.ends.filter((end) => end !== status);
  if (isLived(status, known) && ends.length === known.ends.length) return;
  learn(draft, profile, { ends, living: [...new Set([...(known.living ?? []), status])] });
  if (ends.length === known.ends.length) return;
  const state = JSON.stringify(status);
  note(
    draft,
    context,
    "distrust",
    `the state ${state} counted as an end, but ${row.id} was in it, is not over, and nobody stopped it: machines in it count ` +
      `again. Name ${state} in the profile: under deployments.states.aliases as the specification's word for it, or under ` +
      "deployments.states.terminal if it surely ends a machine",
    { owner: row.owner, deployment: row.id },
  );
}

function isLived(status: string, known: ProfileKnowledge): boolean {
  return known.living?.includes(status) === true;
}

function isUnnamed(status: string, context: Context): boolean {
  return (
    !isBilled(status, context) &&
    !(TERMINAL_STATES as readonly string[]).includes(status) &&
    !context.wire.isTerminal(status)
  );
}
