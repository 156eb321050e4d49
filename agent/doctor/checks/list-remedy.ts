import { valueAt } from "../../../service/pointer.ts";
import { REQUIREMENTS } from "../../../service/requirement.ts";
import type { DoctorInput } from "../doctor-input.ts";
import { fieldLines } from "../field-lines.ts";
import type { Part } from "../look.ts";
import { goodJson } from "../recording-transport.ts";
import { bestList, onlyEmptyList } from "../records.ts";
import { addition, proposed, replacement, yamlText } from "../remedy.ts";
import { count, type Remedy } from "../report.ts";
import type { FoundList } from "../shape/lists.ts";
import { pagingSigns } from "../shape/paging.ts";
import { pagingLines } from "../shape/paging-guess.ts";

/** The lines for the list of deployments, from the answer as it came, if it shows enough. */
export function deploymentsRemedy(input: DoctorInput): Remedy {
  const { part, lines } = REQUIREMENTS.list;
  const found = seemsToBe("deployments", input);
  if (found === undefined) return addition(input.loaded, part, lines);
  const why =
    found.deployments.length > 0
      ? `the array whose ${count(found.deployments.length, "item")} have id and status`
      : "the only array in the answer; it is empty, so look again once a deployment exists";
  return proposed(addition(input.loaded, part, listLines("deployments", input, found, why)));
}

/** The lines for the part "offers", as far as the answer shows them. */
export function offersRemedy(input: DoctorInput): Remedy {
  const { part, lines } = REQUIREMENTS.offers;
  const list = seemsToBe("offers", input);
  if (list === undefined) return addition(input.loaded, part, lines);
  const found = fieldLines("offers", input);
  const gaps = (["id", "provider", "location", "gpus"] as const)
    .filter((name) => !found.some((line) => line.startsWith(`${name}:`)))
    .map(gapLine);
  const why = `the array with ${count(list.length, "object")}`;
  return proposed(
    addition(input.loaded, part, [
      "list:",
      ...listLines("offers", input, list, why).map((line) => `  ${line}`),
      "fields:",
      ...[...found, ...gaps].map((line) => `  ${line}`),
    ]),
  );
}

/** A service with one provider or one location may not name it in each offer: the profile gives its value. */
export function gapLine(name: "id" | "provider" | "location" | "gpus"): string {
  return name === "id" || name === "gpus"
    ? `${name}: <JSON Pointer in one offer to its ${name}>`
    : `${name}: { value: "<the ${name}, if the service has only one; else a JSON Pointer in its place>" }  # no field looks like it`;
}

/** Another pointer, or other fields, for a list that could not be read, if the answer shows them. */
export function correction(part: Part, input: DoctorInput): Remedy | undefined {
  const { loaded, seen } = input;
  const json = goodJson(seen?.rest?.[part].answer);
  const items = loaded.profile[part]?.list?.items;
  const best = seemsToBe(part, input);
  if (json === undefined || items === undefined || best === undefined) return undefined;
  const isOffers = part === "offers";
  if (isOffers ? !Array.isArray(valueAt(json, items)) : best.pointer !== items) {
    const deployments =
      best.deployments.length > 0
        ? `${count(best.deployments.length, "item")} with id and status`
        : "the only array in the answer, empty for now";
    const why = isOffers ? count(best.length, "object") : deployments;
    const line = `items: ${yamlText(best.pointer)}  # ${why}`;
    return proposed(replacement(loaded, [part, "list", "items"], line));
  }
  const lines = fieldLines(part, input);
  if (lines.length === 0) return undefined;
  return proposed({
    text: `What the fields look like; correct the one that is named above, under "${part}.fields:"`,
    at: loaded.locate([part, "fields"]),
    lines: lines.map((line) => `    ${line}`),
  });
}

function seemsToBe(part: Part, { seen }: DoctorInput): FoundList | undefined {
  const json = goodJson(seen?.rest?.[part].answer);
  return bestList(part, json) ?? (part === "deployments" ? onlyEmptyList(json) : undefined);
}

function listLines(part: Part, { seen }: DoctorInput, list: FoundList, why: string): readonly string[] {
  const { answer, next } = seen?.rest?.[part] ?? {};
  const paging = answer === undefined ? [] : pagingLines(pagingSigns(answer), list.length, next);
  return [`items: ${yamlText(list.pointer)}  # ${why}`, ...paging];
}
