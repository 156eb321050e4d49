import { valueAt } from "../../../../service/pointer.ts";
import type { Json } from "../../../../service/service.ts";
import { isObject, type JsonObject } from "../../../doctor/shape/lists.ts";

/** Reads the schemas of one document. References go within the document only. */
export interface Schemas {
  /** What a `$ref` names, or the value itself. */
  resolve(value: Json): Json;
  /** A schema without references, down to its last property, with what `allOf`, `oneOf` and `anyOf` add to it. */
  whole(schema: Json): JsonObject;
  /** JSON as the schema describes it. Values stand in for types; a text of which nothing is known is empty. */
  standIn(schema: Json): Json;
}

/** A document may name itself, again and again. */
const MOST_DEPTH = 10;
const MOST_PLACES = 5_000;

export function createSchemas(root: JsonObject): Schemas {
  const resolve = (value: Json): Json => {
    let found = value;
    for (let steps = 0; steps < MOST_DEPTH && isObject(found) && typeof found.$ref === "string"; steps++) {
      const { $ref } = found;
      found = $ref.startsWith("#") ? (valueAt(root, decodeURIComponent($ref.slice(1))) ?? null) : null;
    }
    return found;
  };

  const shallow = (schema: Json, depth = 0): JsonObject => {
    const own = resolve(schema);
    if (!isObject(own) || depth > MOST_DEPTH) return {};
    const all = [own.allOf, own.oneOf, own.anyOf]
      .flatMap((list) => (Array.isArray(list) ? (list as readonly Json[]) : []))
      .map((each) => shallow(each, depth + 1))
      .filter(({ type }) => type !== "null");
    if (all.length === 0) return own;
    const properties = [...all, own].flatMap((each) =>
      isObject(each.properties) ? Object.entries(each.properties) : [],
    );
    const required = [...all, own].flatMap((each) => (Array.isArray(each.required) ? each.required : []));
    const [first = {}] = all;
    return {
      ...first,
      ...own,
      ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
      required: required as readonly Json[],
    };
  };

  const whole = (schema: Json, depth = 0): JsonObject => {
    const own = shallow(schema);
    if (!isObject(own.properties) || depth > MOST_DEPTH) return own;
    const properties = Object.entries(own.properties).map(([key, inner]) => [key, whole(inner, depth + 1)]);
    return { ...own, properties: Object.fromEntries(properties) as JsonObject };
  };

  let places = 0;
  /** `within`: the references that led here. A record that holds one of its own kind is shown once. */
  const standIn = (schema: Json, within: readonly string[] = []): Json => {
    if (within.length === 0) places = 0;
    const reference = isObject(schema) ? String(schema.$ref ?? "") : "";
    const isAgain = reference !== "" && within.includes(reference);
    if (isAgain || within.length > MOST_DEPTH || ++places > MOST_PLACES) return null;
    const { properties, items, ...rest } = shallow(schema);
    const path = [...within, reference];
    if (isObject(properties) && Object.keys(properties).length > 0) {
      const made = Object.entries(properties).map(([key, inner]) => [key, standIn(inner, path)] as const);
      const record: Record<string, Json> = Object.fromEntries(made);
      // Every deployment has both (specification, section 2): without texts it would not be seen as one.
      if ("id" in record && typeof record.status === "string") {
        record.id = record.id || "id";
        record.status = record.status || "status";
      }
      return record;
    }
    if (items !== undefined) return [standIn(items, path)];
    return scalarOf(rest);
  };

  return { resolve, whole, standIn };
}

function scalarOf({ type, format, enum: words, const: only, example, examples }: JsonObject): Json {
  const shown = example ?? only ?? (Array.isArray(examples) ? (examples[0] as Json) : undefined);
  if (typeof shown === "string" || typeof shown === "number" || typeof shown === "boolean") return shown;
  if (Array.isArray(words) && words.length > 0) return words[0] as Json;
  const types = Array.isArray(type) ? (type as readonly Json[]) : [type];
  if (types.includes("integer") || types.includes("number")) return 1;
  if (types.includes("boolean")) return true;
  if (format === "date-time") return "2000-01-01T00:00:00Z";
  return "";
}
