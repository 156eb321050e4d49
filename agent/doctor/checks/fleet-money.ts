import { firstText, takenAtOnce } from "../../../service/contract/billing.ts";
import { combinationText } from "../../../service/contract/contract.ts";
import { amountText, parseUsd, USD, type Usd, usdText, ZERO_USD } from "../../../service/contract/money.ts";
import { counted } from "../../../service/text/counted.ts";
import type { FleetDeclaration } from "../../fleet/declare/fleets.ts";
import { isLimited } from "../../fleet/wish/wish.ts";
import { isBelow } from "../../planning/choices/impossible.ts";
import { lowestPrice } from "../../planning/choices/options.ts";
import type { Option } from "../../planning/mix/mix.ts";
import type { DoctorInput } from "../doctor-input.ts";
import type { Check, Remedy } from "../report.ts";
import { about, costOf, inFleet } from "./fleet-words.ts";

const HOURS_A_DAY = 24;

/** Whether a budget, the balance or an unknown price keeps the fleet from what it asks for. */
export function budgetChecks(
  input: DoctorInput,
  fleet: FleetDeclaration,
  options: readonly Option[],
  mix: readonly Option[],
): readonly Check[] {
  const { wish } = fleet;
  const { perHour, perDay, total } = wish.budget;
  const checks: Check[] = [];
  const unpriced = options.filter(({ pricePerHour }) => pricePerHour === undefined);
  if (isLimited(wish) && unpriced.length > 0) {
    const prices = about(fleet, "prices");
    const remedy = unpricedRemedy(fleet, unpriced, input.money.currency);
    if (unpriced.length === options.length) {
      const nothing =
        "it has a budget, and the price of everything it may launch is not known: nothing is launched.";
      return [prices.problem(nothing, remedy)];
    }
    const places = unpriced.slice(0, 5).map(combinationText).join(", ");
    const some = `it has a budget, and the price of ${places} is not known: that is not launched.`;
    checks.push(prices.warning(some, remedy));
  }
  const { billing } = input.money;
  const cost = costOf(mix);
  const atOnce = cost && takenAtOnce(billing, cost);
  const wholeDay = cost?.times(HOURS_A_DAY);
  const lowest = lowestPrice(options);
  const cheapest = lowest && takenAtOnce(billing, lowest);
  const all = counted(wish.gpus, "GPU");
  const mixCosts = `the cheapest mix costs ${usdText(cost)}`;
  if (isBelow(perHour, cost))
    checks.push(
      about(fleet, "per-hour").problem(
        `its budget of ${amountText(perHour, input.money.currency)} an hour does not pay for ${all}: ${mixCosts}.`,
        inFleet(fleet, "Raise budget.perHour, or ask for fewer GPUs"),
      ),
    );
  if (isBelow(total, atOnce))
    checks.push(
      about(fleet, "total").problem(
        `its budget of ${amountText(total, input.money.currency)} in all does not pay ${firstText(billing)} of ${all}: the cheapest mix costs ${usdText(atOnce)}.`,
        inFleet(fleet, "Raise budget.total, or ask for fewer GPUs"),
      ),
    );
  if (isBelow(perDay, cheapest))
    checks.push(
      about(fleet, "per-day").problem(
        `its budget of ${amountText(perDay, input.money.currency)} a day does not pay ${firstText(billing)} of its cheapest machine (${usdText(cheapest)}): nothing is launched.`,
        inFleet(fleet, "Raise budget.perDay"),
      ),
    );
  else if (isBelow(perDay, wholeDay))
    checks.push(
      about(fleet, "per-day").warning(
        `its budget of ${amountText(perDay, input.money.currency)} a day does not pay for ${all} on a whole day (${usdText(wholeDay)}): it holds back launches, and what runs goes on.`,
        inFleet(
          fleet,
          "Raise budget.perDay, ask for fewer GPUs, or add budget.total or until, which end what runs",
        ),
      ),
    );
  return [...checks, ...balanceChecks(input, fleet, cheapest, atOnce)];
}

function balanceChecks(
  input: DoctorInput,
  fleet: FleetDeclaration,
  cheapest: Usd | undefined,
  cost: Usd | undefined,
): readonly Check[] {
  const { balance: shown } = input.loaded.profile;
  if (fleet.wish.budget.floor !== undefined && shown && "none" in shown)
    return [
      about(fleet, "floor").problem(
        `it has a budget.floor of ${fleet.wish.budget.floor}, and by the profile the service shows no balance (${input.loaded.locate(["balance"])}): no agent starts.`,
        inFleet(fleet, "Take budget.floor out: total, perDay and perHour need no balance"),
      ),
    ];
  const text = input.seen?.rest?.balance.value?.balance;
  const balance = text === undefined ? undefined : parseUsd(text);
  if (balance === undefined || balance.lte(0)) return [];
  const { floor } = fleet.wish.budget;
  const left = balance.minus(parseUsd(floor ?? "0") ?? ZERO_USD);
  const credits = "Add credits in the service's dashboard";
  const first = `${firstText(input.money.billing)} of its cheapest machine (${usdText(cheapest)})`;
  if (floor !== undefined && (left.lte(0) || (cheapest !== undefined && left.lt(cheapest)))) {
    const how = left.lte(0)
      ? `is above the balance of ${usdText(text)}`
      : `leaves ${amountText(left, input.money.currency)} of the balance of ${usdText(text)}, less than ${first}`;
    return [
      about(fleet, "floor").problem(
        `its floor of ${amountText(floor, input.money.currency)} ${how}: nothing is launched.`,
        inFleet(fleet, `${credits}, or lower budget.floor`),
      ),
    ];
  }
  const check = about(fleet, "balance");
  const pays = `the balance of ${amountText(text, input.money.currency)} does not pay`;
  if (cheapest !== undefined && balance.lt(cheapest))
    return [check.problem(`${pays} ${first}.`, inFleet(fleet, credits))];
  if (cost === undefined || !left.lt(cost)) return [];
  const above = floor === undefined ? "" : ` above the floor of ${usdText(floor)}`;
  const says = `unless some of it runs already, ${pays} ${firstText(input.money.billing)} of all of it (${usdText(cost)}${above}).`;
  return [check.warning(says, inFleet(fleet, credits))];
}

function unpricedRemedy(
  fleet: FleetDeclaration,
  unpriced: readonly Option[],
  currency: string = USD,
): Remedy {
  if (fleet.wish.candidates === undefined) {
    return { text: "Map the price of an offer in the profile: offers.fields.pricePerHour, see above" };
  }
  const lines = unpriced
    .slice(0, 5)
    .map((option) => `pricePerHour: <${currency} an hour for one machine>  # ${combinationText(option)}`);
  return inFleet(fleet, "Say the price with each candidate", lines);
}
