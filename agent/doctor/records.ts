import type { Json } from "../../service/contract/service.ts";
import { readText } from "../../service/text/json.ts";
import { valueAt } from "../../service/text/pointer.ts";
import type { Redaction } from "../../service/text/redaction.ts";
import { bestList, type Part, recordsIn } from "../propose/shape/best-list.ts";
import { leavesOf } from "../propose/shape/leaves.ts";
import { describe, type JsonObject } from "../propose/shape/lists.ts";
import type { DoctorInput } from "./doctor-input.ts";
import { goodJson, type Sighting } from "./recording-transport.ts";

/** The records as they came: at the profile's place, or else in the array that seems to be the list. */
export function recordsOf(part: Part, { loaded, seen }: DoctorInput): readonly JsonObject[] {
  const json = goodJson(seen?.rest?.[part].answer);
  const pointer = loaded.profile[part]?.list?.items;
  const mapped = json === undefined || pointer === undefined ? undefined : valueAt(json, pointer);
  const records = Array.isArray(mapped) ? recordsIn(part, describe(mapped, "")) : [];
  const best = records.length > 0 ? undefined : bestList(part, json);
  return best === undefined ? records : recordsIn(part, best);
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
