import type { Usd } from "../service/contract/money.ts";
import { ZERO_USD } from "../service/contract/money.ts";
import { type AccountState, balanceAt } from "./account.ts";
import { changePrice, costByTerms, costOf, HOUR_MS, rateAt, usageAt, usedMs } from "./bill.ts";
import type { Machine } from "./machine.ts";
import { accountOf, type World } from "./world.ts";

/** Takes the first hour (specification, section 1), or what the terms say: then time is billed from now on. */
export function reserve(world: World, machine: Machine): void {
  const account = accountOf(world, machine);
  account.reservations = account.reservations.plus(machine.bill.reserved);
  if (machine.bill.terms) {
    machine.bill.usedFrom = world.now;
    machine.bill.burning = true;
    account.burning.add(machine);
  }
  foresee(world, account);
}

/** The machine begins to run: its reserved hour begins to pass. */
export function beginUse(world: World, machine: Machine): void {
  if (machine.bill.terms) return;
  machine.bill.usedFrom = world.now;
  world.timeline.plan(world.now + HOUR_MS, { kind: "hour", machine });
}

/** A paid hour is over. Gives false if the balance cannot pay another one. */
export function continueUse(world: World, machine: Machine): boolean {
  const account = accountOf(world, machine);
  const { bill } = machine;
  if (world.settings.billing === "perSecond") {
    bill.burning = true;
    account.burning.add(machine);
    foresee(world, account);
    return true;
  }
  const next = rateAt(bill, world.now);
  const short = balanceAt(account, world.now).lt(next);
  if (short && world.settings.emptyBalance === "stop") return false;
  bill.usage = bill.usage.plus(next);
  account.usage = account.usage.plus(next);
  world.timeline.plan(world.now + HOUR_MS, { kind: "hour", machine });
  return true;
}

/** Its offer costs another price, and so does it. */
export function float(world: World, machine: Machine, pricePerHour: Usd): void {
  changePrice(machine.bill, pricePerHour, world.now, world.settings.billing === "perHour" ? HOUR_MS : 1000);
  // How it looks in its present state.
  machine.views.length = Math.min(machine.views.length, machine.states.length - 1);
  foresee(world, accountOf(world, machine));
}

/** The use ended at `until`, and the service notices it now. What it cost until now is posted. */
export function endUse(world: World, machine: Machine, until: number): void {
  const account = accountOf(world, machine);
  const { bill } = machine;
  const usage = usageAt(bill, world.now);
  account.usage = account.usage.plus(usage).minus(bill.usage);
  bill.usage = usage;
  bill.burning = false;
  account.burning.delete(machine);
  bill.usedUntil = until;
  foresee(world, account);
}

/** By terms nothing is given back but a failed launch, and what was taken in advance and is not owed. */
export function settle(world: World, machine: Machine, isFree: boolean): void {
  const { bill } = machine;
  if (!bill.terms) return;
  const account = accountOf(world, machine);
  if (isFree) {
    bill.burning = false;
    account.burning.delete(machine);
    bill.usedFrom = undefined;
    return;
  }
  const owed = costByTerms(bill, bill.terms, world.now - (bill.usedFrom ?? world.now));
  endUse(world, machine, world.now);
  if (owed.lt(bill.reserved)) refund(world, machine, bill.reserved.minus(owed));
}

/** What was paid and not used. For a machine that never ran, it is everything. */
export function unused(machine: Machine, at: number): Usd {
  const { bill } = machine;
  const rest = bill.reserved.plus(usageAt(bill, at)).minus(costOf(bill, usedMs(bill, at)));
  return rest.gt(ZERO_USD) ? rest : ZERO_USD;
}

export function refund(world: World, machine: Machine, amount: Usd): void {
  const account = accountOf(world, machine);
  machine.bill.refunded = machine.bill.refunded.plus(amount);
  account.refunds = account.refunds.plus(amount);
  foresee(world, account);
}

/** Money from outside: the dashboard's payment page, or a control. */
export function adjust(world: World, account: AccountState, amount: Usd): void {
  account.adjustments = account.adjustments.plus(amount);
  foresee(world, account);
}

/** Gives the machines that run on an empty balance. Asked only when a forecast is due. */
export function cannotPay(world: World, account: AccountState): readonly Machine[] {
  if (balanceAt(account, world.now).gt(ZERO_USD)) {
    foresee(world, account);
    return [];
  }
  return [...account.burning];
}

/** Plans a look at the balance for when it should be empty. Each movement of money plans anew. */
function foresee(world: World, account: AccountState): void {
  account.forecast += 1;
  if (world.settings.emptyBalance === "owe" || account.burning.size === 0) return;
  let rate = ZERO_USD;
  for (const { bill } of account.burning) rate = rate.plus(bill.pricePerHour);
  const balance = balanceAt(account, world.now);
  if (rate.eq(ZERO_USD)) return;
  const seconds = balance.gt(ZERO_USD) ? Math.max(1, Math.ceil(balance.times(3600).div(rate).toNumber())) : 0;
  const at = world.now + seconds * 1000;
  world.timeline.plan(at, { kind: "emptyBalance", account, forecast: account.forecast });
}
