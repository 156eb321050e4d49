import type { HoldRow } from "../../ledger/rows.ts";
import { USD } from "../../service/contract/money.ts";
import type { Money } from "../../service/contract/service.ts";

/*
 * Why nothing is launched, as a value: its kind, and the numbers (ids and places, too) that its text is made of. The
 * rules of admit/holds.ts find holds, and agent/planning/ adds what it finds when it chooses.
 */

type About = "account" | "owner" | "place" | "money";
/** `wait`: it passes by itself. `person`: somebody has to look or act. `wish`: another wish, or more credits. */
type Remedy = "wait" | "person" | "wish";
/** `hidden`: it quotes the service, the profile, a file or a limit on money: no guest of a share link is shown that. */
type Guests = "open" | "hidden";

/** Of each kind: what it is about, what ends it, what guests see of it, and its text. `{left}` is `for 12 s more`. */
const KINDS = {
  halted: "account person hidden: launches are halted: {reason}",
  unsound: "account person hidden: {why}",
  prices:
    "account person hidden: prices do not hold under this profile: {doubts}. Nothing is launched for whoever has a limit on money, since it would be judged by a wrong price. Check offers.fields.pricePerHour in the profile ({currency} an hour of the whole machine), then: fleetkeeper resume",
  unserving:
    "account person hidden: {ids} were stopped one after the other, because the profile says that a machine in the state {states} is billed and does not serve, and no machine served in between: nothing is launched, and nothing else is stopped for that. If machines serve in that state, take it out of deployments.states.replace in the profile. Then: fleetkeeper resume",
  tenure:
    "account person open: nobody has said whether this account is exclusive (nobody else launches or stops there) or shared, and the profile maps no marker. State it: account: exclusive, or account: shared",
  restored:
    "account wait open: the ledger file was written by something else since fleetkeeper wrote it last, as when it is restored from a backup, and may not know the newest machines: two full lists, {apart} s apart, are taken before anything is launched",
  tooMany: "account wait hidden: the service refuses so many requests ({detail}), so all wait{left}",
  paced: "account wait open: launches go out {every} s apart (limits.launchEvery), so all wait{left}",
  distrusted:
    "account wait open: the newest list lacks half of the machines at once, and is not believed before a second one agrees: nothing is launched or stopped",
  unlisted:
    "account wait open: no full list has been taken yet, and a launch needs one from the last {poll} s (one poll interval){slow}",
  stale:
    "account wait open: the newest full list was asked for {ago}, and a launch needs one from the last {poll} s (one poll interval){slow}",
  unreadBalance: "account wait hidden: the balance cannot be read: {why}",

  ending: "owner wait open: given up while it waited for its turn",
  returned:
    "owner person open: {id} came back after it had ended, and not for the first time: nothing is launched in its place before you looked at it in the service's dashboard. Then: fleetkeeper resume{fleet} (or fleetkeeper disown {id})",
  vanished:
    "owner person open: {probe} launched in the place of what vanished, and no other one until that is settled",
  forgotten:
    "owner wait open: {id} carries this ledger's marker{more}, and it does not know its launch, as after a restore from a backup: fleetkeeper adopt or disown it first, so that it is neither paid for twice nor left behind",
  // A slot.
  closing:
    "owner person open: the deletion of slot {slot} has begun, so nothing is launched into it any more: run pulumi destroy to its end, or pulumi up, which ends it and makes the slot anew",
  deadline:
    "owner person open: nothing is launched any more: the deadline {until} (until) has passed. Change it to launch.",
  filled: "owner wait open: it has {id}",
  unresolved: "owner wait open: a launch into it is not resolved yet",
  // A fleet.
  closed: "owner wish hidden: {why}",
  unborn: "owner wait open: the fleet has not looked for existing machines yet",
  choosing:
    "owner wait open: its services say what they have, and the cheapest of them launches what is missing",
  leaving:
    "owner wait open: its share moves to the fleet's other services: what runs here stays until others are to be had, and as far as surge allows until these run",
  uncounted:
    "owner person open: nobody knows how many GPUs {ids} has, so nothing is launched or stopped: fleetkeeper adopt {each} --fleet {fleet} --gpus COUNT",
  givenBack:
    "owner wait open: not all of {gpus} GPUs ran within {within}, so what was launched is given back{next}",
  churned:
    "owner person hidden: {lost} GPU hours were paid for in 24 hours for machines that did not live for an hour, and a fleet of {gpus} without budget.churn loses no more than {most} ({hours} hours of all of it): launches wait until less was lost. Set budget.churn, in {currency}, to say otherwise; or look why they end, then: fleetkeeper resume {fleet}",
  changed: "owner wait open: what the fleet asks for was changed: it is planned anew",
  gang: "owner wait open: {other} is on its way, whole or not at all as this fleet, and the balance above the floor, or a limit of budgets, may not pay for both",
  full: "owner wait open: {live} there or on their way{stopping}, and {most} the most",
  stopping: "owner wait open: {gpus} still stopping, and paid for until that has ended",
  partlyStopping: "owner wait open: {gpus} still stopping, which leaves room for {room}",
  unplaced:
    "owner person open: nobody knows where {id} is, and all machines of the fleet are to be in one location",
  apart: "owner wish open: the fleet is in {home}, and stays in one location (placement: same)",
  blind: "owner person hidden: {why}",
  failing:
    "owner wait hidden: launches failed in {places} combinations one after the other (the last: {last}, {detail}), so all wait{left}",
  unanswered:
    "owner wait hidden: launches in {places} combinations got no answer one after the other (the last: {last}, {detail}), so all wait{left}",
  refusedAll: "owner wait open: {places} combinations were refused one after the other, so all wait{left}",
  unsent: "owner wait hidden: nothing could be sent ({detail}), so all wait{left}",
  unfit: "owner wish hidden: {why}",
  sizes: "owner wish open: {why}",
  otherSizes:
    "owner wait open: no machines can be had that make the {gpus} missing GPUs exactly: those of other sizes are left{left}, and then taken (otherSizes)",
  parameters:
    "owner wish open: a launch sends {names}, and the fleet does not give that: write it under parameters of the fleet",
  soldOut: "owner wait open: what fits is sold out: none of the {gpus} missing GPUs can be had now",
  partlySoldOut:
    "owner wait open: only {got} of the {gpus} missing GPUs can be had now: the rest of what fits is sold out",
  whole: "owner wait open: nothing is launched before all of it can be had at once (allOrNothing)",

  cooling: "place wait open: {place} cools{left}",
  leftAlone: "place wait hidden: {place} {why}{left}",
  blocked:
    "place person hidden: {place} failed for good ({why}) and is not tried again before the fleet or the profile is changed, or: fleetkeeper resume {fleet}",
  refusals:
    "place person open: the service refused launches of {place} and made machines all the same: {made}. Nothing is launched there before you looked at what the service does. Then: fleetkeeper resume",
  lacking:
    "place person open: {place} stands in no offer that can be read just now, and a launch sends what only an offer has ({names}): correct its offer, provider and location, or wait until the service lists it",
  probe: "place wait open: {place} was refused or failed the last time, and another launch tries it first",
  nameless:
    "place wait hidden: {many} no id that can be read ({why}): each may be a machine that costs money, so while they are shown none counts as gone. Look in the service's dashboard; fleetkeeper disown unreadable says that none of them is a machine of yours",
  group: "place wait open: another launch is under way that a list could not tell from this one ({open})",
  beside:
    "place wait hidden: {place} waits for the launch of {open}, which a list could not tell from it ({detail})",
  late: "place wait open: a machine that may be a late answer to {place} is looked at first",
  crowded: "place wish open: {where} has no room for {gpus} more (placement.mostPerLocation)",

  unpriced:
    "money wish open: a budget is set, and the price of {of} is not known: set its pricePerHour beside offer, provider and location, or map offers.fields.pricePerHour in the profile. A price of 0 is none",
  perGpuHour:
    "money wish hidden: {price} {currency} an hour for {gpus} would be above the budget of {limit} a GPU and hour",
  perHour: "money wish hidden: {sum} {currency} an hour would be above the budget of {limit} an hour",
  unpricedHour:
    "money wish open: a budget per hour is set, and nobody knows the price of {of}, which is paid for{wayOn}",
  unpricedSum:
    "money wish open: a budget over time is set, and nobody knows the price of {of}, which counts towards it{wayOn}",
  perDay:
    "money wish hidden: {sum} {currency} on this day (until midnight UTC) would be above the budget of {limit} a day",
  total: "money wish hidden: {sum} {currency} in all would be above the total of {limit}",
  sharedPerDay:
    "money wish hidden: {sum} {currency} on this day (until midnight UTC) for {whose} would be above its limit of {limit} a day (budgets)",
  sharedTotal:
    "money wish hidden: {sum} {currency} in all for {whose} would be above its limit of {limit} (budgets)",
  churn:
    "money wish hidden: {lost} {currency} went in 24 hours into machines that did not live for an hour: the budget for churn is {limit}",
  noBalance:
    "money wish open: a floor is set, and by the profile the service shows no balance (balance: none): take budget.floor out",
  oldBalance: "money wait open: a floor is set, and the balance has not been read just now",
  unshown: "money wait open: a floor is set, and what a launch of unknown price has cost does not show yet",
  floor: "money wish hidden: the balance would fall to {rest} {currency}, below the floor of {limit}",
  patience:
    "money wait hidden: what could be had costs more than {price} {currency} a GPU and hour: it is left{left}, and then up to {dearer} is paid (select.patience)",
  usual:
    "money wait hidden: what could be had costs more than {price} {currency} a GPU and hour, much more than is usual: it is left{left}, and then taken (select.patience)",
  tooDear: "money wish hidden: {why}",
} as const satisfies Readonly<Record<string, `${About} ${Remedy} ${Guests}: ${string}`>>;

export type HoldKind = keyof typeof KINDS;

export interface Hold extends HoldRow {
  readonly kind: HoldKind;
}

/** What stands in braces in a text. */
type Named<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Named<Rest>
  : never;
type Numbers<K extends HoldKind> = Readonly<
  Record<Exclude<Named<(typeof KINDS)[K]>, "left" | "currency">, string | number>
>;

/** `until`: when it passes by itself, wall time in ms. */
export function hold<K extends HoldKind>(kind: K, numbers: Numbers<K>, until?: number): Hold {
  return { kind, numbers, ...(until === undefined ? {} : { until }) };
}

/** Its amounts are in the account's currency. Without that they are in USD. */
export function inCurrency(held: Hold, { currency }: Money): Hold {
  return currency === undefined ? held : { ...held, numbers: { ...held.numbers, currency } };
}

interface Kind {
  readonly about: About;
  readonly remedy: Remedy;
  readonly guests: Guests;
  readonly text: string;
}

const PARTS: ReadonlyMap<string, Kind> = new Map(
  Object.entries(KINDS).map(([kind, entry]) => {
    const [head = "", ...text] = entry.split(": ");
    const [about, remedy, guests] = head.split(" ") as [About, Remedy, Guests];
    return [kind, { about, remedy, guests, text: text.join(": ") }];
  }),
);

/** Of one of another version, nothing is known. */
const UNKNOWN: Kind = {
  about: "owner",
  remedy: "person",
  guests: "hidden",
  text: "something holds launches that only another version of fleetkeeper knows",
};

export function kindOf({ kind }: HoldRow): Kind {
  return PARTS.get(kind) ?? UNKNOWN;
}

/** Its text, for people. With the wall time `now` it says how long it lasts, where that is known. */
export function holdText(held: HoldRow, now?: number): string {
  const { numbers, until } = held;
  const ms = until === undefined || now === undefined ? undefined : Math.max(0, until - now);
  const left = ms === undefined ? "" : ` for ${Math.ceil(ms / 1000)} s more`;
  return kindOf(held).text.replace(/\{(\w+)\}/g, (_, name: string) =>
    name === "left" ? left : String(numbers[name] ?? (name === "currency" ? USD : "?")),
  );
}
