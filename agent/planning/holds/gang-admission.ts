import type { Context } from "../../../launch/facts/context.ts";
import { type Hold, hold } from "../../../launch/facts/hold.ts";
import { type Priced, reserved } from "../../../launch/money/budget.ts";
import { expectedPrice } from "../../../launch/money/price.ts";
import { budgetsOver } from "../../../launch/money/shared-budget.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { age } from "../../../ledger/instant.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { FleetRow } from "../../../ledger/rows.ts";
import { takenAtOnce } from "../../../service/contract/billing.ts";
import { parsePrice, parseUsd, type Usd, ZERO_USD } from "../../../service/contract/money.ts";
import { sharedBudgetOf } from "../../fleet/money/remaining-budget.ts";
import { fleetPhase } from "../../fleet/phase/fleet-phase.ts";
import { count } from "../count/count.ts";
import { wishInForce } from "../count/wish-in-force.ts";
import { firstLaunch } from "./all-or-nothing.ts";

/**
 * Why an all-or-nothing fleet may not begin now: another one is on its way, and the balance above their
 * floors, or a limit that they share, may not pay for both. Each would get only a part, and give it back. Asked in the transaction that
 * writes a launch: the first to begin goes on, and one that cannot begin keeps no other waiting.
 */
export function whyOtherGangFirst(
  draft: Draft,
  fleet: FleetRow,
  option: Priced,
  context: Context,
): Hold | undefined {
  if (!wishInForce(draft, fleet, context).allOrNothing) return undefined;
  if ((fleet.attempt?.state ?? "idle") !== "idle" || firstLaunch(draft, fleet, context)) return undefined;
  const first = [...draft.fleets.values()].find(
    (other) =>
      other.name !== fleet.name &&
      isOnItsWay(draft, other, context) &&
      !paysForBoth(draft, fleet, option, other, context),
  );
  return first && hold("gang", { other: first.name });
}

function isOnItsWay(draft: Draft, fleet: FleetRow, context: Context): boolean {
  const state = fleet.attempt?.state ?? "idle";
  return (
    wishInForce(draft, fleet, context).allOrNothing !== undefined &&
    fleetPhase(draft, fleet, context).kind === "kept" &&
    (state === "begun" || (state === "idle" && firstLaunch(draft, fleet, context) !== undefined))
  );
}

/** By the GPU: all of this fleet at its first machine's price, the other's rest at its dearest so far. */
function paysForBoth(
  draft: Draft,
  fleet: FleetRow,
  { gpus, pricePerHour: text }: Priced,
  other: FleetRow,
  context: Context,
): boolean {
  const isFloored = [fleet, other].some((each) => floorOf(draft, each, context) !== undefined);
  const owners = [fleetOwner(fleet.name), fleetOwner(other.name)] as const;
  const theirs = budgetsOver(draft, owners[1]);
  const isShared = budgetsOver(draft, owners[0]).some((budget) => theirs.includes(budget));
  if (!isFloored && !isShared) return true;
  const counted = count(draft, other, context);
  const made = counted.machines.flatMap(({ intent }) => draft.intents.ever(intent ?? "") ?? []);
  const prices = [...made, ...counted.intents].map((each) => expectedPrice(draft, each)?.div(each.gpus));
  const pricePerHour = parsePrice(text);
  if (pricePerHour === undefined || prices.includes(undefined)) return false;
  const dearest = prices.reduce<Usd>((most, each) => (each?.gt(most) ? each : most), ZERO_USD);
  const rest = dearest.times(Math.max(0, counted.missing));
  const whole = pricePerHour.div(gpus).times(wishInForce(draft, fleet, context).gpus);
  const least = takenAtOnce(draft.account.billing, rest.plus(whole));
  const shared = isShared ? sharedBudgetOf(draft, owners[0], context) : undefined;
  if (shared?.usd.lt(rest.plus(whole))) return false;
  if (!isFloored) return true;
  const { balance } = draft.account;
  const amount = balance === null ? undefined : parseUsd(balance.amount);
  if (balance === null || amount === undefined || age(balance.begun, context.now) > context.settings.poll)
    return false;
  const [one, another] = [fleet, other].map((each) => floorOf(draft, each, context) ?? ZERO_USD);
  const floor = one && another?.gt(one) ? another : (one ?? ZERO_USD);
  return amount.minus(reserved(draft, context)).minus(floor).gte(least);
}

function floorOf(draft: Draft, fleet: FleetRow, context: Context): Usd | undefined {
  const { floor } = wishInForce(draft, fleet, context).budget;
  return floor === undefined ? undefined : parseUsd(floor);
}
