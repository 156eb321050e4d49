import { isCandidate, isUnmarked } from "../../../launch/claim/candidates.ts";
import { otherLedgerOf } from "../../../launch/claim/groups.ts";
import { isBilled } from "../../../launch/ends/unnamed-state.ts";
import { type Context, knowledgeOf } from "../../../launch/facts/context.ts";
import { note } from "../../../launch/facts/events.ts";
import { labelsOfOwner } from "../../../launch/facts/labels.ts";
import { unaccounted } from "../../../launch/facts/occupancy.ts";
import { namelessText } from "../../../launch/machine/unread.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { elapsed, type Instant, isLater } from "../../../ledger/instant.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow, FleetRow, IntentRow } from "../../../ledger/rows.ts";
import { type Combination, combinationText } from "../../../service/contract/contract.ts";
import { parsePrice } from "../../../service/contract/money.ts";
import type { Offer } from "../../../service/contract/service.ts";
import { fleetPhase } from "../../fleet/phase/fleet-phase.ts";
import { andMore } from "../../fleet/text/text.ts";
import type { Wish } from "../../fleet/wish/wish.ts";
import { fitting } from "../choices/options.ts";
import { whyMisplaced } from "../choices/placement.ts";
import { isCheap } from "../count/buffer.ts";
import { bufferRoom, count } from "../count/count.ts";
import { wishInForce } from "../count/wish-in-force.ts";
import type { Option } from "../mix/mix.ts";

/**
 * Match first (rule 10 of docs/how/protocol.md): a fleet rents nothing before two full lists agree on what is
 * there. They are as far apart as two lists that show a machine to be gone: what both lack is believed to be
 * absent. So a lost ledger or an agent that moved finds its machines again instead of paying for them twice.
 *
 * On an exclusive account unclaimed machines that fit are taken, whatever `match` says. On a shared one the
 * fleet waits until each is adopted or disowned, unless it says `match: none`. A machine also makes the fleet
 * wait while it is not known whether it fits: a field that no launch under this profile has shown back may be
 * read from the wrong place, so a machine that it excludes may be ours.
 */
export function adoptInitially(
  draft: Draft,
  fleet: FleetRow,
  list: Instant,
  offers: readonly Offer[] | undefined,
  context: Context,
): void {
  // A drained fleet would take machines only to stop them: whose they are is for a person to say.
  if (fleet.born || fleetPhase(draft, fleet, context).kind === "drained") return;
  const wish = wishInForce(draft, fleet, context);
  const ids = idsOf(present(draft));
  const { birth: first } = fleet;
  // A new machine was seen only once, so the looks begin anew. One that left the list does not matter.
  const seen = new Set(first?.ids);
  if (first === null || !ids.every((id) => seen.has(id))) {
    draft.putFleet({ ...fleet, birth: { begun: list, ids } });
    return;
  }
  if (!isLater(list, first.begun) || untilSecondList(draft, fleet, list, context) > 0) return;
  if (draft.account.tenure === "exclusive" && openLaunch(draft) === undefined)
    takeWhatFits(draft, fleet, present(draft), wish, offers, context);
  if (initialAdoptionHold(draft, wish, offers, context) !== undefined) return;
  draft.putFleet({ ...fleet, born: true, birth: null });
}

/**
 * On an exclusive account a fleet takes a fitting machine that nobody here answers for before it rents one: a
 * ledger from a backup does not know the launches since then. A machine that an open launch may have made is
 * left to that launch. The fleet goes on renting beside launches that lists can tell apart.
 */
export function matchFurther(
  draft: Draft,
  fleet: FleetRow,
  offers: readonly Offer[] | undefined,
  context: Context,
): void {
  if (!fleet.born || draft.account.tenure !== "exclusive") return;
  if (fleetPhase(draft, fleet, context).kind !== "kept") return;
  if (count(draft, fleet, context).missing <= 0 && bufferRoom(draft, fleet, context) <= 0) return;
  const rows = present(draft).filter((row) => !mayBeLaunching(draft, row, context));
  takeWhatFits(draft, fleet, rows, wishInForce(draft, fleet, context), offers, context);
}

/** True if an open launch may have made this machine, or if the machine may still show that it did. */
function mayBeLaunching(draft: Draft, row: DeploymentRow, context: Context): boolean {
  const nobodys: DeploymentRow = { ...row, claim: null };
  return draft.intents
    .of("state", "open")
    .some((open) => isCandidate(draft, nobodys, open, context) || isUnmarked(draft, nobodys, open, context));
}

/**
 * Milliseconds from `now` until a list may be the second look of a new fleet. 0 where lists were read for as
 * long already, as by an agent that runs while a fleet is added.
 */
export function untilSecondList(
  { account }: Draft,
  { birth: first }: FleetRow,
  now: Instant,
  { settings }: Context,
): number {
  const looks = [first?.begun, account.watched].filter((look) => look !== undefined);
  return Math.max(0, settings.gone - Math.max(0, ...looks.map((look) => elapsed(look, now))));
}

/**
 * The fleets whose second look is still to come, on an exclusive account: they may take what runs there, so
 * nobody has to judge it yet.
 */
export function matchingFleets(draft: Draft, context: Context): readonly string[] {
  const { tenure, list } = draft.account;
  if (tenure !== "exclusive") return [];
  return [...draft.fleets.values()]
    .filter((fleet) => !fleet.born && fleetPhase(draft, fleet, context).kind !== "drained")
    .filter(({ birth, ...fleet }) => {
      if (birth === null || list === null || !isLater(list, birth.begun)) return true;
      return untilSecondList(draft, { ...fleet, birth }, list, context) > 0;
    })
    .map(({ name }) => name);
}

/** Why a fleet is not born although two lists agree, for people; undefined: nothing prevents it. */
export function initialAdoptionHold(
  draft: Draft,
  wish: Wish,
  offers: readonly Offer[] | undefined,
  context: Context,
): string | undefined {
  const there = present(draft);
  const { tenure } = draft.account;
  const nameless = namelessText(draft.account);
  if (wish.match === "none" && tenure !== "exclusive") return undefined;
  if (nameless !== undefined) return nameless;
  if (there.length === 0) return undefined;
  if (tenure === "unstated") {
    return (
      `${named(there)} run in this account, and nobody has said whether it is exclusive (nobody else launches or stops there) or ` +
      "shared. State it: fleetkeeper:account (in a stack), service.account in the fleet file, or FLEETKEEPER_ACCOUNT"
    );
  }
  if (tenure === "shared") {
    return (
      `${named(there)} run in this shared account, and nobody here answers for them: fleetkeeper adopt or disown each ` +
      "(or set match: none), so that none is paid for twice"
    );
  }
  const open = openLaunch(draft);
  if (open)
    return `a launch of ${combinationText(open)} is not resolved yet, and one of ${named(there)} may be its machine`;
  const unread = there.filter((row) => row.flaw?.setAside);
  if (unread.length > 0) {
    return (
      `the records of ${named(unread)} cannot be read (${unread[0]?.flaw?.why}), and each may belong to this fleet: ` +
      "fleetkeeper adopt or disown each, so that none is paid for twice"
    );
  }
  const unnamed = there.filter((row) => !isBilled(row.status, context));
  if (unnamed.length > 0) {
    return (
      `${named(unnamed)} may be over or may be running: neither the specification nor the profile names that state. Add it to ` +
      'deployments.states in the profile ("terminal" if it is an end), or fleetkeeper disown'
    );
  }
  const doubtful = there.filter((row) => optionOf(draft, row, wish, offers, context) === undefined);
  if (doubtful.length === 0) return undefined;
  if (wish.select && offers === undefined) {
    return `${named(doubtful)} run already, and without the offers nobody can say whether they fit this fleet`;
  }
  return (
    `${named(doubtful)} run already, and nobody can say whether they belong to this fleet: fleetkeeper adopt or disown each, so that ` +
    "none is paid for twice. Offer, provider and location are not shown, or are not as asked for, and no launch has proven " +
    "yet that the profile reads them right"
  );
}

/**
 * As if a second list had just agreed with the newest one: what fits is taken by new fleets, and by those that lack GPUs. For
 * previews, on a draft that is never stored.
 */
export function foreseeAdoption(draft: Draft, offers: readonly Offer[] | undefined, context: Context): void {
  const { list, doubt } = draft.account;
  for (const fleet of draft.fleets.values()) {
    if (!list || doubt || fleet.removed) continue;
    if (fleet.born) matchFurther(draft, fleet, offers, context);
    else
      adoptInitially(draft, draft.putFleet({ ...fleet, birth: presentOnes(draft) }), list, offers, context);
  }
}

/** The first look that a preview stores: it shows what is there now, and is older than every list. */
function presentOnes(draft: Draft): FleetRow["birth"] {
  return { begun: { wall: 0, mono: 0, boot: "" }, ids: idsOf(present(draft)) };
}

function takeWhatFits(
  draft: Draft,
  fleet: FleetRow,
  rows: readonly DeploymentRow[],
  wish: Wish,
  offers: readonly Offer[] | undefined,
  context: Context,
): void {
  const { live, stopping } = count(draft, fleet, context);
  const most = wish.gpus + wish.overshoot;
  // As for a launch: a machine that is stopping takes room, and only surge makes up for it.
  let room = Math.min(most - live, most + wish.surge - live - stopping);
  // Where a machine stands matters only beside those that were taken before it, which are counted anew.
  const isMisplaced = (option: Option): boolean =>
    wish.placement !== "any" && whyMisplaced(draft, fleet, option, context) !== undefined;
  let withBuffer = bufferRoom(draft, fleet, context);
  const fit = rows.flatMap((row) => {
    const option = isBilled(row.status, context) ? optionOf(draft, row, wish, offers, context) : undefined;
    if (!option) return [];
    const price = parsePrice(row.pricePerHour) ?? option.pricePerHour;
    return [{ row, option, mayBuffer: isCheap(wish, price, option.gpus) }];
  });
  // What is too dear for the buffer has its place among those that are asked for.
  fit.sort((one, other) => Number(one.mayBuffer) - Number(other.mayBuffer));
  for (const { row, option, mayBuffer } of fit) {
    if (option.gpus > (mayBuffer ? Math.max(room, withBuffer) : room) || isMisplaced(option)) continue;
    room -= option.gpus;
    withBuffer -= option.gpus;
    take(draft, row, fleet, option, context);
  }
}

function present(draft: Draft): readonly DeploymentRow[] {
  return unaccounted(draft).filter((row) => row.status !== "stopping");
}

function idsOf(rows: readonly DeploymentRow[]): readonly string[] {
  return rows.map((row) => row.id).sort();
}

/** Two at most: reasons are cut where they are shown, and the remedy stands behind the names. */
function named(rows: readonly DeploymentRow[]): string {
  return andMore(
    rows.map((row) => `${row.id} (${row.status})`),
    2,
  );
}

function openLaunch(draft: Draft): IntentRow | undefined {
  return [...draft.intents.values()].find((intent) => intent.state === "open");
}

const FIELDS = ["offer", "provider", "location"] as const;

/** The option that this machine is of; null: it is surely of none; undefined: it cannot be told. */
function optionOf(
  draft: Draft,
  row: DeploymentRow,
  wish: Wish,
  offers: readonly Offer[] | undefined,
  context: Context,
): Option | null | undefined {
  const same = (one: Combination): boolean => FIELDS.every((field) => row[field] === one[field]);
  const found = fitting(wish, offers).find(same);
  if (found) return found;
  const { shown } = knowledgeOf(draft, context.wire.profileHash);
  const proven = (field: (typeof FIELDS)[number]): boolean =>
    shown.some((each) => each.startsWith(`${field}=`));
  const differs = (one: Combination): boolean =>
    FIELDS.some((field) => row[field] !== null && row[field] !== one[field] && proven(field));
  if (wish.candidates) return wish.candidates.every(differs) ? null : undefined;
  const { providers, locations } = wish.select ?? {};
  if (row.provider !== null && proven("provider") && providers && !providers.includes(row.provider))
    return null;
  if (row.location !== null && proven("location") && locations && !locations.includes(row.location))
    return null;
  // An unlisted offer may be sold out, maybe to us: only a listed one that does not fit excludes it.
  return FIELDS.every(proven) && offers?.some(same) ? null : undefined;
}

/**
 * A price that is not shown is taken from the option: a machine without one would be in no budget. The
 * option's GPUs are expected: another number, shown now or later, is doubted as that of a launch is.
 */
function take(draft: Draft, row: DeploymentRow, fleet: FleetRow, option: Option, context: Context): void {
  const owner = fleetOwner(fleet.name);
  const other = otherLedgerOf(row, context.ledger);
  draft.moveDeployment("take", {
    ...row,
    claim: "certain",
    owner,
    claimed: context.now,
    labels: labelsOfOwner(draft, owner),
    expectedGpus: option.gpus,
    pricePerHour: row.pricePerHour ?? option.pricePerHour?.toFixed() ?? null,
  });
  const taken = `${row.id} was there already and is taken into the fleet ${fleet.name}`;
  note(draft, context, "adopted", taken, { owner, deployment: row.id });
  if (other === undefined) return;
  note(draft, context, "disputed", otherLedgerText([row.id], other), { owner, deployment: row.id });
}

/** What it means that a fleet takes machines of another ledger, and what to do. */
export function otherLedgerText(ids: readonly string[], ledger: string): string {
  const [these, cost, them] =
    ids.length === 1 ? ["this machine", "it costs", "it"] : ["these machines", "they cost", "them"];
  return (
    `another ledger, ${ledger}, launched ${andMore(ids)}. If that ledger is still in use, this account is not exclusive: both keep ` +
    `${these}, both budgets count what ${cost}, and either ledger may stop ${them} under the other. Then use that ledger here, ` +
    "or call the account shared. If that ledger is lost, nothing is wrong"
  );
}
