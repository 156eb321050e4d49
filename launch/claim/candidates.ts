import type { Draft } from "../../ledger/draft.ts";
import { elapsed } from "../../ledger/instant.ts";
import type { DeploymentRow, IntentRow } from "../../ledger/rows.ts";
import { type Context, knowledgeOf } from "../facts/context.ts";
import { unaccounted } from "../facts/occupancy.ts";
import { excludes, intentIn, isMarkerField, lacksMarker } from "./groups.ts";

/*
 * Which launch may have made which machine. A candidate of an intent is an unclaimed id outside its baseline
 * that no field that tells apart excludes.
 */

/** True if this intent may have made this machine. `trust`: by these fields of those that tell apart. */
export function isCandidate(
  draft: Draft,
  row: DeploymentRow,
  intent: IntentRow,
  context: Context,
  trust = ALL,
): boolean {
  if (row.claim !== null || row.sequence <= intent.baseline || row.lastSeen === null) return false;
  // Fields that were read under another profile may mean something else. Only our marker counts then.
  const known =
    intent.profile === context.wire.profileHash ? knowledgeOf(draft, intent.profile) : NOTHING_SHOWN;
  return !excludes(intent, row, { ...known, shown: known.shown.filter(trust) });
}

export const ALL = (_field: string): boolean => true;

const NOTHING_SHOWN = { proven: false, shown: [], ends: [], halted: null };

export function candidates(
  draft: Draft,
  intent: IntentRow,
  context: Context,
  trust = ALL,
): readonly DeploymentRow[] {
  return [...draft.deployments.values()]
    .filter((row) => isCandidate(draft, row, intent, context, trust))
    .sort((one, other) => one.sequence - other.sequence);
}

/**
 * Gives each machine to one intent that can explain it: as many as possible, first intents first. The rest is
 * surplus. Augmenting paths: taking the first fit would call a machine surplus that an exchange explains.
 */
export function explain(
  draft: Draft,
  rows: readonly DeploymentRow[],
  by: readonly IntentRow[],
  context: Context,
): { explained: readonly (readonly [DeploymentRow, IntentRow])[]; surplus: readonly DeploymentRow[] } {
  const takenBy = new Map<DeploymentRow, IntentRow>();
  const seat = (intent: IntentRow, tried: Set<DeploymentRow>): boolean => {
    const fitting = rows.filter((row) => isCandidate(draft, row, intent, context));
    const free = fitting.find((row) => !takenBy.has(row));
    const found =
      free ??
      fitting.find((row) => {
        const holder = takenBy.get(row);
        if (holder === undefined || tried.has(row)) return false;
        tried.add(row);
        return seat(holder, tried);
      });
    if (found) takenBy.set(found, intent);
    return found !== undefined;
  };
  for (const intent of by) seat(intent, new Set());
  return { explained: [...takenBy], surplus: rows.filter((row) => !takenBy.has(row)) };
}

/** True while the sender lives, waits for the answer and is in time. Nothing may be concluded then. */
export function isUnderWay(intent: IntentRow, context: Context): boolean {
  return (
    intent.state === "open" &&
    intent.answer === null &&
    context.isAlive(intent.sender) &&
    elapsed(intent.stamped, context.now) < intent.timeout
  );
}

/** True if only lists can show its machine. */
export function isLookedFor(intent: IntentRow, context: Context): boolean {
  return intent.state === "open" && !isUnderWay(intent, context) && (intent.answer?.id ?? null) === null;
}

/** True if a launch that is under way may be answered with this id at any moment. */
export function isContested(draft: Draft, row: DeploymentRow, context: Context): boolean {
  return draft.intents
    .of("state", "open")
    .some((other) => isUnderWay(other, context) && isCandidate(draft, row, other, context));
}

/**
 * True if the machine lives and may show more. A service may show what tells launches apart only once it
 * runs, or later. An unreadable record may become readable.
 */
export function mayShowMore(row: DeploymentRow, { now, settings }: Context): boolean {
  if (row.end !== null) return false;
  return row.young === true || row.flaw?.setAside === true || elapsed(row.statusSince, now) < settings.settle;
}

/** True if only the marker is missing for it to be this intent's machine. The marker may still come. */
export function isUnmarked(draft: Draft, row: DeploymentRow, intent: IntentRow, context: Context): boolean {
  if (!mayShowMore(row, context) || !lacksMarker(row, knowledgeOf(draft, intent.profile))) return false;
  return isCandidate(draft, row, intent, context, (field) => !isMarkerField(field));
}

/** True if the list shows a living machine, not judged yet, that this absent or refused intent may have made. */
export function isLateFor(draft: Draft, intent: IntentRow, context: Context): boolean {
  if (unaccounted(draft).length === 0) return false;
  return explainsLate(intent, context) && lateOnes(draft, intent, context).some((row) => row.end === null);
}

/** What an absent intent may have made. A machine reported for one is not the late answer to another. */
export function lateOnes(
  draft: Draft,
  intent: IntentRow,
  context: Context,
  trust = ALL,
): readonly DeploymentRow[] {
  const reported = reportedIds(draft);
  return candidates(draft, intent, context, trust).filter((row) => !reported.has(row.id));
}

export function reportedIds(draft: Draft): ReadonlySet<string | undefined> {
  return new Set([...draft.intents.values()].map((each) => each.reported));
}

export function explainsLate(intent: IntentRow, context: Context): boolean {
  return (
    (intent.state === "absent" || wasRefused(intent)) &&
    intent.reported === undefined &&
    isLate(intent, context)
  );
}

/** True if the service may have made its machine all the same, and a list may still show it for the first time. */
export function mayHaveMade(intent: IntentRow, context: Context): boolean {
  return wasRefused(intent) && isLate(intent, context);
}

/** What a cooldown means the specification says. An older row may be one. */
function wasRefused({ state, refusal }: IntentRow): boolean {
  return state === "rejected" && refusal !== undefined && refusal.kind !== "cooling";
}

function isLate({ resolved }: IntentRow, { now, settings }: Context): boolean {
  return resolved !== null && elapsed(resolved, now) < settings.lateArrival;
}

/** The refused launches that may explain a machine, the newest first. */
export function refusedLately(draft: Draft, context: Context): readonly IntentRow[] {
  return [...draft.intents.of("state", "rejected")].filter((each) => explainsLate(each, context)).reverse();
}

/** Those of them that explain one for certain: where others launch, it may as well be a stranger's. */
export function refusedAndOurs(draft: Draft, context: Context): readonly IntentRow[] {
  return draft.account.tenure === "exclusive" ? refusedLately(draft, context) : [];
}

/** The launch that carries this marker; undefined: none of this ledger does. */
export function launchOf(draft: Draft, marker: string | null): IntentRow | undefined {
  const intent = draft.intents.ever(intentIn(marker) ?? "");
  return intent?.marker === marker ? intent : undefined;
}
