import type { Json } from "../../../service/contract/service.ts";
import { canonicalJson } from "../../../service/text/json.ts";
import { formatPointer } from "../../../service/text/pointer.ts";
import { NUMBER, numberIn } from "../../../service/text/template.ts";

/** What stood in the place of each placeholder. */
export type Filled = ReadonlyMap<string, Json>;

/** Where a document cannot be what a template was filled to. */
export interface Mismatch {
  /** A JSON Pointer (RFC 6901). */
  readonly pointer: string;
  readonly why: string;
}

const PLACEHOLDER = /\{([A-Za-z_][\w.-]*)\}/g;

/** The reverse of `fill` (service/text/template.ts): finds what was filled in, or where the document is another one. */
export function unfill(template: Json, document: Json): Filled | Mismatch {
  const found = new Map<string, Json>();
  return mismatchOf(template, document, [], found) ?? found;
}

export function isMismatch(result: Filled | Mismatch): result is Mismatch {
  return !(result instanceof Map);
}

function mismatchOf(
  template: Json,
  document: Json | undefined,
  path: readonly string[],
  found: Map<string, Json>,
): Mismatch | undefined {
  if (document === undefined)
    return mismatch(path, "the profile sends it, and the recorded request has none");
  if (typeof template === "string") return textMismatch(template, document, path, found);
  const number = numberIn(template);
  // A number beyond 2^53 was read as the text of its digits.
  const isNumber =
    typeof document === "number" ||
    (typeof document === "string" && NUMBER.test(document) && !Number.isSafeInteger(Number(document)));
  if (number !== undefined && isNumber) return put(found, number, String(document), path);
  if (template === null || typeof template !== "object")
    return template === document ? undefined : otherValue(template, document, path);
  if (
    document === null ||
    typeof document !== "object" ||
    Array.isArray(template) !== Array.isArray(document)
  )
    return otherValue(template, document, path);
  const mine = template as Readonly<Record<string, Json>>;
  const theirs = document as Readonly<Record<string, Json>>;
  for (const key of Object.keys(theirs))
    if (!Object.hasOwn(mine, key))
      return mismatch([...path, key], "the recorded request has it, and the profile does not send it");
  for (const [key, value] of Object.entries(mine)) {
    const inner = Object.hasOwn(theirs, key) ? theirs[key] : undefined;
    const other = mismatchOf(value, inner, [...path, key], found);
    if (other) return other;
  }
  return undefined;
}

function textMismatch(
  template: string,
  document: Json,
  path: readonly string[],
  found: Map<string, Json>,
): Mismatch | undefined {
  const names = [...template.matchAll(PLACEHOLDER)].map((match) => match[1] ?? "");
  const [only] = names;
  if (only !== undefined && template === `{${only}}`) return put(found, only, document, path);
  if (typeof document !== "string") return otherValue(template, document, path);
  const texts = template.split(PLACEHOLDER).filter((_, index) => index % 2 === 0);
  const values = new RegExp(`^${texts.map(RegExp.escape).join("(.+?)")}$`, "s").exec(document)?.slice(1);
  if (values === undefined) return otherValue(template, document, path);
  for (const [index, name] of names.entries()) {
    const other = put(found, name, values[index] ?? "", path);
    if (other) return other;
  }
  return undefined;
}

function put(
  found: Map<string, Json>,
  name: string,
  value: Json,
  path: readonly string[],
): Mismatch | undefined {
  const before = found.get(name);
  found.set(name, value);
  if (before === undefined || canonicalJson(before) === canonicalJson(value)) return undefined;
  return mismatch(
    path,
    `{${name}} is ${JSON.stringify(value)} here, and ${JSON.stringify(before)} elsewhere`,
  );
}

function otherValue(template: Json, document: Json, path: readonly string[]): Mismatch {
  const [mine, theirs] = [JSON.stringify(template), JSON.stringify(document)];
  return mismatch(path, `the profile sends ${mine}, and the recorded request has ${theirs}`);
}

function mismatch(path: readonly string[], why: string): Mismatch {
  return { pointer: formatPointer(path), why };
}
