import { readText } from "../../../service/json.ts";
import { formatPointer } from "../../../service/pointer.ts";
import type { Json } from "../../../service/service.ts";

export type JsonObject = { readonly [key: string]: Json };

/** An array somewhere in an answer. */
export interface FoundList {
  readonly pointer: string;
  readonly length: number;
  readonly objects: readonly JsonObject[];
  /** Its objects that have `id` and `status`, as the specification shows for every deployment. */
  readonly deployments: readonly JsonObject[];
}

/** Of pointers, in tokens. */
export const MAX_DEPTH = 5;
/** A hostile answer may be wide as well as deep. */
const MAX_NODES = 5_000;
const MAX_RECORDS = 100;

/** Every array that a JSON Pointer may sensibly name, the outermost first. Arrays in arrays are left out. */
export function listsIn(json: Json): readonly FoundList[] {
  const found: FoundList[] = [];
  let nodes = 0;
  let level: { readonly value: Json; readonly tokens: readonly string[] }[] = [{ value: json, tokens: [] }];
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth++) {
    const next: typeof level = [];
    for (const { value, tokens } of level) {
      if (++nodes > MAX_NODES) return found;
      if (Array.isArray(value)) found.push(describe(value as readonly Json[], formatPointer(tokens)));
      else if (isObject(value)) {
        for (const [key, inner] of Object.entries(value)) {
          if (isToken(key) && next.length < MAX_NODES) next.push({ value: inner, tokens: [...tokens, key] });
        }
      }
    }
    level = next;
  }
  return found;
}

function describe(items: readonly Json[], pointer: string): FoundList {
  const objects = items.slice(0, MAX_RECORDS).filter(isObject);
  return { pointer, length: items.length, objects, deployments: objects.filter(isDeployment) };
}

export function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** Whether it has the fields that the specification shows of every deployment (section 2). */
export function isDeployment(record: Json): boolean {
  return isObject(record) && readText(record.id) !== undefined && typeof record.status === "string";
}

/** Whether a key can stand in a proposal: a person would write it, and it harms no terminal. */
export function isToken(key: string): boolean {
  return /^[\p{L}\p{N} _.:@$~/-]{1,64}$/u.test(key);
}
