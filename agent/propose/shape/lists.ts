import type { Json } from "../../../service/contract/service.ts";
import { readText } from "../../../service/text/json.ts";
import { formatPointer } from "../../../service/text/pointer.ts";

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

/** A value in an answer, and where it stands. */
interface Nested {
  readonly value: Json | undefined;
  readonly tokens: readonly string[];
}

/** Every array that a JSON Pointer may sensibly name, the outermost first. Arrays in arrays are left out. */
export function listsIn(json: Json | undefined): readonly FoundList[] {
  const found: FoundList[] = [];
  let nodes = 0;
  let level: Nested[] = [{ value: json, tokens: [] }];
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth++) {
    const next: Nested[] = [];
    for (const each of level) {
      if (++nodes > MAX_NODES) return found;
      if (Array.isArray(each.value)) found.push(describe(each.value, formatPointer(each.tokens)));
      else next.push(...inside(each).slice(0, MAX_NODES - next.length));
    }
    level = next;
  }
  return found;
}

export function describe(items: readonly Json[], pointer: string): FoundList {
  const objects = items.slice(0, MAX_RECORDS).filter(isObject);
  return { pointer, length: items.length, objects, deployments: objects.filter(isDeployment) };
}

/** The JSON Pointer to the deployment with this id, or to the first one; undefined if it is not there. */
export function deploymentIn(json: Json | undefined, id?: string): string | undefined {
  let level: readonly Nested[] = [{ value: json, tokens: [] }];
  for (let depth = 0; depth <= MAX_DEPTH; depth++) {
    const found = level.find(
      ({ value }) => isDeployment(value) && (id === undefined || readText(value.id) === id),
    );
    if (found !== undefined) return formatPointer(found.tokens);
    level = level.flatMap(inside);
  }
  return undefined;
}

/** The values under the keys of an object. */
function inside({ value, tokens }: Nested): readonly Nested[] {
  const entries = isObject(value) ? Object.entries(value).filter(([key]) => isToken(key)) : [];
  return entries.map(([key, inner]) => ({ value: inner, tokens: [...tokens, key] }));
}

export function isObject(value: Json | undefined): value is JsonObject {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

/** Whether it has the fields that the specification shows of every deployment (section 2). */
function isDeployment(record: Json | undefined): record is JsonObject {
  return isObject(record) && readText(record.id) !== undefined && typeof record.status === "string";
}

/** Whether a key can stand in a proposal: a person would write it, and it harms no terminal. */
export function isToken(key: string): boolean {
  return /^[\p{L}\p{N} _.:@$~/-]{1,64}$/u.test(key);
}
