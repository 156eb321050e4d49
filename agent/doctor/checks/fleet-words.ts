import { parseUsd, type Usd, ZERO_USD } from "../../../service/contract/money.ts";
import type { FleetDeclaration } from "../../fleet/declare/fleets.ts";
import type { Option } from "../../planning/mix/mix.ts";
import { finding, type Remedy } from "../report.ts";

/** Makes findings about a fleet, or about a part of its wish. */
export function about({ name }: FleetDeclaration, part?: string): ReturnType<typeof finding> {
  return finding("fleets", part === undefined ? `fleet.${name}` : `fleet.${name}.${part}`, `${name}: `);
}

/** What to do in the place where a fleet is declared: `/home/you/fleet.yaml, fleet training`, or a stack. */
export function inFleet({ source, name }: FleetDeclaration, text: string, lines?: readonly string[]): Remedy {
  return { text, at: `${source.replace(/^file:/, "")}, fleet ${name}`, lines };
}

/** For example `2 × h100-8 @ north/oslo + 1 × h100-1 @ north/oslo`. */
export function mixText(mix: readonly Option[]): string {
  const names = mix.map(
    ({ offer, provider, location }) =>
      `${offer.slice(0, 60)} @ ${provider.slice(0, 60)}/${location.slice(0, 60)}`,
  );
  return [...Map.groupBy(names, (name) => name)]
    .map(([name, { length }]) => `${length} × ${name}`)
    .join(" + ");
}

/** USD an hour; undefined if one price is not known. */
export function costOf(machines: readonly { readonly pricePerHour?: Price }[]): Usd | undefined {
  let sum: Usd | undefined = ZERO_USD;
  for (const { pricePerHour } of machines) {
    const price = usdOf(pricePerHour);
    sum = price && sum?.plus(price);
  }
  return sum;
}

type Price = Usd | string | undefined;

/** A price as a number: the service shows a text. */
export function usdOf(price: Price): Usd | undefined {
  return typeof price === "string" ? parseUsd(price) : price;
}
