import type { Context } from "../../../launch/facts/context.ts";
import { note } from "../../../launch/facts/events.ts";
import { claimedBy, livingOf } from "../../../launch/facts/occupancy.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { ago, elapsed, type Instant, isBefore, MINUTE_MS } from "../../../ledger/instant.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow, FleetRow, UpdatingRow } from "../../../ledger/rows.ts";
import { milliseconds } from "../../../service/text/duration.ts";
import { stopAhead } from "../../fleet/wish/before-stop-wish.ts";
import type { Wish } from "../../fleet/wish/wish.ts";
import { wishInForce } from "../count/wish-in-force.ts";
import { olderOf } from "./older-wish.ts";
import { checksMs } from "./readiness.ts";

/* The replacement of machines by those of the present wish, or by younger ones, in the ledger: see docs/how/update.md. */

const WITHIN_MS = 20 * MINUTE_MS;

/** What a plan says of it. */
export type UpdateNews =
  | { readonly begins: Omit<UpdatingRow, "begun"> }
  | {
      readonly begins?: undefined;
      /** Why it failed: what came was not ready in time. Undefined: it did not. */
      readonly failed?: string | undefined;
    };

/** Stores that machines begin to be replaced, or that it is over; and tells a failure. */
export function storeUpdate(draft: Draft, name: string, news: UpdateNews, context: Context): void {
  const fleet = draft.fleets.get(name);
  if (!fleet) return;
  if (news.begins) {
    draft.putFleet({ ...fleet, updating: { ...news.begins, begun: context.now } });
    return;
  }
  const { updating, ...rest } = fleet;
  const { failed } = news;
  const { update } = wishInForce(draft, fleet, context);
  // Each try pays for a first hour. Nobody waits for a younger machine: for its age none is tried again.
  const isHeld = failed !== undefined && (updating?.by === "age" || update?.pauseOnFailure !== false);
  draft.putFleet(isHeld ? { ...rest, updateHeld: { since: context.now.wall, why: failed } } : rest);
  if (failed === undefined) return;
  const then = isHeld
    ? `nothing more is replaced until another declaration or fleetkeeper resume ${name}`
    : "the next try follows";
  note(draft, context, "updateFailed", `${name}: ${failed}; ${then}`, { owner: fleetOwner(name) });
}

/** Machines launched since then that the service calls failed. */
export function failedSince(
  draft: Draft,
  { name }: FleetRow,
  begun: Instant,
  { now }: Context,
): readonly DeploymentRow[] {
  return claimedBy(draft, fleetOwner(name)).filter((row) => {
    const launched = draft.intents.ever(row.intent ?? "");
    return row.end === "failed" && launched !== undefined && !isBefore(launched.stamped, begun, now);
  });
}

/** True if its time is over. It counts while lists are read: an agent that was away made nothing ready. */
export function isUpdateOverdue(
  { begun, ahead }: UpdatingRow,
  wish: Wish,
  watched: Instant | undefined,
  { now }: Context,
): boolean {
  // What goes first may run its beforeStop before.
  const most = withinMs(wish) + (ahead > 0 ? 0 : stopAhead(wish));
  return [begun, watched ?? begun].every((since) => ago(since, now) > most);
}

function withinMs({ update, setup, ready }: Wish): number {
  if (update?.within !== undefined) return milliseconds(update.within);
  return WITHIN_MS + checksMs({ setup, ready });
}

/** Its machines that are older than `maxAge`, the oldest first, without those that somebody has asked to stop. */
export function agedOf(draft: Draft, fleet: FleetRow, context: Context): readonly DeploymentRow[] {
  const { maxAge } = wishInForce(draft, fleet, context);
  if (maxAge === undefined) return [];
  const most = milliseconds(maxAge);
  const since = (row: DeploymentRow): Instant =>
    draft.intents.ever(row.intent ?? "")?.stamped ?? row.firstSeen;
  return livingOf(draft, fleetOwner(fleet.name))
    .filter(
      (row) => row.stop === null && row.status !== "stopping" && elapsed(since(row), context.now) > most,
    )
    .sort((one, other) => since(one).wall - since(other).wall || one.sequence - other.sequence);
}

/** True while machines are being replaced, and where some may be. */
export function mayUpdate(draft: Draft, fleet: FleetRow, context: Context): boolean {
  if (fleet.updating) return true;
  if (fleet.updateHeld || fleet.part) return false;
  const { update } = wishInForce(draft, fleet, context);
  return (
    (update !== undefined && olderOf(draft, fleet, context).length > 0) ||
    agedOf(draft, fleet, context).length > 0
  );
}
