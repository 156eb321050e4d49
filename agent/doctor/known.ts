import type { DoctorInput } from "./doctor-input.ts";
import type { KnownPlaces } from "./shape/fields.ts";

/** Known values of offers, providers and locations: from the offers that were read and from the fleets. */
export function knownPlaces({ fleets, seen }: DoctorInput): KnownPlaces {
  const combinations = [
    ...(seen?.rest?.offers?.value ?? []),
    ...fleets.flatMap(({ wish }) => wish.candidates ?? []),
  ];
  const selected = fleets.map(({ wish }) => wish.select);
  return {
    offers: new Set(combinations.map(({ offer }) => offer)),
    providers: new Set([
      ...combinations.map(({ provider }) => provider),
      ...selected.flatMap((select) => select?.providers ?? []),
    ]),
    locations: new Set([
      ...combinations.map(({ location }) => location),
      ...selected.flatMap((select) => select?.locations ?? []),
    ]),
  };
}
