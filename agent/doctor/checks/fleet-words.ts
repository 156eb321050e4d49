import type { Usd } from "../../../service/money.ts";
import { parseUsd } from "../../../service/money.ts";
import type { FleetDeclaration } from "../../fleet/fleets.ts";
import type { Option } from "../../planning/mix.ts";
import type { Check, Remedy } from "../report.ts";

/** A finding about a fleet. */
export function said(
  fleet: FleetDeclaration,
  level: Check["level"],
  sentence: string,
  remedy?: Remedy,
): Check {
  return {
    id: `fleet.${fleet.name}`,
    section: "fleets",
    level,
    says: `${fleet.name}: ${sentence}`,
    ...(remedy === undefined ? {} : { remedy }),
  };
}

/** Where a fleet is declared: `/home/you/fleet.yaml, fleet training`, or the stack that declares it. */
export function placeOf({ source, name }: FleetDeclaration): string {
  return `${source.replace(/^file:/, "")}, fleet ${name}`;
}

/** For example `2 × h100-8 @ north/oslo + 1 × h100-1 @ north/oslo`. */
export function mixText(mix: readonly Option[]): string {
  const counts = new Map<string, number>();
  for (const { offer, provider, location } of mix) {
    const name = `${offer.slice(0, 60)} @ ${provider.slice(0, 60)}/${location.slice(0, 60)}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, machines]) => `${machines} × ${name}`).join(" + ");
}

/** USD an hour; undefined if one price is not known. */
export function costOf(mix: readonly Option[]): Usd | undefined {
  let sum = parseUsd("0");
  for (const { pricePerHour } of mix) sum = pricePerHour === undefined ? undefined : sum?.plus(pricePerHour);
  return sum;
}
