import type { Context } from "../../../launch/facts/context.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { AccountRow, FleetRow } from "../../../ledger/rows.ts";
import type { Policy } from "../../../policy/rules.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import { partName } from "../phase/part.ts";
import { type Budget, declareBudgets } from "./budgets.ts";
import {
  declareFleet,
  type FleetDeclaration,
  hasNoBalance,
  isOver,
  removeFleet,
  renameFleet,
} from "./fleets.ts";
import { declarePolicies } from "./policies.ts";

/** All that one source asks for in an account. */
export interface Declared {
  readonly source: string;
  readonly fleets: readonly FleetDeclaration[];
  /** Of a fleet file that says that it was moved: its source before. */
  readonly previousSource?: string | undefined;
  /** Parts of its fleets in services that these do not name any more. Those that are there leave. */
  readonly leaving?: readonly FleetDeclaration[];
  /** Fleets in several services whose first part, which has the whole's name, is another account's. */
  readonly homesElsewhere?: ReadonlySet<string>;
  /** Fleets of the file's other services, and which each is of. Undefined: it has one service. */
  readonly elsewhere?: ReadonlyMap<string, string>;
  /** What the file calls this account's service. Null: it has one service, without a name. Undefined: it says nothing of that. */
  readonly service?: Omit<NonNullable<AccountRow["service"]>, "file"> | null;
  /** Its limits over a label or the whole account. Undefined: it says nothing of them, and they stay. */
  readonly budgets?: readonly Budget[];
  /** What it demands of each fleet in the account. Undefined: it says nothing of that, and what it demanded stays. */
  readonly policies?: readonly Policy[];
  /** It asks that people are told how long the balance lasts. */
  readonly saysRunway?: boolean;
  /** True for a source that is not there any more: who names its fleets may have them. Undefined: nobody can tell. */
  readonly isGone?: (source: string) => boolean;
}

/** What a declaration changes. */
export interface DeclaredChanges {
  /** For people. Each drain is among them. */
  readonly texts: readonly string[];
  /** Names of those that drain from now on. */
  readonly drains: readonly string[];
  /** None of its fleets was kept before. */
  readonly isFirst: boolean;
}

/**
 * Stores all that one source asks for. A fleet that it named before and names no more drains. Who only wants to know
 * what would change calls it on a scratch draft: a second calculation could differ, and hide a drain.
 *
 * Throws CONFIG if another source has one of the names; if a fleet stands under another service of the file now; if
 * the file was moved, and left a fleet out on its way; if it asks for what takes a balance, and none is shown.
 */
export function declareAll(draft: Draft, given: Declared, context: Context): DeclaredChanges {
  const { source, isGone = () => false, saysRunway = false } = given;
  if (saysRunway && hasNoBalance(context))
    throw new FleetkeeperError(
      "CONFIG",
      "alerts.runway: by the profile the service shows no balance (balance: { none: true }), so nobody could ever be told how long " +
        "it lasts: take it out, or write never.",
    );
  const before = [...draft.fleets.values()];
  const isMove = takeMoved(draft, given);
  const declared = { ...given, fleets: partsHere(draft, given) };
  const { fleets } = declared;
  refuseElsewhere(draft, declared);
  const origins = renameAll(draft, declared, context);
  for (const { name } of fleets) {
    const fleet = draft.fleets.get(name);
    // Else nobody could ever declare, change or remove it again.
    if (fleet && fleet.source !== source && isGone(fleet.source)) draft.putFleet({ ...fleet, source });
  }
  const lives = fleets.flatMap((fleet) => {
    const life = declareFleet(draft, fleet, context);
    return life === undefined ? [] : [`${fleet.name}: ${life}`];
  });
  const named = new Set(fleets.map(({ name }) => name));
  if (isMove) refuseLeftOut(draft, declared, named);
  for (const { name } of draft.fleets.values()) if (!named.has(name)) removeFleet(draft, name, source);
  storeService(draft, declared);
  const limits = given.budgets ? declareBudgets(draft, source, given.budgets, isGone) : [];
  if (given.policies) declarePolicies(draft, source, given.policies, isGone);
  const living = before.filter(({ removed }) => !removed);
  const drains = drainsOf(draft, living, origins);
  return {
    texts: [
      ...(isMove ? [`the fleets of ${declared.previousSource} are this file's from now on`] : []),
      ...changedTexts(living, fleets, origins),
      ...lives,
      ...limits,
      ...drains.map((name) => `${name} is left out, and drains`),
    ],
    drains,
    isFirst: living.every(({ name }) => draft.fleets.get(name)?.source !== source),
  };
}

function storeService(draft: Draft, { service, source }: Declared): void {
  if (service === undefined) return;
  const { service: before, ...account } = draft.account;
  const now = service && {
    name: service.name,
    file: source,
    ...(service.gpuModels && { gpuModels: service.gpuModels }),
  };
  if (JSON.stringify(now) === JSON.stringify(before ?? null)) return;
  draft.putAccount({ ...account, ...(now && { service: now }) });
}

/**
 * The fleets of this account, by the names that they have in the ledger. The first part of a fleet in several services stays
 * where it was made, wherever its service stands in the file's list: it has the whole's name, which is one account's for good.
 */
function partsHere(
  draft: Draft,
  { source, fleets, leaving = [], homesElsewhere = new Set(), isGone = () => false }: Declared,
): readonly FleetDeclaration[] {
  const rowOf = (name: string): FleetRow | undefined => {
    const row = draft.fleets.get(name);
    return row && (row.source === source || isGone(row.source) || isOver(draft, row)) ? row : undefined;
  };
  const named = (each: FleetDeclaration): FleetDeclaration => {
    const { of, service = "" } = each.part ?? {};
    if (of === undefined) return each;
    if (rowOf(of)) return { ...each, name: of };
    return each.name === of && homesElsewhere.has(of) ? { ...each, name: partName(of, service, 1) } : each;
  };
  const isThere = ({ name, part }: FleetDeclaration): boolean => {
    const row = rowOf(name);
    const isOurs = row?.source === source || isGone(row?.source ?? source);
    return row !== undefined && isOurs && (name === part?.of || !row.removed);
  };
  return [...fleets.map(named), ...leaving.map(named).filter(isThere)];
}

/**
 * A file that was moved takes all fleets that it had at its path before. It moves once: the line may stay in the file,
 * and a file that is written at the old path later has fleets of its own. So a source that ever had a fleet takes none.
 */
function takeMoved(draft: Draft, { source, previousSource }: Declared): boolean {
  const fleets = [...draft.fleets.values()];
  if (fleets.some((fleet) => fleet.source === source)) return false;
  const moved = fleets.filter((fleet) => fleet.source === previousSource);
  for (const fleet of moved) draft.putFleet({ ...fleet, source });
  return moved.some((fleet) => !isOver(draft, fleet));
}

/**
 * It may stand in the file at the old path still: nobody can look there if that is another host's. So it neither
 * drains nor runs on unseen.
 */
function refuseLeftOut(
  draft: Draft,
  { source, previousSource = "" }: Declared,
  named: ReadonlySet<string>,
): void {
  const left = [...draft.fleets.values()].filter(
    (fleet) => fleet.source === source && !fleet.removed && !named.has(fleet.name),
  );
  if (left.length === 0) return;
  const path = previousSource.replace(/^file:/, "");
  throw new FleetkeeperError(
    "CONFIG",
    `previousPath: ${path}: the fleet file there has declared ${left.map(({ name }) => name).join(", ")}, too, and this file ` +
      "does not name it. Nothing was changed, as a file that moves stops no machines. Move all fleets: name it here as " +
      "well. To drain it, take it out again once this file is in force. If the file there goes on, remove previousPath, and " +
      "choose other names here.",
  );
}

/**
 * Throws CONFIG if a fleet of this account stands under another service of the same file. It must not drain: a
 * name is one account's for good, so nothing would take its place; and if two credentials open one account, the
 * fleets of either would end those of the other.
 */
function refuseElsewhere(draft: Draft, { source, fleets, elsewhere = new Map() }: Declared): void {
  const here = new Set(fleets.map(({ name }) => name));
  for (const fleet of draft.fleets.values()) {
    const service = here.has(fleet.name) ? undefined : elsewhere.get(fleet.name);
    if (service === undefined || fleet.source !== source || isOver(draft, fleet)) continue;
    throw new FleetkeeperError(
      "CONFIG",
      `fleet ${fleet.name}: it stands under service ${service} in the file, and is kept in ${draft.account.email} at ` +
        `${draft.account.baseUrl}, which is another service's. A fleet keeps its account: write it back, and call the new one ` +
        "otherwise; or take it out, and it drains.",
    );
  }
}

/**
 * Renames come before declarations, in any order: a name that one fleet leaves may be the new name of
 * another, or of a new fleet. Declared first, a new fleet would be taken for the one that is to be renamed.
 * Returns the first name of each fleet that was renamed, by its new one.
 */
function renameAll(
  draft: Draft,
  { fleets, isGone }: Declared,
  context: Context,
): ReadonlyMap<string, string> {
  const origins = new Map<string, string>();
  const left = new Set(fleets);
  let renamed: boolean;
  do {
    renamed = false;
    for (const declaration of left) {
      if (renameFleet(draft, declaration, context, isGone) === "unchanged") continue;
      const { name, previousName = name } = declaration;
      const first = origins.get(previousName) ?? previousName;
      origins.delete(previousName);
      origins.set(name, first);
      left.delete(declaration);
      renamed = true;
    }
  } while (renamed);
  return origins;
}

function changedTexts(
  before: readonly FleetRow[],
  fleets: readonly FleetDeclaration[],
  origins: ReadonlyMap<string, string>,
): readonly string[] {
  const wishes = new Map(before.map(({ name, wish, part }) => [name, JSON.stringify(part?.whole ?? wish)]));
  // A fleet that has one of these names now begins anew.
  const left = new Set(origins.values());
  return fleets.flatMap(({ name, wish, part }) => {
    const gpus = `${part ? "a part of " : ""}${wish.gpus} GPU${wish.gpus === 1 ? "" : "s"}`;
    const origin = origins.get(name) ?? (left.has(name) ? undefined : name);
    const stored = origin === undefined ? undefined : wishes.get(origin);
    if (stored === undefined) return [`${name} is new (${gpus})`];
    return stored === JSON.stringify(wish) ? [] : [`${name} was changed (${gpus})`];
  });
}

/** By the rows, whatever has removed them. A fleet that was renamed is over under its old name, and drains nothing. */
function drainsOf(
  draft: Draft,
  before: readonly FleetRow[],
  origins: ReadonlyMap<string, string>,
): readonly string[] {
  const left = new Set(origins.values());
  return before.flatMap(({ name }) => (draft.fleets.get(name)?.removed && !left.has(name) ? [name] : []));
}
