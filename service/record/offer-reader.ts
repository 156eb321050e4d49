import type { Json, Offer } from "../contract/service.ts";
import { depthOf } from "../profile/nested.ts";
import type { WireProfile } from "../profile/profile.ts";
import { readDecimal, readName } from "../text/json.ts";
import { availability, readStock } from "./availability.ts";
import { GPUS, priceReader, readCount } from "./price-reader.ts";
import { createFields, type FieldProblem, Flawed, ID, NAME, type RecordReader } from "./record-field.ts";
import type { RecordValues } from "./record-values.ts";

/** A list has a few hundred offers at most, so each is built, whatever it was before. */
export function offerReader(
  { list, counts, fields: places }: NonNullable<WireProfile["offers"]>,
  currency?: string,
): RecordReader<Offer> {
  const fields = createFields(depthOf(list, places, counts) !== undefined);
  const available = fields.add(availability(places.available));
  const gpus = fields.add({
    name: "gpus",
    place: places.gpus,
    read: readCount,
    expected: GPUS,
    isRequired: true,
  });
  const name = (named: "id" | "provider" | "location") =>
    fields.add({
      name: named,
      place: places[named],
      read: readName,
      expected: named === "id" ? ID : NAME,
      isRequired: true,
    });
  const [offer, provider, location] = [name("id"), name("provider"), name("location")];
  const gpuModel = fields.addName("gpuModel", places.gpuModel);
  const pricePerHour = priceReader(fields, places, currency);
  const extras = Object.entries(places.extra ?? {}).map(([named, place]) => {
    const field = { name: `extra.${named}`, place, read: readScalar, expected: SCALAR, isRequired: true };
    return [named, fields.add(field)] as const;
  });
  const prepaid = fields.add({
    name: "prepaidHours",
    place: places.prepaidHours,
    read: (value) => (Number(readDecimal(value)) === 0 ? 0 : undefined),
    expected: "nothing or 0: what is paid at once for hours, used or not, is in no price of an hour",
  });
  const stock = fields.add({ name: "stock", place: places.available, read: readStock, expected: "" });
  const slotsOf = fields.slots();

  return (record) => {
    const problems: FieldProblem[] = [];
    const slots = slotsOf(record);
    const isAvailable = available(slots, undefined, problems);
    const count = gpus(slots, undefined, problems);
    prepaid(slots, undefined, problems);
    const value = defined<Offer>({
      offer: offer(slots, undefined, problems),
      provider: provider(slots, undefined, problems),
      location: location(slots, undefined, problems),
      gpus: count,
      gpuModel: gpuModel(slots, undefined, problems),
      pricePerHour: pricePerHour(slots, undefined, count, problems),
      available: isAvailable,
      extra: extras.length === 0 ? undefined : extraOf(slots, problems),
      // A boolean or a word has no number, and that is no problem.
      stock: isAvailable === undefined ? undefined : stock(slots, undefined, []),
    });
    return problems.length > 0 ? new Flawed(value, problems) : (value as Offer);
  };

  function extraOf(slots: RecordValues, problems: FieldProblem[]): NonNullable<Offer["extra"]> {
    const found: Record<string, string | number | boolean> = {};
    for (const [named, at] of extras) {
      const value = at(slots, undefined, problems);
      if (value !== undefined) found[named] = value;
    }
    return found;
  }
}

const SCALAR = "a text, a number or a boolean";

/** As it is sent. A number that JavaScript would round is the text of its digits. */
function readScalar(value: Json | undefined): string | number | boolean | undefined {
  return typeof value === "boolean" || typeof value === "number" ? value : readName(value);
}

/** Leaves out undefined values: a missing key means "not there" everywhere in this room. */
function defined<T>(fields: { readonly [K in keyof T]: T[K] | undefined }): Partial<T> {
  const there: Partial<T> = {};
  for (const key in fields) if (fields[key] !== undefined) there[key] = fields[key];
  return there;
}
