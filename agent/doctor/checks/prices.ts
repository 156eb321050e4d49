import type { Json } from "../../../service/service.ts";
import type { DoctorInput } from "../doctor-input.ts";
import { yamlText } from "../remedy.ts";
import type { Check } from "../report.ts";
import { leavesOf } from "../shape/leaves.ts";
import { misreadPrice, pricePairs, pricePlaces } from "../shape/prices.ts";

/**
 * Whether the profile takes the price of one GPU for the price of the machine, or the other way round. A
 * limit on money would then be judged by a fraction of the price.
 */
export function priceCheck(
  { loaded }: DoctorInput,
  part: "offers" | "deployments",
  records: readonly Json[],
): readonly Check[] {
  const fields = loaded.profile[part]?.fields;
  if (fields === undefined) return [];
  const pairs = pricePairs(records, pricePlaces(leavesOf(records, new Set())), fields.gpus);
  const misread = misreadPrice(fields, pairs);
  if (misread === undefined) return [];
  const { field, pair } = misread;
  return [
    {
      id: `${part}.price`,
      section: part,
      level: "problem",
      says:
        `The profile reads ${part}.fields.${field} at ${field === "pricePerHour" ? pair.perGpu : pair.whole}, but ${pair.perGpu} is what one GPU ` +
        `costs and ${pair.whole} what the whole machine does: ${pair.proof}. Every limit on money would be judged by a wrong price.`,
      remedy: {
        text: `Write in the profile, instead of what stands at "${part}.fields.${field}"`,
        at: loaded.locate([part, "fields", field]),
        lines: [`    pricePerHour: ${yamlText(pair.whole)}  # of the whole machine`],
        proposed: true,
      },
    },
  ];
}
