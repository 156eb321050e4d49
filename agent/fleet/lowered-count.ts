import type { Context } from "../../launch/facts/context.ts";
import { note } from "../../launch/facts/events.ts";
import type { Draft } from "../../ledger/draft.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import type { DeploymentRow, FleetRow } from "../../ledger/rows.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { amountText } from "../../service/contract/money.ts";
import { fleetNamed } from "./fleet-orders.ts";
import { hourly } from "./money.ts";
import { gpusAre, gpusText } from "./text.ts";
import { parseWish } from "./wish.ts";

/*
 * A machine is given back, and its fleet wants so many GPUs less from the same transaction on: nothing is rented in its
 * place. The declaration stays what it is. Its whole count is wanted again after `fleetkeeper wake NAME`, or with another
 * declaration.
 */

/** What a fleet wants by its declaration, without what was given back. */
export function countInForce({ wish, lowered = 0 }: FleetRow): number {
  return Math.max(0, parseWish(wish).gpus - lowered);
}

/** It wants so many GPUs less. Throws CONFIG if it wants all or nothing, if nobody knows how many (0), or if there is no such fleet. */
export function lowerCount(draft: Draft, name: string, gpus: number, context: Context): void {
  const fleet = fleetNamed(draft, name);
  const { allOrNothing, gpus: declared } = parseWish(fleet.wish);
  if (gpus === 0)
    throw new FleetkeeperError(
      "CONFIG",
      `fleet ${name}: nobody knows how many GPUs the machine has, so the count cannot be lowered by them, and another one would be rented in its place. Say how many: fleetkeeper adopt ID --fleet ${name} --gpus COUNT.`,
    );
  // All of it is no part.
  if (allOrNothing && gpus < countInForce(fleet))
    throw new FleetkeeperError(
      "CONFIG",
      `fleet ${name} wants all of its GPUs or none (allOrNothing), so no part of it can be given back: lower its gpus, or fleetkeeper drain ${name}.`,
    );
  const lowered = draft.putFleet({ ...fleet, lowered: Math.min(declared, (fleet.lowered ?? 0) + gpus) });
  note(draft, context, "lowered", loweredText(lowered, draft.account.currency) ?? "", {
    owner: fleetOwner(name),
  });
}

/** As {@link lowerCount}, of these machines, which are idle: what that saves is kept. */
export function lowerByIdle(
  draft: Draft,
  name: string,
  rows: readonly DeploymentRow[],
  gpus: number,
  context: Context,
): void {
  const fleet = fleetNamed(draft, name);
  const { idled = { gpus: 0, price: "0" } } = fleet;
  const price = hourly(draft, rows).perHour.plus(idled.price).toFixed();
  draft.putFleet({ ...fleet, idled: { gpus: idled.gpus + gpus, price } });
  lowerCount(draft, name, gpus, context);
}

/** It wants all that it declares again. */
export function wakeFleet(draft: Draft, name: string, context: Context): "raised" | "unchanged" {
  const { lowered, idled: _idled, ...fleet } = fleetNamed(draft, name);
  if (!lowered) return "unchanged";
  draft.putFleet(fleet);
  const { gpus } = parseWish(fleet.wish);
  note(draft, context, "resumed", `${name} wants its ${gpusText(gpus)} again, by an operator`, {
    owner: fleetOwner(name),
  });
  return "raised";
}

/** For people; undefined: it wants what it declares. */
export function loweredText(fleet: FleetRow, currency: string | undefined): string | undefined {
  const { idled } = fleet;
  if (!fleet.lowered) return undefined;
  const saved = idled
    ? ` (${gpusText(idled.gpus)} as idle, which saves ${amountText(idled.price, currency)} an hour)`
    : "";
  return `${gpusAre(countInForce(fleet))} wanted of the ${parseWish(fleet.wish).gpus} that it declares, as machines were given back${saved}: fleetkeeper wake ${fleet.name}, or another declaration, asks for all again`;
}
