import type { Context } from "../launch/context.ts";
import { note } from "../launch/events.ts";
import type { Draft } from "../ledger/draft.ts";
import type { FleetRow } from "../ledger/rows.ts";
import { fleetOwner } from "./owner.ts";
import type { Wish } from "./wish.ts";
import { parseWish } from "./wish.ts";

/**
 * What is done for a fleet at this moment. Kept: machines are launched and stopped until its count is met. Paused: what
 * runs is kept, and nothing is launched or stopped. Drained: it wants nothing, and what certainly is its own is stopped.
 *
 * A deadline drains a paused fleet too: a pause says "leave it alone for now", and what people fear most is a machine
 * that they left alone and forgot.
 */
export type Standing =
  | { readonly kind: "kept" }
  | { readonly kind: "paused"; readonly why: string }
  | { readonly kind: "drained"; readonly by: "removal" | "operator" | "deadline"; readonly why: string };

/** The one place that says so; asked again in each transaction that writes a launch, and right before it is sent. */
export function standing(_draft: Draft, fleet: FleetRow, context: Context): Standing {
  if (fleet.removed) return { kind: "drained", by: "removal", why: "the fleet was removed" };
  if (fleet.drained?.by === "operator")
    return { kind: "drained", by: "operator", why: "an operator drains the fleet" };
  const wish = parseWish(fleet.wish);
  if (untilDeadline(wish, context) === 0)
    return { kind: "drained", by: "deadline", why: `the fleet's deadline, ${wish.until}, has passed` };
  if (fleet.paused) return { kind: "paused", why: "paused by an operator" };
  if (wish.paused) return { kind: "paused", why: "paused by its declaration" };
  return { kind: "kept" };
}

/** Why nothing may be launched for a fleet, whatever room it has. */
export function whyClosed(draft: Draft, name: string, context: Context): string | undefined {
  const fleet = draft.fleets.get(name);
  if (!fleet) return "there is no such fleet";
  const stands = standing(draft, fleet, context);
  return stands.kind === "kept" ? undefined : stands.why;
}

/** Milliseconds until the deadline, by the wall clock; 0 once it has passed, undefined without one. */
export function untilDeadline({ until }: Wish, { now }: Context): number | undefined {
  return until === undefined ? undefined : Math.max(0, Date.parse(until) - now.wall);
}

/**
 * Writes down that a fleet is drained by itself, or kept again, and tells it once. Called in the transaction that asks
 * for the stops.
 */
export function recordStanding(draft: Draft, fleet: FleetRow, context: Context): void {
  const now = standing(draft, fleet, context);
  const before = fleet.drained ?? null;
  const owner = fleetOwner(fleet.name);
  if (now.kind !== "drained") {
    if (before === null) return;
    draft.putFleet({ ...fleet, drained: null });
    note(draft, context, "resumed", `${fleet.name} is not drained any more`, { owner });
  } else if (now.by !== "removal" && now.by !== "operator") {
    const limit = parseWish(fleet.wish).until ?? null;
    if (before?.by === now.by && before.limit === limit) return;
    draft.putFleet({ ...fleet, drained: { by: now.by, since: context.now.wall, limit } });
    note(draft, context, "drained", `${fleet.name} is drained: ${now.why}`, { owner });
  }
}
