import { combinationKey } from "../service/contract/contract.ts";
import { type Archive, emptyArchive } from "./archive.ts";
import type {
  AccountRow,
  Archived,
  CooldownRow,
  DeploymentRow,
  FleetRow,
  IntentRow,
  RowOf,
  SlotRow,
} from "./rows.ts";
import { Table } from "./table.ts";

/** The rows of one account, as one transaction found them. */
export interface Rows {
  readonly account: AccountRow;
  readonly intents: readonly IntentRow[];
  readonly deployments: readonly DeploymentRow[];
  readonly slots: readonly SlotRow[];
  readonly fleets: readonly FleetRow[];
  readonly cooldowns: readonly CooldownRow[];
  /** What no rule goes through: intents and deployments that are in none of these lists. */
  readonly archive?: Archive;
}

export type Intents = Table<IntentRow, keyof typeof INTENT_KEYS>;
export type Deployments = Table<DeploymentRow, keyof typeof DEPLOYMENT_KEYS>;

/** The tables whose rows have a key in their account, and where they stand in {@link Tables} and {@link Rows}. */
export const KEYED = {
  intent: "intents",
  deployment: "deployments",
  slot: "slots",
  fleet: "fleets",
  cooldown: "cooldowns",
} as const;

type Keyed = keyof typeof KEYED;
/** A row of such a table, to be put. */
export type KeyedChange = { [T in Keyed]: { readonly table: T; readonly row: RowOf[T] } }[Keyed];

export function isKeyed(change: { readonly table: string }): change is KeyedChange {
  return Object.hasOwn(KEYED, change.table);
}

export function keyOf({ table, row }: KeyedChange): string {
  if (table === "cooldown") return combinationKey(row);
  return table === "fleet" ? row.name : row.id;
}

/** What decisions ask for intents by. */
const INTENT_KEYS = {
  owner: ({ owner }: IntentRow) => owner,
  state: ({ state }: IntentRow) => state,
  combination: (intent: IntentRow) => combinationKey(intent),
  /** The owner, of those that may have made a machine that nobody claims. */
  doubtOf: ({ owner, state }: IntentRow) => (state === "open" || state === "disputed" ? owner : undefined),
  /** The kind of the refusal. */
  refusal: ({ refusal }: IntentRow) => refusal?.kind,
  /** `waiting`: a list or a look must still show what made it, or what it was answered with. */
  shown: ({ state, answer }: IntentRow) => (state === "open" || answer?.unshown ? "waiting" : undefined),
  /** `looking`: by looking alone a machine was found for it. */
  claimedBy: ({ state, deployment, answer }: IntentRow) =>
    state === "claimed" && deployment !== null && (answer?.id ?? null) === null ? "looking" : undefined,
  /** `before`: the balance was read right before it was sent, and it made a machine. */
  balance: ({ state, before }: IntentRow) => (state === "claimed" && before ? "before" : undefined),
};

/** What decisions ask for deployments by. */
const DEPLOYMENT_KEYS = {
  owner: ({ owner }: DeploymentRow) => owner ?? undefined,
  /** `living` is all that no end was concluded of. */
  life: ({ end }: DeploymentRow) => (end === null ? "living" : "over"),
  /** The owner, of those that live. */
  livingOf: ({ end, owner }: DeploymentRow) => (end === null ? (owner ?? undefined) : undefined),
  /** The intent that it may be of, while that is not certain. */
  doubt: ({ claim, intent }: DeploymentRow) =>
    claim === "inferred" || claim === "disputed" ? (intent ?? undefined) : undefined,
  /** `launches`: nothing is launched for its owner before a person has looked. */
  holds: ({ owner, returned }: DeploymentRow) => (owner !== null && returned?.held ? "launches" : undefined),
  /** `asked`: to be stopped, of those that live. */
  stop: ({ end, stop }: DeploymentRow) => (end === null && stop !== null ? "asked" : undefined),
  /** `doubted`: it lives, but lists lack it, or show an end that is not believed yet. Or a list contradicts itself of it. */
  presence: ({ end, missing, returned, flaw }: DeploymentRow) =>
    flaw?.contradicts || (end === null && (missing !== null || returned?.ending?.listed))
      ? "doubted"
      : undefined,
  /** Of those that live: `nobody` answers for it for certain, or only its `id` is known to be ours. */
  answeredFor: ({ end, claim, reused }: DeploymentRow) => {
    if (end !== null) return undefined;
    if (claim === null || claim === "disputed") return "nobody";
    return claim === "inferred" && reused ? "id" : undefined;
  },
  /** `some`: it lives, and not all of its record can be read. */
  flaw: ({ end, flaw }: DeploymentRow) => (end === null && flaw !== undefined ? "some" : undefined),
  /** `open`: it lives, and what it shows may say that another launch made it than the one of its row. */
  maker: ({ end, claim, marker, intent }: DeploymentRow) => {
    if (end !== null || claim === "foreign") return undefined;
    if (claim === "inferred" || claim === "disputed") return "open";
    if (marker === null || (claim === "certain" && intent === null)) return undefined;
    return claim === "certain" && namesLaunch(marker, intent) ? undefined : "open";
  },
};

/** True if it may be this launch's marker. See `markerOf` in launch/claim/groups.ts. */
function namesLaunch(marker: string, intent: string | null): boolean {
  return intent !== null && marker.endsWith(`-${intent}`);
}

/**
 * An account's rows by their keys: a slot's, an intent's and a deployment's id, a fleet's name, a cooldown's
 * combination. Intents, deployments and slots stand in the order in which they were first stored, fleets and
 * cooldowns in that of their keys.
 */
export interface Tables {
  account: AccountRow;
  intents: Intents;
  deployments: Deployments;
  slots: Map<string, SlotRow>;
  fleets: Map<string, FleetRow>;
  cooldowns: Map<string, CooldownRow>;
  archive: Archive;
}

/** A copy: these rows in maps of their own. `made`: the copies of those tables that have not changed since. */
export function copyOf(tables: Tables, made: Partial<Tables> = {}): Tables {
  const archive = made.archive ?? tables.archive.copy();
  return {
    account: tables.account,
    archive,
    intents: made.intents ?? tables.intents.copy(launchIn(archive)),
    deployments: made.deployments ?? tables.deployments.copy(machineIn(archive)),
    slots: made.slots ?? new Map(tables.slots),
    fleets: made.fleets ?? new Map(tables.fleets),
    cooldowns: made.cooldowns ?? new Map(tables.cooldowns),
  };
}

export function tablesOf(rows: Rows): Tables {
  const { archive = emptyArchive() } = rows;
  return {
    account: rows.account,
    archive,
    intents: new Table(INTENT_KEYS, pairs(rows.intents), launchIn(archive)),
    deployments: new Table(DEPLOYMENT_KEYS, pairs(rows.deployments), machineIn(archive)),
    slots: new Map(rows.slots.map((row) => [row.id, row])),
    fleets: new Map(rows.fleets.map((row) => [row.name, row])),
    cooldowns: new Map(rows.cooldowns.map((row) => [combinationKey(row), row])),
  };
}

/** Takes a machine and its launch out of the tables, into the archive. */
export function archiveIn(
  { deployments, intents, archive }: Pick<Tables, "deployments" | "intents" | "archive">,
  id: string,
  intent: string | null,
  archived: Archived,
): void {
  deployments.delete(id);
  if (intent !== null) intents.delete(intent);
  archive.add(id, archived);
}

function machineIn(archive: Archive): (id: string) => DeploymentRow | undefined {
  return (id) => archive.pair(id)?.row;
}

function launchIn(archive: Archive): (id: string) => IntentRow | undefined {
  return (id) => archive.pairOf(id)?.intent ?? undefined;
}

function pairs<Row extends { readonly id: string }>(rows: readonly Row[]): (readonly [string, Row])[] {
  return rows.map((row) => [row.id, row] as const);
}
