import { REQUIREMENTS } from "../../../service/profile/requirement.ts";
import { valueAt } from "../../../service/text/pointer.ts";
import { bestList, itemsLine, listIn, type Part } from "../../propose/shape/best-list.ts";
import type { FoundList } from "../../propose/shape/lists.ts";
import { pagingSigns } from "../../propose/shape/paging.ts";
import { pagingLines } from "../../propose/shape/paging-guess.ts";
import { gapLine, OFFER_NEEDS } from "../../propose/shape/texts.ts";
import type { DoctorInput } from "../doctor-input.ts";
import { fieldLines } from "../field-lines.ts";
import { goodJson } from "../recording-transport.ts";
import { addition, proposed, replacement } from "../remedy.ts";
import type { Remedy } from "../report.ts";

/** The lines for a list, from the answer as it came, as far as it shows them. */
export function listRemedy(part: Part, input: DoctorInput): Remedy {
  const { loaded, seen } = input;
  const required = REQUIREMENTS[part === "offers" ? "offers" : "list"];
  const { answer, next } = seen?.rest?.[part] ?? {};
  const list = seemsToBe(part, input);
  if (list === undefined || answer === undefined) return addition(loaded, required.part, required.lines);
  const lines = [itemsLine(part, list), ...pagingLines(pagingSigns(answer), list.length, next)];
  if (part === "deployments") return proposed(addition(loaded, required.part, lines));
  const found = fieldLines("offers", input);
  const gaps = OFFER_NEEDS.filter((name) => !found.some((line) => line.startsWith(`${name}:`))).map(gapLine);
  const below = (all: readonly string[]): readonly string[] => all.map((line) => `  ${line}`);
  const both = ["list:", ...below(lines), "fields:", ...below([...found, ...gaps])];
  return proposed(addition(loaded, required.part, both));
}

/** Another pointer, or other fields, for a list that could not be read, if the answer shows them. */
export function correction(part: Part, input: DoctorInput): Remedy | undefined {
  const { loaded, seen } = input;
  const json = goodJson(seen?.rest?.[part].answer);
  const items = loaded.profile[part]?.list?.items;
  const best = seemsToBe(part, input);
  if (json === undefined || items === undefined || best === undefined) return undefined;
  // Of nested records some could be read, so they stand there: what the others lack is theirs.
  if (items.includes("*") && seen?.rest?.[part].read?.value?.length) return undefined;
  if (part === "offers" ? !Array.isArray(valueAt(json, items)) : best.pointer !== items)
    return proposed(replacement(loaded, [part, "list", "items"], itemsLine(part, best)));
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
  return part === "deployments" ? listIn(part, json) : bestList(part, json);
}
