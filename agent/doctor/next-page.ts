import type { Json } from "../../service/contract/service.ts";
import type { ListProfile } from "../../service/list/pagination.ts";
import { valueAt } from "../../service/text/pointer.ts";
import { isObject, listsIn } from "../propose/shape/lists.ts";
import { pagingSigns } from "../propose/shape/paging.ts";
import { type ConfirmedPaging, pagingGuesses, queryText } from "../propose/shape/paging-guess.ts";
import { goodJson, type Sighting } from "./recording-transport.ts";

/**
 * Reads one more page of a list that seems to go on, where the profile does not say how. It gives the first
 * guess whose page shows records, and none that the first answer has. Undefined if no guess worked. `ask`
 * sends a GET with this query to the list, and gives undefined if the answer was not good.
 */
export async function findNextPage(
  first: Sighting | undefined,
  mapped: ListProfile | undefined,
  ask: (query: string) => Promise<Json | undefined>,
): Promise<ConfirmedPaging | undefined> {
  const json = goodJson(first);
  if (first === undefined || json === undefined) return undefined;
  if (mapped !== undefined && mapped.pagination.kind !== "none") return undefined;
  const pointer = mapped?.items ?? longestList(json);
  const shown = keysAt(json, pointer);
  for (const guess of pagingGuesses(pagingSigns(first), shown.length)) {
    const answer = await ask(queryText({ ...mapped?.query, ...guess.query }));
    const next = answer === undefined ? [] : keysAt(answer, pointer);
    if (next.length > 0 && !next.some((key) => shown.includes(key))) return { guess, others: next.length };
  }
  return undefined;
}

function longestList(json: Json): string {
  const [longest] = [...listsIn(json)].sort((one, other) => other.objects.length - one.objects.length);
  return longest?.pointer ?? "";
}

/** A key for each record: its id, or else all of it. */
function keysAt(json: Json, pointer: string): readonly string[] {
  const records = valueAt(json, pointer);
  if (!Array.isArray(records)) return [];
  return (records as readonly Json[]).map((record) =>
    JSON.stringify(isObject(record) ? (record.id ?? record) : record),
  );
}
