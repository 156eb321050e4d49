import type { DoctorInput } from "../doctor-input.ts";
import type { Part } from "../look.ts";
import { recordsOf } from "../records.ts";
import { proposed, replacement, yamlText } from "../remedy.ts";
import { type Check, finding } from "../report.ts";
import { leavesOf, NOTHING } from "../shape/leaves.ts";
import { misreadPrice, pricePairs, pricePlaces } from "../shape/prices.ts";

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
  if (misread === undefined) return [];
  const { field, pair } = misread;
  const { perGpu, whole, proof } = pair;
  const says =
    `The profile reads ${part}.fields.${field} at ${field === "pricePerHour" ? perGpu : whole}, but ${perGpu} is what one GPU ` +
    `costs and ${whole} what the whole machine does: ${proof}. Every limit on money would be judged by a wrong price.`;
  const line = `pricePerHour: ${yamlText(whole)}  # of the whole machine`;
  const remedy = proposed(replacement(loaded, [part, "fields", field], line));
  return [finding(part, `${part}.price`).problem(says, remedy)];
}
