import type { Context } from "../launch/context.ts";
import { note } from "../launch/events.ts";
import { unaccounted } from "../launch/occupancy.ts";
import type { Draft } from "../ledger/draft.ts";
import type { Instant } from "../ledger/instant.ts";
import { elapsed } from "../ledger/instant.ts";
import type { DeploymentRow, FleetRow } from "../ledger/rows.ts";
import { combinationKey } from "../service/contract.ts";
import type { Offer } from "../service/service.ts";
import type { Option } from "./mix.ts";
import { allowed } from "./options.ts";
import { fleetOwner } from "./plan.ts";
import { parseWish } from "./wish.ts";

/**
 * Match first: before a fleet rents anything, it looks for machines that are there already, in two agreeing full lists.
 * So a lost ledger or a daemon that moved finds its machines again instead of paying for them twice.
 *
 * On an exclusive account unclaimed machines that fit are taken. On a shared one the fleet waits until each was adopted
 * or disowned, unless it says `match: none`. A machine of which nobody can say whether it fits holds the fleet too.
 */
export function birth(
  draft: Draft,
  fleet: FleetRow,
  list: Instant,
  offers: readonly Offer[] | undefined,
  context: Context,
): void {
  if (fleet.born || fleet.removed) return;
  const wish = parseWish(fleet.wish);
  const there = present(draft);
  const ids = idsOf(there);
  const agree =
    fleet.birth !== null && elapsed(fleet.birth.begun, list) > 0 && fleet.birth.ids.join() === ids.join();
  if (!agree) {
    draft.putFleet({ ...fleet, birth: { begun: list, ids } });
    return;
  }
  if (wish.match !== "none" && there.length > 0) {
    if (draft.account.tenure !== "exclusive") return;
    if ([...draft.intents.values()].some((intent) => intent.state === "open")) return;
    const options = allowed(wish, offers);
    // A selector can only be held against offers that were read.
    if (wish.candidates === undefined && offers === undefined) return;
    const judged = there.map((row) => ({ row, option: optionOf(row, options) }));
    if (judged.some(({ option }) => option === undefined)) return;
    let room = wish.gpus + wish.overshoot;
    for (const { row, option } of judged) {
      if (!option) continue;
      const gpus = row.gpus ?? option.gpus;
      if (gpus > room) continue;
      room -= gpus;
      take(draft, row, fleet, gpus, context);
    }
  }
  draft.putFleet({ ...fleet, born: true, birth: null });
}

/** As a first look would have stored it: what is there now, seen before any later list. */
export function presentOnes(draft: Draft): FleetRow["birth"] {
  return { begun: { wall: 0, mono: 0, boot: "" }, ids: idsOf(present(draft)) };
}

function present(draft: Draft): readonly DeploymentRow[] {
  return unaccounted(draft).filter((row) => row.status !== "stopping");
}

function idsOf(rows: readonly DeploymentRow[]): readonly string[] {
  return rows.map((row) => row.id).sort();
}

/** The option that a machine was launched from; null: it is another one; undefined: nobody can say. */
function optionOf(row: DeploymentRow, options: readonly Option[]): Option | null | undefined {
  const { offer, provider, location } = row;
  if (offer === null || provider === null || location === null) return undefined;
  return (
    options.find((option) => combinationKey(option) === combinationKey({ offer, provider, location })) ?? null
  );
}

function take(draft: Draft, row: DeploymentRow, fleet: FleetRow, gpus: number, context: Context): void {
  const owner = fleetOwner(fleet.name);
  draft.putDeployment({ ...row, claim: "certain", owner, claimed: context.now, gpus });
  note(draft, context, "adopted", `${row.id} was there already and is taken into the fleet ${fleet.name}`, {
    owner,
    deployment: row.id,
  });
}
