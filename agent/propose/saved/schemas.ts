import type { Json } from "../../../service/contract/service.ts";
import { readText } from "../../../service/text/json.ts";
import { formatPointer, valueAt } from "../../../service/text/pointer.ts";
import type { Note } from "../shape/leaves.ts";
import { isObject, type JsonObject } from "../shape/lists.ts";

/** Reads the schemas of one document. References go within the document only. */
export interface Schemas {
  /** What a `$ref` names, or the value itself. */
  resolve(value: Json): Json;
  /** A schema without references, down to its last property, with what `allOf`, `oneOf` and `anyOf` add to it. */
  whole(schema: Json): JsonObject;
  /** JSON as the schema describes it. Values stand in for types; a text of which nothing is known is empty. */
  standIn(schema: Json): StandIn;
}

export interface StandIn {
  readonly json: Json;
  /** What the document says of places in it, by JSON Pointer. */
  readonly notes: ReadonlyMap<string, Note>;
}

/** A document may name itself, again and again. */
const MOST_DEPTH = 10;
const MOST_PLACES = 5_000;
/** For one body or answer. */
const MOST_STEPS = 20_000;

export function createSchemas(root: JsonObject): Schemas {
  const resolve = (value: Json): Json => {
    let found = value;
    for (let steps = 0; steps < MOST_DEPTH && isObject(found) && typeof found.$ref === "string"; steps++) {
      const { $ref } = found;
      found = $ref.startsWith("#") ? (valueAt(root, decodeURIComponent($ref.slice(1))) ?? null) : null;
    }
    return found;
  };

  let steps = 0;
  const shallow = (schema: Json, depth = 0): JsonObject => {
    const own = resolve(schema);
    if (!isObject(own) || depth > MOST_DEPTH || ++steps > MOST_STEPS) return {};
    const read = (list: Json | undefined): readonly JsonObject[] =>
      (Array.isArray(list) ? (list as readonly Json[]) : [])
        .map((each) => shallow(each, depth + 1))
        .filter(({ type }) => type !== "null");
    const together = [...read(own.allOf), own];
    const either = [read(own.oneOf), read(own.anyOf)];
    const all = [...either.flat(), ...together];
    if (all.length === 1) return own;
    const properties = new Map<string, Json>();
    for (const each of all)
      for (const [key, inner] of Object.entries(isObject(each.properties) ? each.properties : {})) {
        const before = properties.get(key);
        const isSame = before === undefined || JSON.stringify(before) === JSON.stringify(inner);
        properties.set(key, isSame ? inner : { allOf: [before, inner] });
      }
    // Of several bodies, each has its own: only what all of them require is required.
    const required = [
      ...together.flatMap(requiredOf),
      ...either.flatMap(([first, ...rest]) =>
        requiredOf(first ?? {}).filter((key) => rest.every((each) => requiredOf(each).includes(key))),
      ),
    ];
    const words = either.flat().flatMap((each) => each.enum ?? each.const ?? []);
    const only = new Set(all.flatMap((each) => each.const ?? []));
    return {
      ...Object.assign({}, ...all.toReversed(), own),
      ...(only.size > 1 && { const: undefined }),
      ...(words.length > 0 && { enum: words }),
      ...(properties.size > 0 && { properties: Object.fromEntries(properties) }),
      required,
    };
  };

  const whole = (schema: Json, depth = 0): JsonObject => {
    if (depth === 0) steps = 0;
    const own = shallow(schema);
    if (!isObject(own.properties) || depth > MOST_DEPTH) return own;
    const properties = Object.entries(own.properties).map(([key, inner]) => [key, whole(inner, depth + 1)]);
    return { ...own, properties: Object.fromEntries(properties) as JsonObject };
  };

  const standIn = (schema: Json): StandIn => {
    const notes = new Map<string, Note>();
    let places = 0;
    steps = 0;
    /** `within`: the references that led here. A record that holds one of its own kind is shown once. */
    const made = (inner: Json, within: readonly string[], tokens: readonly string[], above = ""): Json => {
      const reference = isObject(inner) ? String(inner.$ref ?? "") : "";
      const isAgain = reference !== "" && within.includes(reference);
      if (isAgain || within.length > MOST_DEPTH || ++places > MOST_PLACES) return null;
      const { properties, items, additionalProperties, ...rest } = shallow(inner);
      const path = [...within, reference];
      if (isObject(properties) && Object.keys(properties).length > 0) {
        // "Price of a single GPU, by kind": what is said of several numbers together is said of each.
        const all = Object.entries(properties).map(([key, each]) => [
          key,
          made(each, path, [...tokens, key], textOf(rest)),
        ]);
        const record: Record<string, Json> = Object.fromEntries(all);
        // Every deployment has both (specification, section 2): without texts it would not be seen as one.
        if ("id" in record && typeof record.status === "string") {
          record.id = record.id || "id";
          record.status = record.status || "status";
        }
        return record;
      }
      if (items !== undefined) return [made(items, path, [...tokens, "0"])];
      // A map: `*` stands for each of its keys.
      if (isObject(additionalProperties)) return { "*": made(additionalProperties, path, [...tokens, "*"]) };
      if (rest.type === "object") return {};
      const words = (Array.isArray(rest.enum) ? (rest.enum as readonly Json[]) : []).map(readText);
      const text = textOf(rest) || above;
      const isText = [rest.type].flat().includes("string");
      notes.set(formatPointer(tokens), { text, words: words.filter((word) => word !== undefined), isText });
      return scalarOf(rest);
    };
    return { json: made(schema, [], []), notes };
  };

  return { resolve, whole, standIn };
}

/** Without the signs of Markdown. */
function textOf({ title, description }: JsonObject): string {
  const texts = [title, description].filter((each) => typeof each === "string");
  return texts.join(" ").replaceAll(/[*`]/g, "").replaceAll(/\s+/g, " ");
}

function requiredOf({ required }: JsonObject): readonly Json[] {
  return Array.isArray(required) ? (required as readonly Json[]) : [];
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
