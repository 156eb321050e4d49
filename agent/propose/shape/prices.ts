import Big from "big.js";
import type { Json } from "../../../service/contract/service.ts";
import { type Place, pointerIn, standingAt } from "../../../service/profile/place.ts";
import { readDecimal, readInteger } from "../../../service/text/json.ts";
import { valueAt } from "../../../service/text/pointer.ts";
import { OF_PARTS, PRICE_NAMES } from "./fields.ts";
import { type Guess, isPrice } from "./guess.ts";
import type { Leaf } from "./leaves.ts";
import { isInCentsByName, isInCentsByText, isPerGpuByName, isPerGpuByText } from "./price-unit.ts";

/** Two prices that arithmetic explains: one, times the GPU count, is the other. */
export interface PricePair {
  readonly perGpu: string;
  readonly whole: string;
  /** For example `2.375 × 8 = 19`, from the record with the most GPUs. */
  readonly proof: string;
}

/** Either price may be rounded to a cent. */
const CENT = new Big("0.01");

/** The pairs of these places that fit in every record, and prove something in at least one. */
export function pricePairs(
  records: readonly Json[],
  places: readonly string[],
  gpus: Place | undefined,
): readonly PricePair[] {
  if (gpus === undefined) return [];
  return places.flatMap((perGpu) =>
    places.flatMap((whole) => {
      const proof = perGpu === whole ? undefined : proofOf(records, perGpu, whole, gpus);
      return proof === undefined ? [] : [{ perGpu, whole, proof }];
    }),
  );
}

function proofOf(records: readonly Json[], perGpu: string, whole: string, gpus: Place): string | undefined {
  let best: { readonly count: number; readonly text: string } | undefined;
  for (const record of records) {
    const [one, all] = [decimalAt(record, perGpu), decimalAt(record, whole)];
    const count = readInteger(standingAt(record, gpus));
    if (one === undefined || all === undefined || count === undefined || count < 1) continue;
    if (one.times(count).minus(all).abs().gt(CENT.times(count))) return undefined;
    if (count > 1 && one.gt(CENT) && count > (best?.count ?? 1))
      best = { count, text: `${one} × ${count} = ${all}` };
  }
  return best?.text;
}

function decimalAt(record: Json, pointer: string): Big | undefined {
  const text = readDecimal(valueAt(record, pointer));
  return text === undefined ? undefined : new Big(text);
}

/** The field of the profile that the records prove wrong; undefined if nothing speaks against it. */
export function misreadPrice(
  fields: { readonly pricePerHour?: Place | undefined; readonly pricePerGpuHour?: Place | undefined },
  pairs: readonly PricePair[],
): { readonly field: "pricePerHour" | "pricePerGpuHour"; readonly pair: PricePair } | undefined {
  const [whole, one] = [pointerIn(fields.pricePerHour), pointerIn(fields.pricePerGpuHour)];
  const asWhole = pairs.find(({ perGpu }) => perGpu === whole);
  if (asWhole) return { field: "pricePerHour", pair: asWhole };
  const asOne = pairs.find((pair) => pair.whole === one);
  return asOne && { field: "pricePerGpuHour", pair: asOne };
}

/** Corrects the guess of a price by arithmetic, or, if that says nothing, by its name. */
export function priceGuess(
  guess: Guess,
  records: readonly Json[],
  leaves: readonly Leaf[],
  gpus: Place | undefined,
): Guess {
  if (guess.field !== "pricePerHour") return guess;
  const pair = pricePairs(records, pricePlaces(leaves), gpus).find(
    ({ perGpu, whole }) => perGpu === guess.pointer || whole === guess.pointer,
  );
  const pointer = pair?.whole ?? guess.pointer;
  const { names = [], note } = leaves.find((leaf) => leaf.pointer === pointer) ?? {};
  const said = note?.text ?? "";
  const cents = isInCentsByName(names) ? "name" : isInCentsByText(said) ? "description" : undefined;
  const priced: Guess = { ...guess, pointer, ...(cents && { cents }) };
  if (pair)
    return { ...priced, proof: `of the whole machine: ${pair.perGpu} is of one GPU, and ${pair.proof}` };
  const isPerGpu = isPerGpuByName(names) || isPerGpuByText(said);
  return isPerGpu ? { ...priced, field: "pricePerGpuHour" } : priced;
}

/** The places that may hold a price. */
export function pricePlaces(leaves: readonly Leaf[]): readonly string[] {
  return leaves
    .filter(
      ({ names, around, values }) =>
        [...names, ...around].some((word) => PRICE_NAMES.includes(word)) &&
        ![...names, ...around].some((word) => OF_PARTS.includes(word)) &&
        values.length > 0 &&
        values.every((value) => isPrice(value)),
    )
    .map(({ pointer }) => pointer);
}
