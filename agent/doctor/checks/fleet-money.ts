import { place } from "../../../service/contract.ts";
import { parseUsd, type Usd } from "../../../service/money.ts";
import type { FleetDeclaration } from "../../fleets.ts";
import type { Option } from "../../mix.ts";
import type { Patient } from "../patient.ts";
import type { Check } from "../report.ts";
import { costOf, placeOf, said } from "./fleet-words.ts";

/** Whether money or the lack of a price keeps the fleet from what it asks for. */
export function budgetChecks(
  patient: Patient,
  fleet: FleetDeclaration,
  options: readonly Option[],
  mix: readonly Option[],
): readonly Check[] {
  const { floor, perHour } = fleet.wish.budget;
  const hasBudget = floor !== undefined || perHour !== undefined;
  const check = (
    level: Check["level"],
    part: string,
    sentence: string,
    text?: string,
    lines?: readonly string[],
  ): Check => ({
    ...said(
      fleet,
      level,
      sentence,
      text === undefined
        ? undefined
        : { text, at: placeOf(fleet), ...(lines === undefined ? {} : { lines }) },
    ),
    id: `fleet.${fleet.name}.${part}`,
  });
  const unpriced = options.filter(({ pricePerHour }) => pricePerHour === undefined);
  if (hasBudget && unpriced.length > 0) {
    const all = unpriced.length === options.length;
    const remedy = unpricedRemedy(fleet, unpriced);
    return [
      {
        ...check(
          all ? "problem" : "warning",
          "prices",
          `it has a budget, and the price of ${all ? "everything it may launch" : unpriced.slice(0, 5).map(place).join(", ")} is not known: ${all ? "nothing" : "that"} is launched.`.replace(
            "that is launched",
            "that is not launched",
          ),
        ),
        remedy,
      },
    ];
  }
  const cost = costOf(mix);
  const checks: Check[] = [];
  const ceiling = perHour === undefined ? undefined : parseUsd(perHour);
  if (cost !== undefined && ceiling !== undefined && cost.gt(ceiling)) {
    checks.push(
      check(
        "problem",
        "per-hour",
        `its budget of ${perHour} USD an hour does not pay for ${fleet.wish.gpus} GPUs: the cheapest mix costs ${cost.toFixed(4)}.`,
        "Raise budget.perHour, or ask for fewer GPUs",
      ),
    );
  }
  return [...checks, ...balanceChecks(patient, fleet, options, mix, check)];
}

function balanceChecks(
  patient: Patient,
  fleet: FleetDeclaration,
  options: readonly Option[],
  mix: readonly Option[],
  check: (level: Check["level"], part: string, sentence: string, text?: string) => Check,
): readonly Check[] {
  const text = patient.seen?.rest?.balance.value?.balance;
  const balance = text === undefined ? undefined : parseUsd(text);
  if (balance === undefined || balance.lte(0)) return [];
  const floor = parseUsd(fleet.wish.budget.floor ?? "0");
  const cheapest = least(options.flatMap(({ pricePerHour }) => pricePerHour ?? []));
  const cost = costOf(mix);
  const left = floor === undefined ? balance : balance.minus(floor);
  const credits = "Add credits in the service's dashboard";
  if (
    fleet.wish.budget.floor !== undefined &&
    (left.lte(0) || (cheapest !== undefined && left.lt(cheapest)))
  ) {
    const how = left.lte(0) ? "is above" : `leaves ${left.toFixed(4)} USD of`;
    const but = left.lte(0)
      ? ""
      : `, less than the first hour of its cheapest machine (${cheapest?.toFixed(4)})`;
    return [
      check(
        "problem",
        "floor",
        `its floor of ${fleet.wish.budget.floor} USD ${how} the balance of ${text}${but}: nothing is launched.`,
        `${credits}, or lower budget.floor`,
      ),
    ];
  }
  if (cheapest !== undefined && balance.lt(cheapest)) {
    return [
      check(
        "problem",
        "balance",
        `the balance of ${text} USD does not pay the first hour of its cheapest machine (${cheapest.toFixed(4)}).`,
        credits,
      ),
    ];
  }
  if (cost !== undefined && left.lt(cost)) {
    return [
      check(
        "warning",
        "balance",
        `unless some of it runs already, the balance of ${text} USD does not pay the first hour of all of it (${cost.toFixed(4)}${fleet.wish.budget.floor === undefined ? "" : ` above the floor of ${fleet.wish.budget.floor}`}).`,
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

function least(amounts: readonly Usd[]): Usd | undefined {
  return amounts.reduce<Usd | undefined>(
    (lowest, amount) => (lowest === undefined || amount.lt(lowest) ? amount : lowest),
    undefined,
  );
}
