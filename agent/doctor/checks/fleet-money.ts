import { place } from "../../../service/contract.ts";
import { parseUsd, usdText } from "../../../service/money.ts";
import type { FleetDeclaration } from "../../fleet/fleets.ts";
import { isLimited } from "../../fleet/wish.ts";
import { isBelow } from "../../planning/impossible.ts";
import type { Option } from "../../planning/mix.ts";
import { lowestPrice } from "../../planning/options.ts";
import type { DoctorInput } from "../doctor-input.ts";
import { type Check, count } from "../report.ts";
import { costOf, placeOf, said } from "./fleet-words.ts";

/** Whether a budget, the balance or an unknown price keeps the fleet from what it asks for. */
export function budgetChecks(
  input: DoctorInput,
  fleet: FleetDeclaration,
  options: readonly Option[],
  mix: readonly Option[],
): readonly Check[] {
  const { wish } = fleet;
  const { perHour, perDay, total } = wish.budget;
  const check = (level: Check["level"], part: string, sentence: string, text?: string): Check => ({
    ...said(fleet, level, sentence, text === undefined ? undefined : { text, at: placeOf(fleet) }),
    id: `fleet.${fleet.name}.${part}`,
  });
  const checks: Check[] = [];
  const unpriced = options.filter(({ pricePerHour }) => pricePerHour === undefined);
  if (isLimited(wish) && unpriced.length > 0) {
    const remedy = unpricedRemedy(fleet, unpriced);
    if (unpriced.length === options.length) {
      const nothing =
        "it has a budget, and the price of everything it may launch is not known: nothing is launched.";
      return [{ ...check("problem", "prices", nothing), remedy }];
    }
    const places = unpriced.slice(0, 5).map(place).join(", ");
    const some = `it has a budget, and the price of ${places} is not known: that is not launched.`;
    checks.push({ ...check("warning", "prices", some), remedy });
  }
  const cost = costOf(mix);
  const cheapest = lowestPrice(options);
  if (isBelow(perHour, cost))
    checks.push(
      check(
        "problem",
        "per-hour",
        `its budget of ${usdText(perHour)} USD an hour does not pay for ${count(wish.gpus, "GPU")}: the cheapest mix costs ${usdText(cost)}.`,
        "Raise budget.perHour, or ask for fewer GPUs",
      ),
    );
  if (isBelow(total, cost))
    checks.push(
      check(
        "problem",
        "total",
        `its budget of ${usdText(total)} USD in all does not pay the first hour of ${count(wish.gpus, "GPU")}: the cheapest mix costs ${usdText(cost)}.`,
        "Raise budget.total, or ask for fewer GPUs",
      ),
    );
  if (isBelow(perDay, cheapest))
    checks.push(
      check(
        "problem",
        "per-day",
        `its budget of ${usdText(perDay)} USD a day does not pay the first hour of its cheapest machine (${usdText(cheapest)}): nothing is launched.`,
        "Raise budget.perDay",
      ),
    );
  return [...checks, ...balanceChecks(input, fleet, options, mix, check)];
}

function balanceChecks(
  input: DoctorInput,
  fleet: FleetDeclaration,
  options: readonly Option[],
  mix: readonly Option[],
  check: (level: Check["level"], part: string, sentence: string, text?: string) => Check,
): readonly Check[] {
  const text = input.seen?.rest?.balance.value?.balance;
  const balance = text === undefined ? undefined : parseUsd(text);
  if (balance === undefined || balance.lte(0)) return [];
  const floor = parseUsd(fleet.wish.budget.floor ?? "0");
  const cheapest = lowestPrice(options);
  const cost = costOf(mix);
  const left = floor === undefined ? balance : balance.minus(floor);
  const credits = "Add credits in the service's dashboard";
  if (
    fleet.wish.budget.floor !== undefined &&
    (left.lte(0) || (cheapest !== undefined && left.lt(cheapest)))
  ) {
    const how = left.lte(0) ? "is above" : `leaves ${usdText(left)} USD of`;
    const but = left.lte(0)
      ? ""
      : `, less than the first hour of its cheapest machine (${usdText(cheapest)})`;
    return [
      check(
        "problem",
        "floor",
        `its floor of ${usdText(fleet.wish.budget.floor)} USD ${how} the balance of ${usdText(text)}${but}: nothing is launched.`,
        `${credits}, or lower budget.floor`,
      ),
    ];
  }
  if (cheapest !== undefined && balance.lt(cheapest)) {
    return [
      check(
        "problem",
        "balance",
        `the balance of ${usdText(text)} USD does not pay the first hour of its cheapest machine (${usdText(cheapest)}).`,
        credits,
      ),
    ];
  }
  if (cost !== undefined && left.lt(cost)) {
    return [
      check(
        "warning",
        "balance",
        `unless some of it runs already, the balance of ${usdText(text)} USD does not pay the first hour of all of it (${usdText(cost)}${fleet.wish.budget.floor === undefined ? "" : ` above the floor of ${usdText(fleet.wish.budget.floor)}`}).`,
        credits,
      ),
    ];
  }
  return [];
}

function unpricedRemedy(fleet: FleetDeclaration, unpriced: readonly Option[]): NonNullable<Check["remedy"]> {
  if (fleet.wish.candidates === undefined) {
    return { text: "Map the price of an offer in the profile: offers.fields.pricePerHour, see above" };
  }
  const lines = unpriced
    .slice(0, 5)
    .map((option) => `pricePerHour: <USD an hour for one machine>  # ${place(option)}`);
  return { text: "Say the price with each candidate", at: placeOf(fleet), lines };
}
