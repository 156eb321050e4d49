import { type Place, pointerIn } from "../../service/profile/place.ts";
import type { Part } from "../propose/shape/best-list.ts";
import { fieldGuesses } from "../propose/shape/field-guesses.ts";
import type { KnownPlaces } from "../propose/shape/fields.ts";
import { leavesOf, NOTHING, SHOWN } from "../propose/shape/leaves.ts";
import { connectionLines, guessLine } from "../propose/shape/proposal.ts";
import type { DoctorInput } from "./doctor-input.ts";
import { recordsOf } from "./records.ts";

/** The fields that the profile maps. `connection` has pointers of its own. */
export function placesIn(part: Part, { loaded }: DoctorInput): Readonly<Record<string, Place | undefined>> {
  const { connection: _, ...places }: Readonly<Record<string, unknown>> = loaded.profile[part]?.fields ?? {};
  return places as Readonly<Record<string, Place | undefined>>;
}

/** One line for each of these fields that the records seem to hold. All fields, if `names` is empty. */
export function fieldLines(part: Part, input: DoctorInput, names: readonly string[] = []): readonly string[] {
  const isOffer = part === "offers";
  const fields = placesIn(part, input);
  const wanted = (name: string): boolean => names.length === 0 || names.includes(name);
  const others = Object.entries(fields).filter(([name]) => !wanted(name));
  const elsewhere = new Set(others.map(([, place]) => pointerIn(place)));
  const records = recordsOf(part, input);
  const leaves = leavesOf(records, isOffer ? NOTHING : SHOWN).filter(
    ({ pointer }) => !elsewhere.has(pointer),
  );
  // The places in the offers are what is looked for there, so only the fleets' values are known.
  const known = knownPlaces(isOffer ? { ...input, seen: undefined } : input);
  const all = fieldGuesses(part, records, leaves, known, fields.gpus);
  const isNew = (name: string, pointer: string): boolean =>
    (isOffer && names.length === 0) || pointerIn(fields[name]) !== pointer;
  const guesses = all
    .filter(({ field }) => wanted(field === "pricePerGpuHour" ? "pricePerHour" : field))
    .filter(({ field, pointer }) => isNew(field, pointer));
  return [
    ...guesses.map((guess) => guessLine(guess, input.redact)),
    ...(!isOffer && wanted("connection") ? connectionLines(leaves) : []),
  ];
}

/** Known values of offers, providers and locations: from the offers that were read and from the fleets. */
function knownPlaces({ fleets, seen }: Pick<DoctorInput, "fleets" | "seen">): KnownPlaces {
  const combinations = [
    ...(seen?.rest?.offers.read?.value ?? []),
    ...fleets.flatMap(({ wish }) => wish.candidates ?? []),
  ];
  const selected = (key: "providers" | "locations"): readonly string[] =>
    fleets.flatMap(({ wish }) => wish.select?.[key] ?? []);
  return {
    offers: new Set(combinations.map(({ offer }) => offer)),
    providers: new Set([...combinations.map(({ provider }) => provider), ...selected("providers")]),
    locations: new Set([...combinations.map(({ location }) => location), ...selected("locations")]),
  };
}
