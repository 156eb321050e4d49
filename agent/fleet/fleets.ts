import type { Context } from "../../launch/context.ts";
import { note } from "../../launch/events.ts";
import { livingOf, unresolvedOf } from "../../launch/occupancy.ts";
import type { Draft } from "../../ledger/draft.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { FleetkeeperError } from "../../service/errors.ts";
import type { Json } from "../../service/service.ts";
import { renewAll } from "./renewal-marks.ts";
import type { Wish } from "./wish.ts";

export interface FleetDeclaration {
  readonly name: string;
  /** Who owns the name: `file:PATH` or `stack:URN`. */
  readonly source: string;
  readonly wish: Wish;
  /** Hash of the triggers: another one asks for other machines. Only a Pulumi `Fleet` has it. */
  readonly triggers?: string | undefined;
  /** The fleet's name before a rename: its machines stay its own. */
  readonly previousName?: string | undefined;
}

/** Stores a fleet's wish. Throws CONFIG if another source has the name, or if this source is retired. */
export function declareFleet(
  draft: Draft,
  { name, source, wish: asked, triggers }: Omit<FleetDeclaration, "previousName">,
  context: Context,
): void {
  if (draft.account.retired?.includes(source)) {
    throw new FleetkeeperError(
      "CONFIG",
      `fleet ${name}: its resource, ${source}, was deleted, or is being deleted, so it is not declared any more. Run pulumi ` +
        "destroy to its end; the next pulumi up after that declares it anew.",
    );
  }
  const wish = JSON.parse(JSON.stringify(asked)) as Json;
  const before = draft.fleets.get(name);
  if (before && before.source !== source && !isOver(draft, before)) {
    throw new FleetkeeperError(
      "CONFIG",
      `fleet ${name}: ${before.source} has declared this name in the same ledger already. Two owners would stop each ` +
        "other's machines: choose another name, or remove it there first.",
    );
  }
  const fired = triggers === undefined ? {} : { triggers };
  if (!before || before.source !== source) {
    draft.putFleet({ name, source, wish, ...fired, ...NEW_FLEET, removed: false, forgiven: context.now });
  } else if (before.removed || JSON.stringify(before.wish) !== JSON.stringify(wish)) {
    draft.putFleet({ ...before, wish, removed: false, pace: 1, forgiven: context.now });
  }
  if (before?.source === source && before.triggers !== triggers) {
    const { triggers: _old, ...fleet } = draft.fleets.get(name) ?? before;
    draft.putFleet({ ...fleet, ...fired });
    renewAll(draft, name);
  }
}

const NEW_FLEET = { born: false, birth: null, paused: false, pace: 1, reasons: [] };

/** Stores all that one source asks for. A fleet that it named before and names no more drains. */
export function declareAll(
  draft: Draft,
  source: string,
  declarations: readonly FleetDeclaration[],
  context: Context,
): void {
  renameAll(draft, declarations, context);
  for (const declaration of declarations) declareFleet(draft, declaration, context);
  const named = new Set(declarations.map(({ name }) => name));
  for (const fleet of draft.fleets.values()) {
    if (!named.has(fleet.name)) removeFleet(draft, fleet.name, source);
  }
}

/**
 * Renames come before declarations, in any order: a name that one fleet leaves may be the new name of
 * another, or of a new fleet. Declared first, a new fleet would be taken for the one that is to be renamed.
 */
function renameAll(draft: Draft, declarations: readonly FleetDeclaration[], context: Context): void {
  const left = new Set(declarations);
  let renamed: boolean;
  do {
    renamed = false;
    for (const declaration of left) {
      if (!renameFleet(draft, declaration, context)) continue;
      left.delete(declaration);
      renamed = true;
    }
  } while (renamed);
}

/**
 * Lets a fleet file that was moved keep its fleets: takes those that it names from sources that are gone.
 * Else nobody could ever declare, change or remove them again.
 */
export function inherit(
  draft: Draft,
  declarations: readonly FleetDeclaration[],
  isGone: (source: string) => boolean,
): void {
  for (const { name, previousName, source } of declarations) {
    for (const fleet of [draft.fleets.get(name), draft.fleets.get(previousName ?? name)]) {
      if (fleet && fleet.source !== source && isGone(fleet.source)) draft.putFleet({ ...fleet, source });
    }
  }
}

/** Removes a fleet that its source no longer wants: it drains, and its row stays until nothing is left. */
export function removeFleet(draft: Draft, name: string, source: string): void {
  const fleet = draft.fleets.get(name);
  if (!fleet || fleet.removed || fleet.source !== source) return;
  draft.putFleet({ ...fleet, removed: true });
}

/**
 * The Pulumi resource of this source is deleted. The host of a killed engine may still be about to declare
 * it, and nothing would hold what that launches. A resource that is made again has a new source.
 */
export function retire(draft: Draft, source: string): void {
  const { retired = [] } = draft.account;
  if (retired.includes(source)) return;
  draft.putAccount({ ...draft.account, retired: [...retired, source].slice(-MOST_RETIRED) });
}

/** A bound, as the account's row is written at every list. No such host outlives so many deletions. */
const MOST_RETIRED = 100;

/** False: there is nothing to rename, or another fleet still has the new name. */
export function renameFleet(
  draft: Draft,
  { name, previousName, source }: Omit<FleetDeclaration, "wish">,
  context: Context,
): boolean {
  const old = previousName === undefined ? undefined : draft.fleets.get(previousName);
  const there = draft.fleets.get(name);
  if (!old || old.name === name || old.source !== source || isOver(draft, old)) return false;
  // A fleet that is over may hold the name, as after a rename there and back: that must not rent all again.
  if (there && !isOver(draft, there)) return false;
  const owner = fleetOwner(name);
  draft.recallAll(fleetOwner(old.name));
  for (const row of draft.deployments.values()) {
    if (row.owner === fleetOwner(old.name))
      draft.moveDeployment("passOn", { ...row, owner, ...(row.renew === undefined ? {} : { renew: owner }) });
  }
  for (const intent of draft.intents.values()) {
    if (intent.owner === fleetOwner(old.name)) draft.putIntent({ ...intent, owner });
  }
  // Its history goes with it: a fleet that takes the old name later begins anew.
  draft.putFleet({ name: old.name, source, wish: old.wish, ...NEW_FLEET, removed: true });
  note(draft, context, "renamed", `${old.name} is now ${name}`, { owner });
  draft.putFleet({ ...old, name, removed: false });
  return true;
}

/** True if it was removed, and nothing of it lives or may live. */
export function isOver(draft: Draft, { name, removed }: FleetRow): boolean {
  const owner = fleetOwner(name);
  return removed && livingOf(draft, owner).length === 0 && unresolvedOf(draft, owner).length === 0;
}
