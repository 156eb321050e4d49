import { readText } from "../../service/json.ts";
import { valueAt } from "../../service/pointer.ts";
import type { Redaction } from "../../service/redaction.ts";
import type { Json } from "../../service/service.ts";
import type { DoctorInput } from "./doctor-input.ts";
import type { Sighting } from "./recording-transport.ts";
import { leavesOf } from "./shape/leaves.ts";
import { type FoundList, isDeployment, listsIn } from "./shape/lists.ts";

/** The deployments as they came: at the profile's place, or else in the array that seems to be the list. */
export function recordsOf({ loaded, seen }: DoctorInput): readonly Json[] {
  const json = goodJson(seen?.rest?.deploymentsAnswer);
  if (json === undefined) return [];
  const pointer = loaded.profile.deployments?.list?.items;
  const mapped = pointer === undefined ? undefined : valueAt(json, pointer);
  if (Array.isArray(mapped)) {
    const records = (mapped as readonly Json[]).slice(0, 100).filter(isDeployment);
    if (records.length > 0) return records;
  }
  return bestList(json)?.deployments ?? [];
}

/** The array with the most objects that have id and status. */
export function bestList(json: Json): FoundList | undefined {
  const [best] = listsIn(json)
    .filter(({ deployments }) => deployments.length > 0)
    .sort((one, other) => other.deployments.length - one.deployments.length);
  return best;
}

/** Before the first deployment, an empty array may be the list, if it is the only array. */
export function onlyEmptyList(json: Json): FoundList | undefined {
  const lists = listsIn(json);
  return lists.length === 1 && lists[0]?.length === 0 ? lists[0] : undefined;
}

export function at({ pointer }: FoundList): string {
  return pointer === "" ? "the top of the answer" : pointer;
}

/** The JSON body of a good answer. */
export function goodJson(answer: Sighting | undefined): Json | undefined {
  return answer === undefined || answer.status >= 300 ? undefined : answer.json;
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

/** The service understood the request, and refused it: a 4xx. */
export function isRefused(answer: Sighting | undefined): boolean {
  return answer !== undefined && answer.status >= 400 && answer.status < 500;
}

export function queryHint(part: string): string {
  return ` If it wants query parameters, say them under ${part}.query, and look again.`;
}
