import type { DeploymentRow, IntentRow, ProfileKnowledge } from "../../ledger/rows.ts";
import { type Combination, combinationKey } from "../../service/contract/contract.ts";
import type { Abilities } from "../../service/contract/service.ts";

/**
 * The group of intents that a list cannot tell apart. Only one of them is open at a time, so what appears has
 * one explanation. With a marker each intent is its own group. With offer, provider and location, those of
 * one combination are a group. Otherwise the whole account is.
 *
 * A field tells apart only once an answered launch has shown its value back. A pointer that reads the wrong
 * thing would otherwise invent groups.
 */
const WHOLE_ACCOUNT = "account";

export function groupOf(
  intent: Combination & { readonly id: string },
  abilities: Pick<Abilities, "marker" | "combination" | "constants">,
  known: ProfileKnowledge,
): string {
  if (abilities.marker && known.shown.includes("marker")) return MARKED + intent.id;
  const telling = COMBINATION_FIELDS.filter((field) => !abilities.constants?.includes(field));
  const isShown = telling.every((field) => known.shown.includes(shownField(field, intent[field])));
  if (abilities.combination && telling.length > 0 && isShown) {
    return `combination:${combinationKey({ ...NOT_TOLD, ...pick(intent, telling) })}`;
  }
  return WHOLE_ACCOUNT;
}

/** True if its machines are told from all others. */
export function isMarked(group: string): boolean {
  return group.startsWith(MARKED);
}

const MARKED = "marker:";

type Grouped = Pick<IntentRow, "group" | "profile">;

/**
 * True if a list might not tell the one's machine from the other's. Two profiles may read a list differently:
 * what tells apart under one says nothing about an intent of the other.
 */
export function overlap(one: Grouped, other: Grouped): boolean {
  if (one.profile !== other.profile) return true;
  return one.group === other.group || one.group === WHOLE_ACCOUNT || other.group === WHOLE_ACCOUNT;
}

/** True if a field that tells apart says that this deployment cannot come from this intent. */
export function excludes(intent: IntentRow, deployment: DeploymentRow, known: ProfileKnowledge): boolean {
  if (deployment.marker === intent.marker) return false;
  if (isCutOf(deployment.marker, intent.marker)) return false;
  if (known.shown.includes("marker") || ledgerOf(deployment.marker) !== undefined) return true;
  return COMBINATION_FIELDS.some(
    (field) =>
      deployment[field] !== null &&
      deployment[field] !== intent[field] &&
      tellsApart(known, field, intent[field]),
  );
}

/** True if the deployment lacks a marker that fleetkeeper wrote, though the profile shows markers. */
export function lacksMarker({ marker }: DeploymentRow, known: ProfileKnowledge): boolean {
  return known.shown.includes("marker") && ledgerOf(marker) === undefined;
}

/** True for the marker, false for a field of the combination. */
export function isMarkerField(shown: string): boolean {
  return shown === "marker";
}

/** What an answered launch showed back with its own value, to be remembered. */
export function shownBack(
  intent: IntentRow,
  deployment: DeploymentRow,
  { constants = [] }: Pick<Abilities, "constants">,
): readonly string[] {
  // The profile says these of every deployment: they did not come back.
  const fields = COMBINATION_FIELDS.filter(
    (field) => deployment[field] === intent[field] && !constants.includes(field),
  );
  return [
    ...(deployment.marker === intent.marker ? ["marker"] : []),
    ...fields.map((field) => shownField(field, intent[field])),
  ];
}

/** The value that the service shows back: it names the ledger and the intent. */
export function markerOf(ledger: string, intent: string): string {
  return `fk-${ledger}-${intent}`;
}

/**
 * True if this is the beginning of that marker, cut where it still looks whole: by a service whose labels end after 32
 * characters, say. No list shows the whole one then, and the machine would be a stranger's, which its fleet waits for.
 */
function isCutOf(marker: string | null, whole: string): boolean {
  return ledgerOf(marker) !== undefined && marker !== whole && whole.startsWith(marker ?? whole);
}

/** The ledger that made this marker. Undefined: not ours. No text has this form by chance. */
export function ledgerOf(marker: string | null): string | undefined {
  return marker === null ? undefined : OURS.exec(marker)?.[1];
}

/** The id of another ledger, if that one launched it: by an agent elsewhere, or by one under another user. */
export function otherLedgerOf({ marker }: DeploymentRow, ledger: string): string | undefined {
  const launchedIt = ledgerOf(marker);
  return launchedIt === ledger ? undefined : launchedIt;
}

/** The id of the launch that this marker names. Undefined: not ours. */
export function intentIn(marker: string | null): string | undefined {
  return marker === null ? undefined : OURS.exec(marker)?.[2];
}

const OURS = /^fk-([0-9a-z]{8,})-([0-9a-z]{8,})$/;

const COMBINATION_FIELDS = ["offer", "provider", "location"] as const;

/** True if an answered launch showed this value back here: another value means another launch. */
export function tellsApart(known: ProfileKnowledge, field: keyof Combination, value: string): boolean {
  return known.shown.includes(shownField(field, value));
}

function shownField(field: (typeof COMBINATION_FIELDS)[number], value: string): string {
  return `${field}=${value}`;
}

/** Launches look alike in a list if only fields that the profile sets for every deployment differ. */
const NOT_TOLD: Combination = { offer: "", provider: "", location: "" };

function pick(combination: Combination, fields: readonly (keyof Combination)[]): Partial<Combination> {
  return Object.fromEntries(fields.map((field) => [field, combination[field]]));
}
