import type { Context } from "../../../launch/facts/context.ts";
import { livingOf, unresolvedOf } from "../../../launch/facts/occupancy.ts";
import { diedYoung, midnight } from "../../../launch/money/budget.ts";
import { hourOf } from "../../../launch/money/price.ts";
import { billsOf, countedBy, paidBy, stopLead, sumOf, unpricedOf } from "../../../launch/money/spend.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { FleetRow, GrantRow, PartRow, Portion } from "../../../ledger/rows.ts";
import { type Usd, ZERO_USD } from "../../../service/contract/money.ts";
import {
  amountOf,
  combine,
  isNothing,
  type Limit,
  minus,
  portionOf,
  rangeOfWhole,
  withPart,
} from "../../fleet/phase/part.ts";
import { lessLowered } from "../../fleet/size/whole-size.ts";
import { stopAhead } from "../../fleet/wish/before-stop-wish.ts";
import { parseWish } from "../../fleet/wish/wish.ts";
import { gpusOf } from "../count/machine-gpus.ts";

/** What a part holds of its part, and so cannot give. */
export interface Held {
  /** Undefined: nobody knows how many a machine has. */
  readonly gpus: number | undefined;
  /** Undefined: a price is not known. */
  readonly money: Readonly<Record<Limit, Usd>> | undefined;
}

/**
 * Whatever may live or bill counts: machines that stop or that nobody sees, and launches without an outcome. So do GPUs
 * that were given back, until the part is removed: they are wanted nowhere. It asks no profile, so that any agent may ask it of any account.
 */
export function heldBy(draft: Draft, fleet: FleetRow, context: Context): Held {
  const owner = fleetOwner(fleet.name);
  const living = livingOf(draft, owner);
  const open = unresolvedOf(draft, owner);
  const gpus = living.map((row) => gpusOf(draft, row));
  const sum = [...gpus, ...open.map((intent) => intent.gpus)].reduce((total, each) => total + each, 0);
  const bills = billsOf(draft, owner, context);
  const wish = parseWish(fleet.wish);
  const ahead = billsOf(draft, owner, context, stopLead(context.settings) + stopAhead(wish));
  const hours = [...living, ...open].map((each) => hourOf(draft, each));
  const isPriced = hours.every((each) => each !== undefined) && unpricedOf(bills).length === 0;
  return {
    gpus: gpus.includes(0) ? undefined : sum + (fleet.removed ? 0 : (fleet.lowered ?? 0)),
    money: isPriced
      ? {
          perHour: hours.reduce<Usd>((total, each) => total.plus(each ?? ZERO_USD), ZERO_USD),
          perDay: paidBy(draft, owner, bills, midnight(context)),
          total: countedBy(draft, owner, ahead, wish.budget.totalOf),
          churn: sumOf(bills.filter((bill) => diedYoung(bill, context))),
        }
      : undefined,
  };
}

/**
 * Gives as much of an amount as is free here, in one transaction of the giver. With `evenHeld` also GPUs that are not: then
 * machines are too many here and are stopped, as a smaller whole or a drained service wants it. False: nothing is given.
 */
export function give(
  draft: Draft,
  name: string,
  { to, amount: asked }: Pick<GrantRow, "to" | "amount">,
  context: Context,
  evenHeld = false,
): boolean {
  const fleet = draft.fleets.get(name);
  if (!fleet?.part) return false;
  const { chosen: _over, ...part } = fleet.part;
  const amount = least(asked, freeOf(draft, fleet, part, context, evenHeld));
  if (isNothing(amount)) return false;
  const free = portionOf(fleet, part).gpus - (heldBy(draft, fleet, context).gpus ?? 0);
  const held = evenHeld ? Math.max(0, amount.gpus - Math.max(0, free)) : 0;
  const isLess = held > 0 && rangeOfWhole(part) !== undefined && !part.leaving;
  // By the clock, so that a part that begins anew gives none that was taken before.
  const sequence = Math.max((part.sent[to] ?? 0) + 1, context.now.wall);
  draft.putFleet(
    withPart(lessLowered(fleet, held), {
      ...part,
      ...(isLess && { fell: context.now }),
      net: minus(part.net, amount),
      given: [...part.given, { to, sequence, amount }],
      sent: { ...part.sent, [to]: sequence },
    }),
  );
  return true;
}

function freeOf(draft: Draft, fleet: FleetRow, part: PartRow, context: Context, evenHeld: boolean): Portion {
  const mine = portionOf(fleet, part);
  const { gpus, money } = heldBy(draft, fleet, context);
  const usd = (limit: Limit): string =>
    part.awaits?.includes(limit) || !money ? "0" : amountOf(mine, limit).minus(money[limit]).toFixed();
  const free = gpus === undefined ? 0 : mine.gpus - gpus;
  return {
    gpus: evenHeld ? mine.gpus : free,
    overshoot: evenHeld
      ? mine.overshoot
      : gpus === undefined
        ? 0
        : Math.min(mine.overshoot, mine.overshoot + free),
    surge: gpus === undefined ? 0 : (mine.surge ?? 0) + Math.min(0, mine.overshoot + free),
    ...{ perHour: usd("perHour"), perDay: usd("perDay"), total: usd("total"), churn: usd("churn") },
  };
}

/** Of each the smaller one, and never less than nothing. */
function least(asked: Portion, free: Portion): Portion {
  return combine(
    asked,
    free,
    (one, other) =>
      [one, other].reduce((least, each) => (each.lt(least) ? each : least)).gt(0)
        ? one.lt(other)
          ? one
          : other
        : ZERO_USD,
    (one, other) => Math.max(0, Math.min(one, other)),
  );
}
