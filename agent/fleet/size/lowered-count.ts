import type { Context } from "../../../launch/facts/context.ts";
import { note } from "../../../launch/facts/events.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow, FleetRow } from "../../../ledger/rows.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import { amountText } from "../../../service/contract/money.ts";
import { hourly } from "../money/money.ts";
import { fleetNamed } from "../phase/fleet-orders.ts";
import { rangeOfWhole } from "../phase/part.ts";
import { gpusAre, gpusText } from "../text/text.ts";
import { askedAt, nextRise } from "../wish/schedule.ts";
import { rangeOf } from "../wish/size-range.ts";
import { parseWish } from "../wish/wish.ts";
import { askedNow, scheduleOf } from "./asked-size.ts";
import { askedByPerson } from "./person-ask.ts";

/*
 * A machine is given back, and its fleet wants so many GPUs less from the same transaction on: nothing is rented in its
 * place. The declaration stays what it is. Its whole count is wanted again after `fleetkeeper wake NAME`, with another
 * declaration, or once its schedule, its metric or a person asks for more.
 */

/** What is asked for without what was given back. What a schedule, a metric or a person asks for since then may be less, but not more. */
export function countInForce(fleet: FleetRow, context: Context): number {
  const asked = askedNow(fleet, context);
  const { lowered = 0, loweredAt, loweredFrom } = fleet;
  const schedule = scheduleOf(fleet, context);
  if (lowered === 0 || hasWoken(fleet, context)) return asked;
  const then = schedule && loweredAt !== undefined ? askedAt(schedule, loweredAt).gpus : asked;
  return Math.max(0, Math.min(asked, (loweredFrom ?? then) - lowered));
}

/** True if its schedule asks for more since machines were given back: a window that begins is a new wish. */
function hasWoken(fleet: FleetRow, context: Context): boolean {
  const schedule = scheduleOf(fleet, context);
  const { loweredAt } = fleet;
  if (!schedule || loweredAt === undefined) return false;
  return (nextRise(schedule, loweredAt) ?? Number.POSITIVE_INFINITY) <= context.now.wall;
}

/** Forgets what was given back once a window of its schedule has begun since, and says so. */
export function storeWoken(draft: Draft, fleet: FleetRow, context: Context): void {
  if (fleet.lowered === undefined || !hasWoken(fleet, context)) return;
  draft.putFleet(unlowered(fleet));
  const text = `${fleet.name} wants its ${gpusText(askedNow(fleet, context))} again: its schedule asks for more`;
  note(draft, context, "resumed", text, { owner: fleetOwner(fleet.name) });
}

export function unlowered({
  lowered: _lowered,
  loweredAt: _at,
  loweredFrom: _from,
  idled: _idled,
  ...fleet
}: FleetRow): FleetRow {
  return fleet;
}

/** It wants so many GPUs less. Throws CONFIG if it wants all or nothing, if nobody knows how many (0), or if there is no such fleet. */
export function lowerCount(draft: Draft, name: string, gpus: number, context: Context): void {
  const fleet = fleetNamed(draft, name);
  const wish = parseWish(fleet.wish);
  const { allOrNothing, schedule, work } = wish;
  const [asked, wanted] = [askedNow(fleet, context), countInForce(fleet, context)];
  if (gpus === 0)
    throw new FleetkeeperError(
      "CONFIG",
      `fleet ${name}: nobody knows how many GPUs the machine has, so the count cannot be lowered by them, and another one would be rented in its place. Say how many: fleetkeeper adopt ID --fleet ${name} --gpus COUNT.`,
    );
  if (work)
    throw new FleetkeeperError(
      "CONFIG",
      `fleet ${name} has work to be done by ${work.by}, which says how many GPUs it wants, so nothing can be given back: lower its gpus, or fleetkeeper drain ${name}.`,
    );
  // All of it is no part.
  if (allOrNothing && gpus < wanted)
    throw new FleetkeeperError(
      "CONFIG",
      `fleet ${name} wants all of its GPUs or none (allOrNothing), so no part of it can be given back: lower its gpus, or fleetkeeper drain ${name}.`,
    );
  const range = rangeOf(wish);
  const min = range?.min ?? 0;
  const { part } = fleet;
  const least = part ? (rangeOfWhole(part)?.min ?? 0) : 0;
  if (least > 0)
    throw new FleetkeeperError(
      "CONFIG",
      `fleet ${name}: ${part?.of} keeps at least ${least} GPUs by its gpus.min over all its services, and one account does not see what the others have, so nothing can be given back: lower gpus.min first.`,
    );
  if (min > 0 && wanted - gpus < min)
    throw new FleetkeeperError(
      "CONFIG",
      `fleet ${name} wants ${gpusText(wanted)}, and keeps at least ${min} by its gpus.min, so ${gpus} cannot be given back: lower gpus.min first.`,
    );
  const lowered = draft.putFleet({
    ...fleet,
    lowered: Math.min(asked, asked - wanted + gpus),
    ...((schedule || part) && { loweredAt: context.now.wall }),
    // Where another number may be asked for later, what is left is not less because of that. A part's share moves.
    ...(range && !part && { loweredFrom: asked }),
  });
  note(draft, context, "lowered", loweredText(lowered, context, draft.account.currency) ?? "", {
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
  const { idled = { gpus: 0, price: "0" } } = hasWoken(fleet, context) ? unlowered(fleet) : fleet;
  const price = hourly(draft, rows).perHour.plus(idled.price).toFixed();
  draft.putFleet({ ...fleet, idled: { gpus: idled.gpus + gpus, price } });
  lowerCount(draft, name, gpus, context);
}

/** It wants all that it declares again. */
export function wakeFleet(draft: Draft, name: string, context: Context): "raised" | "unchanged" {
  const fleet = fleetNamed(draft, name);
  if (!fleet.lowered || hasWoken(fleet, context)) return "unchanged";
  draft.putFleet(unlowered(fleet));
  note(
    draft,
    context,
    "resumed",
    `${name} wants its ${gpusText(askedNow(fleet, context))} again, by an operator`,
    {
      owner: fleetOwner(name),
    },
  );
  return "raised";
}

/** For people; undefined: it wants what it declares. */
export function loweredText(
  fleet: FleetRow,
  context: Context,
  currency: string | undefined,
): string | undefined {
  const { idled } = fleet;
  if (!fleet.lowered || hasWoken(fleet, context)) return undefined;
  const { schedule, metric } = parseWish(fleet.wish);
  const [asks, or] =
    askedByPerson(fleet, context) !== undefined
      ? ["is asked for", "a person or a window that asks for more, or another declaration,"]
      : metric
        ? ["its metric asks for", "a metric that asks for more, or another declaration,"]
        : schedule
          ? ["its schedule asks for", "a window that asks for more, or another declaration,"]
          : ["it declares", "or another declaration,"];
  const saved = idled
    ? ` (${gpusText(idled.gpus)} as idle, which saves ${amountText(idled.price, currency)} an hour)`
    : "";
  return `${gpusAre(countInForce(fleet, context))} wanted of the ${askedNow(fleet, context)} that ${asks}, as machines were given back${saved}: fleetkeeper wake ${fleet.name}, ${or} asks for all again`;
}
