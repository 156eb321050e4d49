import type { Context } from "../../../launch/facts/context.ts";
import { note } from "../../../launch/facts/events.ts";
import { livingOf, unresolvedOf } from "../../../launch/facts/occupancy.ts";
import { billsOf, paidBy } from "../../../launch/money/spend.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { EarlierLives, FleetRow, WorkRow } from "../../../ledger/rows.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import { amountText, usdText, ZERO_USD } from "../../../service/contract/money.ts";
import type { Json } from "../../../service/contract/service.ts";
import { whyTooLate } from "../phase/check-doubts.ts";
import { type DeclaredPart, declaredPart, isSettled, withPart } from "../phase/part.ts";
import { renewAll } from "../phase/renewal-marks.ts";
import { unlowered } from "../size/lowered-count.ts";
import { rangeOf } from "../wish/size-range.ts";
import { parseWish, type Wish } from "../wish/wish.ts";
import { whyImpossible } from "../wish/work-wish.ts";
import { refuseByPolicy } from "./policies.ts";

export interface FleetDeclaration {
  readonly name: string;
  /** Who owns the name: `file:PATH` or `stack:URN`. */
  readonly source: string;
  readonly wish: Wish;
  /** Hash of the triggers: another one asks for other machines. Only a Pulumi `Fleet` has it. */
  readonly triggers?: string | undefined;
  /** The fleet's name before a rename: its machines stay its own. */
  readonly previousName?: string | undefined;
  /** It is a part of a fleet in several accounts, and `wish` is that of the whole. */
  readonly part?: DeclaredPart | undefined;
}

/**
 * Stores a fleet's wish, and says if a new life begins under a name that was paid for before. Throws CONFIG if another
 * source has the name, or if this source is retired.
 */
export function declareFleet(
  draft: Draft,
  { name, source, wish: asked, triggers, part: declared }: Omit<FleetDeclaration, "previousName">,
  context: Context,
): string | undefined {
  if (draft.account.retired?.includes(source)) {
    throw new FleetkeeperError(
      "CONFIG",
      `fleet ${name}: its resource, ${source}, was deleted, or is being deleted, so it is not declared any more. Run pulumi ` +
        "destroy to its end; the next pulumi up after that declares it anew.",
    );
  }
  if (asked.budget.floor !== undefined && hasNoBalance(context))
    throw new FleetkeeperError(
      "CONFIG",
      `fleet ${name}: budget.floor is ${asked.budget.floor}, and by the profile the service shows no balance (balance: { none: true }), so ` +
        "nothing could ever be launched above a floor: take budget.floor out. total, perDay and perHour need no balance.",
    );
  const wish = JSON.parse(JSON.stringify(asked)) as Json;
  const before = draft.fleets.get(name);
  const isChanged = JSON.stringify(before?.part?.whole ?? before?.wish) !== JSON.stringify(wish);
  // Of what was declared before, that moment may have come.
  if (isChanged) refuseTooLate(name, asked, before, context);
  if (isChanged || before?.removed) refuseByPolicy(draft, name, source, asked);
  refuseOwned(draft, before, source);
  const fired = triggers === undefined ? {} : { triggers };
  const mine = before?.source === source ? before : undefined;
  // What other parts have of it stays counted where it has one service again.
  const of = declared ?? (mine && !isSettled(mine) && mine.part ? { of: mine.part.of } : undefined);
  const put = (fleet: FleetRow): void => {
    const { part: _old, ...alone } = fleet;
    draft.putFleet(of ? withPart(alone, declaredPart(of, wish, mine)) : alone);
  };
  if (!mine) {
    const earlier = earlierOf(draft, name, source, context);
    const born = { ...NEW_FLEET, removed: false, forgiven: context.now };
    put({ name, source, wish, ...fired, ...born, ...earlier });
  } else if (mine.removed || isOther(mine, wish, of)) {
    const {
      improving: _move,
      updating: _update,
      updateHeld: _held,
      metric,
      ask,
      whole,
      work,
      ...anew
    } = unlowered(mine);
    // Its size goes on from there, whatever else is asked now.
    const goesOn = metric && asked.metric && !mine.removed;
    // What was removed and is declared again lives anew, and so does what had no life before.
    const isSameLife = !mine.removed && parseWish(mine.wish).life !== undefined && asked.life !== undefined;
    const lived = isSameLife && whole !== undefined ? { whole } : {};
    // A person's number goes on within the range that is declared now.
    const isAsked = ask && rangeOf(asked) && !asked.work && !mine.removed;
    const kept = {
      ...(goesOn && { metric }),
      ...(isAsked && { ask }),
      ...lived,
      ...(work && asked.work && !mine.removed && { work: workGoingOn(work) }),
    };
    put({ ...anew, ...kept, wish, removed: false, pace: 1, forgiven: context.now });
  }
  if (before?.source === source && before.triggers !== triggers) {
    const { triggers: _old, ...fleet } = draft.fleets.get(name) ?? before;
    draft.putFleet({ ...fleet, ...fired });
    renewAll(draft, name);
  }
  const now = draft.fleets.get(name);
  return now && before?.source !== source ? lifeText(now, draft.account.currency) : undefined;
}

/** What another declaration leaves of work: all that is done. Another deadline alone has nothing done twice. */
function workGoingOn({ late: _late, over, ...work }: WorkRow): WorkRow {
  return over === "done" ? { ...work, over } : work;
}

function refuseTooLate(name: string, wish: Wish, before: FleetRow | undefined, context: Context): void {
  // Of work that began before, some may be done.
  const late = whyTooLate(wish, context) ?? (before?.work ? undefined : whyImpossible(wish, context));
  if (late) throw new FleetkeeperError("CONFIG", `fleet ${name}: ${late.why}. ${late.remedy}.`);
}

function isOther({ wish: before, part }: FleetRow, wish: Json, of: DeclaredPart | undefined): boolean {
  const had = part && [part.of, part.atLeast, part.service, part.leaving === "declaration"];
  const has = of && [of.of, of.atLeast, of.service, of.leaves === true];
  return JSON.stringify([part?.whole ?? before, had]) !== JSON.stringify([wish, has]);
}

export function hasNoBalance({ wire }: Context): boolean {
  return wire.abilities.balance === false;
}

/** What others, and the same stack's resources before, paid under this name: the new life's total begins at 0. */
function earlierOf(
  draft: Draft,
  name: string,
  source: string,
  context: Context,
): { readonly earlier: EarlierLives } | undefined {
  const before = draft.fleets.get(name);
  const paid = paidUnder(draft, name, context);
  if (paid === "0") return undefined;
  const isSame = before !== undefined && stackOf(before.source) === stackOf(source);
  const others = isSame ? (before.earlier?.name ?? "0") : paid;
  return { earlier: { life: paid, name: others, since: context.now.wall } };
}

function paidUnder(draft: Draft, name: string, context: Context): string {
  const owner = fleetOwner(name);
  return paidBy(draft, owner, billsOf(draft, owner, context)).toFixed();
}

/** PROJECT/STACK of a resource's source, `stack:PROJECT/STACK/NAME#ID`. A file's source is its own. */
function stackOf(source: string): string {
  return source.startsWith("stack:") ? source.split("/").slice(0, 2).join("/") : source;
}

/** Says what a fleet that was declared just now counts, where its name was paid for before. */
function lifeText({ wish, earlier }: FleetRow, currency: string | undefined): string | undefined {
  const { total, totalOf = "life" } = parseWish(wish).budget;
  if (total === undefined || earlier === undefined) return undefined;
  const paid = ZERO_USD.plus(earlier.life);
  return (
    `a new life: budget.total counts from ${usdText(paid.minus(earlier[totalOf]))}; ${amountText(paid, currency)} were paid for by earlier lives ` +
    `under its name in this ledger${totalOf === "name" ? "" : " (totalOf: name counts those of this stack or file)"}`
  );
}

/** Throws CONFIG if the fleet is another source's. */
export function refuseOwned(draft: Draft, fleet: FleetRow | undefined, source: string): void {
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
 * Nothing is renamed where another fleet still has the new name. A fleet of a source that is gone becomes
 * this source's, and only by a rename that happens: its name may stay in a file for good.
 */
export function renameFleet(
  draft: Draft,
  { name, previousName, source }: Omit<FleetDeclaration, "wish">,
  context: Context,
  isGone: (source: string) => boolean = () => false,
): "renamed" | "unchanged" {
  const old = previousName === undefined ? undefined : draft.fleets.get(previousName);
  const taken = draft.fleets.get(name);
  if (!old || old.name === name || isOver(draft, old)) return "unchanged";
  if (old.source !== source && !isGone(old.source)) return "unchanged";
  // A fleet that is over may hold the name, as after a rename there and back: that must not rent all again.
  if (taken && !isOver(draft, taken)) return "unchanged";
  // What others paid under the new name is no part of this fleet's total.
  const there = paidUnder(draft, name, context);
  const owner = fleetOwner(name);
  draft.recallAll(fleetOwner(old.name));
  for (const row of draft.deployments.values()) {
    if (row.owner === fleetOwner(old.name))
      draft.moveDeployment("passOn", { ...row, owner, ...(row.renew === undefined ? {} : { renew: owner }) });
  }
  for (const intent of draft.intents.values()) {
    if (intent.owner === fleetOwner(old.name)) draft.putIntent({ ...intent, owner });
  }
  const { earlier = { life: "0", name: "0", since: 0 } } = old;
  const more = (usd: string): string => ZERO_USD.plus(usd).plus(there).toFixed();
  // Its history goes with it: a fleet that takes the old name later begins anew.
  draft.putFleet({ name: old.name, source, wish: old.wish, ...NEW_FLEET, removed: true });
  note(draft, context, "renamed", `${old.name} is now ${name}`, { owner });
  const life = { life: more(earlier.life), name: more(earlier.name), since: context.now.wall };
  draft.putFleet({ ...old, name, source, removed: false, ...(there === "0" ? {} : { earlier: life }) });
  return "renamed";
}

/** True if it was removed, nothing of it lives or may live, and no other part has something of it. */
export function isOver(draft: Draft, fleet: FleetRow): boolean {
  const owner = fleetOwner(fleet.name);
  const isEmpty = livingOf(draft, owner).length === 0 && unresolvedOf(draft, owner).length === 0;
  return fleet.removed && isEmpty && isSettled(fleet);
}
