import { isInCents, type Place, pointerIn, standingAt } from "../../../service/profile/place.ts";
import { readInteger } from "../../../service/text/json.ts";
import { parsePointer } from "../../../service/text/pointer.ts";
import type { Part } from "../../propose/shape/best-list.ts";
import { OF_PARTS } from "../../propose/shape/fields.ts";
import { leavesOf, NOTHING, wordsOf } from "../../propose/shape/leaves.ts";
import {
  otherTimeOf,
  type PriceReading,
  readingByName,
  readingText,
} from "../../propose/shape/price-unit.ts";
import { misreadPrice, pricePairs, pricePlaces } from "../../propose/shape/prices.ts";
import { seenText } from "../../propose/shape/proposal.ts";
import { yamlText } from "../../propose/shape/texts.ts";
import type { DoctorInput } from "../doctor-input.ts";
import { recordsOf } from "../records.ts";
import { proposed, replacement } from "../remedy.ts";
import { type Check, finding } from "../report.ts";

/**
 * Whether the profile takes the price of one GPU for the price of the machine, or the other way round. A
 * limit on money would then be judged by a fraction of the price.
 */
export function priceCheck(part: Part, input: DoctorInput): readonly Check[] {
  const { loaded } = input;
  const fields = loaded.profile[part]?.fields;
  if (fields === undefined) return [];
  const records = recordsOf(part, input);
  const misread = misreadPrice(
    fields,
    pricePairs(records, pricePlaces(leavesOf(records, NOTHING)), fields.gpus),
  );
  if (misread === undefined) return unitChecks(part, input);
  const { field, pair } = misread;
  const { perGpu, whole, proof } = pair;
  const says =
    `The profile reads ${part}.fields.${field} at ${field === "pricePerHour" ? perGpu : whole}, but ${perGpu} is what one GPU ` +
    `costs and ${whole} what the whole machine does: ${proof}. Every limit on money would be judged by a wrong price.`;
  const line = `pricePerHour: ${yamlText(whole)}  # of the whole machine`;
  const remedy = proposed(replacement(loaded, [part, "fields", field], line));
  return [finding(part, `${part}.price`).problem(says, remedy)];
}

/** Asks where a price's name says something else than the profile. Only a person knows which of them is right. */
function unitChecks(part: Part, input: DoctorInput): readonly Check[] {
  const fields = input.loaded.profile[part]?.fields;
  return (["pricePerHour", "pricePerGpuHour"] as const).flatMap((field) => {
    const place = fields?.[field];
    const pointer = pointerIn(place);
    if (place === undefined || pointer === undefined) return [];
    const { names, around } = wordsOf(parsePointer(pointer));
    const check = finding(part, `${part}.priceUnit`);
    const reading: PriceReading = { field, inCents: isInCents(place) };
    const says = `The profile reads ${part}.fields.${field} at ${pointer}${seen(pointer, part, input)} as ${readingText(reading, input.money.currency)}`;
    const time = otherTimeOf(names);
    const other = time ?? [...names, ...around].find((word) => OF_PARTS.includes(word));
    if (other !== undefined) {
      const what = time === undefined ? "a machine" : "an hour";
      return check.warning(
        `${says}, and its name says ${JSON.stringify(other)}. Is it the price of ${what}? Every limit on money is judged by it.`,
        {
          text:
            `If it is not, take ${part}.fields.${field} out: no key of a profile converts it into a price of an hour. ` +
            "Write pricePerHour beside the candidates of the fleet file instead",
        },
      );
    }
    const byName = readingByName(reading, names);
    if (byName === undefined || isProven(byName, place, part, input)) return [];
    const line = `${byName.field}: ${byName.inCents ? `{ pointer: ${yamlText(pointer)}, unit: cents }` : yamlText(pointer)}`;
    return check.warning(
      `${says}. Is it ${readingText(byName, input.money.currency)}, as its name says? Every limit on money is judged by it.`,
      proposed(
        replacement(
          input.loaded,
          [part, "fields", field],
          `${line}  # ${readingText(byName, input.money.currency)}`,
        ),
      ),
    );
  });
}

function seen(pointer: string, part: Part, input: DoctorInput): string {
  const leaf = leavesOf(recordsOf(part, input), NOTHING).find((each) => each.pointer === pointer);
  return leaf && leaf.values.length > 0
    ? ` (${seenText(pointer, leaf.values.slice(0, 3), input.redact)})`
    : "";
}

/** Machines with one GPU cost what the GPU does, and arithmetic may have shown that this is the whole price. */
function isProven(byName: PriceReading, place: Place, part: Part, input: DoctorInput): boolean {
  const fields = input.loaded.profile[part]?.fields;
  if (fields?.gpus === undefined || byName.inCents !== isInCents(place)) return false;
  const gpus = fields.gpus;
  const records = recordsOf(part, input);
  if (records.length > 0 && records.every((record) => readInteger(standingAt(record, gpus)) === 1))
    return true;
  const pairs = pricePairs(records, pricePlaces(leavesOf(records, NOTHING)), gpus);
  return pairs.some(
    ({ whole, perGpu }) => pointerIn(place) === (byName.field === "pricePerHour" ? perGpu : whole),
  );
}
