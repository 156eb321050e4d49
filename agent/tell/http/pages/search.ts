import type { Draft } from "../../../../ledger/draft.ts";
import { fleetOwner } from "../../../../ledger/owner.ts";
import type { DeploymentRow, IntentRow } from "../../../../ledger/rows.ts";
import { calledName } from "../../../status/owner-names.ts";

/** What somebody looks for. Empty texts ask for nothing. */
export interface Asked {
  /** Words that must all stand in what is found: in an id, a marker, a place, a name or a state. */
  readonly q: string;
  readonly fleet: string;
  /** `living`, `over`, or a state as it stands on a row. */
  readonly state: string;
  /** The first is 1. */
  readonly page: number;
}

export type Hit =
  | { readonly kind: "machine"; readonly row: DeploymentRow }
  | { readonly kind: "launch"; readonly row: IntentRow };

export interface Found {
  /** Of the page that was asked for, or of the last one. */
  readonly hits: readonly Hit[];
  readonly count: number;
  readonly page: number;
  readonly pages: number;
}

export const ROWS_A_PAGE = 100;
/** Nobody types more words, and each one is looked for in all rows. */
const MOST_WORDS = 8;

/** The words of the state filter that no row holds. */
export const LIVING = "living";
export const OVER = "over";

/** A launch that made no machine of its own is found as a launch. */
export function stateOfLaunch({ state }: IntentRow): string {
  return `launch ${state}`;
}

/** `failed` and the like once it has ended, whatever state it was last shown in. */
export function stateOfMachine({ end, status }: DeploymentRow): string {
  return end ?? status;
}

/**
 * Machines, then launches that made none, the newest first. Archived machines are the last. They are found by
 * what is in memory of them, their ids, and by their fleet and launch: only those of the page are read.
 */
export function search(draft: Draft, asked: Asked): Found {
  const words = wordsOf(asked.q);
  const machines = [...draft.deployments.values()]
    .filter((row) => isMachine(draft, row, asked, words))
    .sort((one, other) => other.sequence - one.sequence)
    .map((row): Hit => ({ kind: "machine", row }));
  const launches = [...draft.intents.values()]
    .filter((row) => isLaunch(draft, row, asked, words))
    .reverse()
    .map((row): Hit => ({ kind: "launch", row }));
  const found = [...machines, ...launches];
  const archived = archivedIds(draft, asked, words);
  const count = found.length + archived.length;
  const pages = Math.max(1, Math.ceil(count / ROWS_A_PAGE));
  const page = Math.min(Math.max(1, asked.page), pages);
  const from = (page - 1) * ROWS_A_PAGE;
  const fromArchive = Math.max(0, from - found.length);
  const here = found.slice(from, from + ROWS_A_PAGE);
  const read = archived.slice(fromArchive, fromArchive + ROWS_A_PAGE - here.length).flatMap((id): Hit[] => {
    const row = draft.deployments.ever(id);
    return row ? [{ kind: "machine", row }] : [];
  });
  return { hits: [...here, ...read], count, page, pages };
}

function wordsOf(q: string): readonly string[] {
  return q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")
    .slice(0, MOST_WORDS);
}

function isMachine(
  draft: Draft,
  row: DeploymentRow,
  { fleet, state }: Asked,
  words: readonly string[],
): boolean {
  if (fleet !== "" && row.owner !== fleetOwner(fleet)) return false;
  if (
    state === LIVING
      ? row.end !== null
      : state === OVER
        ? row.end === null
        : state !== "" && state !== stateOfMachine(row)
  )
    return false;
  if (words.length === 0) return true;
  const intent = row.intent === null ? undefined : draft.intents.get(row.intent);
  return holdsAll(words, [
    row.id,
    row.marker ?? intent?.marker,
    row.intent,
    row.offer ?? intent?.offer,
    row.provider ?? intent?.provider,
    row.location ?? intent?.location,
    row.owner && calledName(draft, row.owner),
    stateOfMachine(row),
  ]);
}

function isLaunch(draft: Draft, row: IntentRow, { fleet, state }: Asked, words: readonly string[]): boolean {
  // Its machine is found, and leads to it.
  if (row.deployment !== null && row.state === "claimed") return false;
  if (fleet !== "" && row.owner !== fleetOwner(fleet)) return false;
  const lives = row.state === "open" || row.state === "disputed";
  if (state === LIVING ? !lives : state === OVER ? lives : state !== "" && state !== stateOfLaunch(row))
    return false;
  const { id, marker, offer, provider, location, owner } = row;
  const texts = [id, marker, offer, provider, location, calledName(draft, owner), stateOfLaunch(row)];
  return words.length === 0 || holdsAll(words, texts);
}

function holdsAll(words: readonly string[], texts: readonly (string | null | undefined)[]): boolean {
  const all = texts.map((text) => text?.slice(0, 1000).toLowerCase() ?? "");
  return words.every((word) => all.some((text) => text.includes(word)));
}

function archivedIds(
  { archive }: Draft,
  { fleet, state }: Asked,
  words: readonly string[],
): readonly string[] {
  if (archive.size === 0 || (state !== "" && state !== OVER)) return [];
  const ids = fleet === "" ? [...archive.ids()] : [...archive.idsOf(fleetOwner(fleet))];
  if (words.length === 0) return ids.reverse();
  const byId = ids.filter((id) => words.every((word) => id.slice(0, 1000).toLowerCase().includes(word)));
  // A marker ends with its launch's id.
  const [word] = words;
  const launched =
    words.length === 1 && word ? archive.pairOf(word.slice(word.lastIndexOf("-") + 1)) : undefined;
  const id = launched?.row.id;
  return id === undefined || byId.includes(id) || !ids.includes(id)
    ? byId.reverse()
    : [id, ...byId.reverse()];
}
