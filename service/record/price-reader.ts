import Big from "big.js";
import { MOST_GPUS } from "../contract/limits.ts";
import { parsePrice, parseUsd, plainPrice, USD } from "../contract/money.ts";
import type { Json } from "../contract/service.ts";
import { isInCents, type Place } from "../profile/place.ts";
import { readDecimal, readInteger, readText } from "../text/json.ts";
import type { Field, FieldProblem, Fields } from "./record-field.ts";
import type { RecordValues } from "./record-values.ts";

interface PricePlaces {
  readonly pricePerHour?: Place | undefined;
  readonly pricePerGpuHour?: Place | undefined;
  /** Where it says in which currency they are. */
  readonly currency?: Place | undefined;
}

export type PriceReader = (
  slots: RecordValues,
  before: string | undefined,
  gpus: number | undefined,
  problems: FieldProblem[],
) => string | undefined;

/**
 * What the whole machine costs an hour. If only the price of one GPU is shown: that times the count of GPUs. If
 * the count is unknown, so is the price. A price in another currency than the profile's is none.
 */
export function priceReader(
  fields: Fields,
  { pricePerHour, pricePerGpuHour, currency: currencyAt }: PricePlaces,
  counted: string = USD,
): PriceReader {
  const whole = fields.add(price("pricePerHour", pricePerHour));
  const one = fields.add(price("pricePerGpuHour", pricePerGpuHour));
  const currency = fields.add({
    name: "currency",
    place: currencyAt,
    read: (value) => (readText(value)?.toUpperCase() === counted ? counted : undefined),
    expected: `${counted}, the currency that this profile counts`,
    isRequired: true,
    isChanged: true,
  });
  const ofAll = remembered((text: string) => {
    const [each = "", gpus = ""] = text.split(" ");
    return plainPrice(new Big(each).times(gpus).toFixed());
  });
  return (slots, before, gpus, problems) => {
    const shown = whole(slots, before, problems);
    const each = one(slots, undefined, problems);
    if (currencyAt && (shown ?? each) !== undefined && !currency(slots, undefined, problems))
      return undefined;
    if (each === undefined || pricePerHour !== undefined) return shown === before ? before : known(shown);
    return gpus === undefined || gpus === 0 ? undefined : known(ofAll(`${each} ${gpus}`));
  };
}

/** A price of 0 says nothing: it is written before it is known, or where there is none. */
const known = remembered((shown: string | undefined) => parsePrice(shown) && shown);

function price(name: string, place: Place | undefined): Field<string> {
  const isCents = isInCents(place);
  const read = remembered(isCents ? readCents : readPrice);
  return { name, place, read, expected: `a price such as ${isCents ? "150" : "1.50"}`, isChanged: isCents };
}

/** A negative price or count is a wrong pointer. It would make the dearest offer look like the best. */
function readPrice(value: Json | undefined): string | undefined {
  const decimal = readDecimal(value);
  const text = decimal && plainPrice(decimal);
  return text === undefined || parseUsd(text)?.gte(0) !== true ? undefined : text;
}

function readCents(value: Json | undefined): string | undefined {
  const decimal = readDecimal(value);
  return decimal === undefined ? undefined : readPrice(new Big(decimal).times("0.01").toFixed());
}

/** The machines of a list have few prices, and an exact decimal costs more than all else in a record. */
const MOST_REMEMBERED = 1_000;

function remembered<K extends Json | undefined>(
  read: (value: K) => string | undefined,
): (value: K) => string | undefined {
  const known = new Map<K, string | undefined>();
  return (value) => {
    const before = known.get(value);
    if (before !== undefined) return before;
    const result = read(value);
    if (result === undefined) return undefined;
    if (known.size >= MOST_REMEMBERED) known.clear();
    known.set(value, result);
    return result;
  };
}

export const GPUS = `a whole number of at most ${MOST_GPUS}`;

export function readCount(value: Json | undefined): number | undefined {
  const count = readInteger(value);
  return count === undefined || count < 0 || count > MOST_GPUS ? undefined : count;
}
