import { MINUTE_MS } from "../../ledger/instant.ts";
import { duration } from "../fleet/text/format.ts";
import { type Clean, indent } from "../fleet/text/text.ts";
import type { Outcome, PlayedFile, WhatIf } from "../json/whatif.ts";
import { upgradeLines } from "./upgrade.ts";

/* What a play says to people. */

interface Spread {
  readonly low: number | string;
  readonly median: number | string;
  readonly high: number | string;
}

export function whatifText(
  { market, seeds, files, compared, upgrade, notKnown }: WhatIf,
  charts: readonly string[],
  clean: Clean,
): string {
  const { name, days, daysAsked, offers, currency } = market;
  const short = days < daysAsked - 0.05 ? ` ${daysAsked} days were asked for, and no more is known.` : "";
  const often = seeds === 1 ? "once" : `${seeds} times: a median, and from the least to the most`;
  const machines = files[0]?.machines.flat().length ?? 0;
  return [
    `Played ${days === 1 ? "1 day" : `${number(days, 1)} days`} of ${clean(name)} (${offers} offers, ${currency}), ${often}.${short}`,
    ...files.map((file, index) => `\n${fileText(file, currency, clean)}\n\n${indent(charts[index] ?? "")}`),
    ...(compared === null ? [] : [`\n${clean(compared)}`]),
    ...(upgrade === null ? [] : ["", ...upgradeLines(upgrade, machines).map((each) => clean(each, 1000))]),
    "\nWhat this does not know:",
    ...notKnown.map((each) => `  - ${clean(each)}`),
  ].join("\n");
}

function fileText(
  { file, fleets, all, launches, refused, ...rest }: PlayedFile,
  currency: string,
  clean: Clean,
): string {
  const parts = fleets.flatMap(({ fleet, reasons, ...outcome }) => [
    `  ${clean(fleet, 80)}: ${outcomeText(outcome, currency)}`,
    ...(outcome.gpuHours.had.median === 0 ? reasons.map((each) => `    ${clean(each, 500)}`) : []),
  ]);
  return [
    clean(file),
    ...parts,
    ...(fleets.length > 1 ? [`  all: ${outcomeText(all, currency)}`] : []),
    `  ${spread(launches, 0)} launches, ${spread(refused, 0)} of them refused`,
    ...rest.notPlayed.map((each) => `  not played: ${clean(each)}`),
    ...rest.trouble.map((each) => `  the agent could decide nothing for a time: ${clean(each, 500)}`),
  ].join("\n");
}

function outcomeText(of: Outcome, currency: string): string {
  const { asked, had, missing } = of.gpuHours;
  const each = of.costPerGpuHour ? `, ${spread(of.costPerGpuHour, 3)} a GPU-hour` : "";
  const again = of.minutesToRecover;
  const after = (minutes: number): string => duration(minutes * MINUTE_MS);
  const whole = again
    ? `; whole again after ${after(again.median)} in half of the cases, after ${after(again.high)} in nine of ten`
    : "";
  return [
    `${number(asked.median, 1)} GPU-hours asked for, ${number(had.median, 1)} had, ${spread(missing, 1)} missing`,
    `    ${spread(of.cost, 2)} ${currency}${each}`,
    `    ${spread(of.interruptions, 0)} interruptions, ${spread(of.left, 0)} machines left by choice${whole}`,
  ].join("\n");
}

function spread({ low, median, high }: Spread, digits: number): string {
  const [middle, least, most] = [median, low, high].map((each) => number(Number(each), digits));
  return least === most ? `${middle}` : `${middle} (${least} to ${most})`;
}

function number(value: number, digits: number): string {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** The second beside the first: "With other.yaml: 8,412 USD instead of 11,906, and 3.1 GPU-hours more missing." */
export function comparison(name: string, first: PlayedFile, second: PlayedFile, currency: string): string {
  const [before, after] = [first.all, second.all];
  const more = after.gpuHours.missing.median - before.gpuHours.missing.median;
  const hours = number(Math.abs(more), 1);
  const missing =
    hours === "0.0"
      ? "as many GPU-hours missing"
      : `${hours} GPU-hours ${more > 0 ? "more" : "fewer"} missing`;
  const asked = after.gpuHours.asked.median - before.gpuHours.asked.median;
  const other =
    Math.abs(asked) < 0.05
      ? ""
      : ` It asks for ${number(Math.abs(asked), 1)} GPU-hours ${asked > 0 ? "more" : "fewer"}.`;
  const [money, instead] = [after, before].map(({ cost }) => number(Number(cost.median), 0));
  const costs =
    money === instead ? `${money} ${currency} as well` : `${money} ${currency} instead of ${instead}`;
  return `With ${name}: ${costs}, and ${missing}.${other}`;
}
