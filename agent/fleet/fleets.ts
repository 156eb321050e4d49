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
  refuseOwned(draft, before, source);
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

/** Throws CONFIG if the fleet is another source's. */
function refuseOwned(draft: Draft, fleet: FleetRow | undefined, source: string): void {
  if (!fleet || fleet.source === source || isOver(draft, fleet)) return;
  throw new FleetkeeperError(
    "CONFIG",
    `fleet ${fleet.name}: ${fleet.source} has declared this name in the same ledger already. Two owners would stop each ` +
      `other's machines: choose another name, or remove it there first.${ifMoved(fleet.source, source)}`,
  );
}

/** No disk says it where the other file may be another host's. */
function ifMoved(before: string, source: string): string {
  if (![before, source].every((each) => each.startsWith("file:"))) return "";
  const path = before.slice("file:".length);
  return ` If this is the same file, moved, write beside fleets, before it has declared any: previousPath: ${path}`;
}

const NEW_FLEET = { born: false, birth: null, paused: false, pace: 1, reasons: [] };

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

/**
 * False: there is nothing to rename, or another fleet still has the new name. A fleet of a source that is gone becomes
 * this source's, and only by a rename that happens: its name may stay in a file for good.
 */
export function renameFleet(
  draft: Draft,
  { name, previousName, source }: Omit<FleetDeclaration, "wish">,
  context: Context,
  isGone: (source: string) => boolean = () => false,
): boolean {
  const old = previousName === undefined ? undefined : draft.fleets.get(previousName);
  const there = draft.fleets.get(name);
  if (!old || old.name === name || isOver(draft, old)) return false;
  if (old.source !== source && !isGone(old.source)) return false;
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
  draft.putFleet({ ...old, name, source, removed: false });
  return true;
}

/** True if it was removed, and nothing of it lives or may live. */
export function isOver(draft: Draft, { name, removed }: FleetRow): boolean {
  const owner = fleetOwner(name);
  return removed && livingOf(draft, owner).length === 0 && unresolvedOf(draft, owner).length === 0;
}
