import type { Json } from "../contract/service.ts";
import { readInteger } from "../text/json.ts";
import { valueAt } from "../text/pointer.ts";

/*
 * Where answers are known to say that a list goes on. Nothing is read by these words: they only refuse a list that the
 * profile says to be whole (pagination: none), as a Link header with rel="next" does.
 */

const NEXT = ["/next_token", "/next_page_token", "/links/pages/next", "/meta/links/next"] as const;
const TOTAL = "/total_count";

/** What says that more follows these records, for people. `records`: undefined where nobody knows what a total counts. */
export function nextPageSign(json: Json, records: number | undefined): string | undefined {
  const next = NEXT.find((pointer) => valueAt(json, pointer));
  if (next !== undefined) return `something stands at ${next}`;
  const total = readInteger(valueAt(json, TOTAL)) ?? 0;
  return records === undefined || total <= records ? undefined : `${TOTAL} is ${total}, and ${records} came`;
}
