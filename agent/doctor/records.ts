import type { Json } from "../../service/contract/service.ts";
import { readText } from "../../service/text/json.ts";
import { valueAt } from "../../service/text/pointer.ts";
import type { Redaction } from "../../service/text/redaction.ts";
import type { DoctorInput } from "./doctor-input.ts";
import type { Part } from "./look.ts";
import { goodJson, type Sighting } from "./recording-transport.ts";
import { yamlText } from "./remedy.ts";
import { count } from "./report.ts";
import { leavesOf } from "./shape/leaves.ts";
import { describe, type FoundList, type JsonObject, listsIn } from "./shape/lists.ts";

/** The records as they came: at the profile's place, or else in the array that seems to be the list. */
export function recordsOf(part: Part, { loaded, seen }: DoctorInput): readonly JsonObject[] {
  const json = goodJson(seen?.rest?.[part].answer);
  const pointer = loaded.profile[part]?.list?.items;
  const mapped = json === undefined || pointer === undefined ? undefined : valueAt(json, pointer);
  const records = Array.isArray(mapped) ? recordsIn(part, describe(mapped, "")) : [];
  const best = records.length > 0 ? undefined : bestList(part, json);
  return best === undefined ? records : recordsIn(part, best);
}

/** The array with the most records. */
export function bestList(part: Part, json: Json | undefined): FoundList | undefined {
  const [best] = listsIn(json)
    .filter((list) => recordsIn(part, list).length > 0)
    .sort((one, other) => recordsIn(part, other).length - recordsIn(part, one).length);
  return best;
}

/** The specification shows that a deployment has id and status. It shows no field of an offer. */
function recordsIn(part: Part, { deployments, objects }: FoundList): readonly JsonObject[] {
  return part === "deployments" ? deployments : objects;
}

/** The array with the most records. Before the first one an empty array may be the list, if it is the only array. */
export function listIn(part: Part, json: Json | undefined): FoundList | undefined {
  const [only, ...others] = listsIn(json);
  return bestList(part, json) ?? (others.length === 0 && only?.length === 0 ? only : undefined);
}

/** Where a list has its items. `where`: such as "list.json: ". */
export function itemsLine(part: Part, list: FoundList, where = ""): string {
  const items = recordsIn(part, list).length;
  const why =
    items === 0
      ? "the only array in the answer; it is empty, so look again once there is a machine"
      : `${count(items, "object")}${part === "offers" ? "" : " with id and status"}`;
  return `items: ${yamlText(list.pointer)}  # ${where}${why}`;
}

export function at({ pointer }: Pick<FoundList, "pointer">): string {
  return pointer === "" ? "the top of the answer" : pointer;
}

/** Completes "A plain GET ..." for a bad answer: `answered 400 ("Only view=full is known.")`. */
export function answerText(answer: Sighting | undefined, redact: Redaction): string {
  if (answer === undefined) return "was not answered";
  if (answer.status < 300)
    return `answered ${answer.status}${answer.json === undefined ? ", but not with JSON" : ""}`;
  const texts =
    answer.json === undefined ? [] : leavesOf([answer.json], new Set()).flatMap(({ values }) => values);
  const sentence = texts.map((value) => readText(value as Json)).find((text) => text?.includes(" "));
  return `answered ${answer.status}${sentence === undefined ? "" : ` (${JSON.stringify(redact.text(sentence, 120))})`}`;
}

/** What a refused GET of a list (a 4xx) may want. */
export function queryHint(part: Part, answer: Sighting | undefined): string {
  return answer !== undefined && answer.status >= 400 && answer.status < 500
    ? ` If it wants query parameters, say them under ${part}.list.query, and look again.`
    : "";
}
