import type { z } from "zod";
import { nearest } from "../text/nearest.ts";
import type { DocumentProblem, Path } from "./document-problem.ts";
import { isGap } from "./gaps.ts";
import type { SchemaMap } from "./schema-map.ts";

/** How values are called and written in this kind of document. */
export interface Words {
  readonly mapping: string;
  /** A mapping that is there but was not expected. */
  readonly aMapping: string;
  readonly top: string;
  /** A text as an item of a list. */
  readonly item: (text: string) => string;
  /** True: unquoted braces are a mapping, and an empty text is an empty file. */
  readonly isYaml: boolean;
}

const IN_A_FILE: Words = {
  mapping: 'a mapping ("key: value" lines)',
  aMapping: "a mapping",
  top: "the top of the file",
  item: (text) => (/^[\w.-]+$/.test(text) ? text : JSON.stringify(text)),
  isYaml: true,
};

export const IN_A_PROGRAM: Words = {
  mapping: "an object",
  aMapping: "an object",
  top: "the arguments",
  item: (text) => JSON.stringify(text),
  isYaml: false,
};

/** Says one zod issue in plain words: what was expected, what is there, and the remedy if it is known. */
export function explainIssue(
  issue: z.core.$ZodIssue,
  data: unknown,
  known: SchemaMap,
  aboutUnknown: (path: Path) => string | undefined = () => undefined,
  words: Words = IN_A_FILE,
): readonly DocumentProblem[] {
  const path = issue.path.map((segment) => (typeof segment === "number" ? segment : String(segment)));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => ({
      path: [...path, key],
      at: "key",
      message: aboutUnknown([...path, key]) ?? unknownKey(key, path, known, words),
    }));
  }
  if (issue.code === "invalid_key") {
    const got = show(path.at(-1), words);
    return [
      { path, at: "key", message: `${issue.issues[0]?.message ?? "expected another key"}, got ${got}` },
    ];
  }
  const value = valueIn(data, path);
  if (words.isYaml && isGap(value)) return [];
  const expected = expectation(issue, path, known, words);
  if (data === null) return [{ path, message: `the file is empty: expected ${expected}` }];
  if (value === undefined) return [{ path, message: `is missing: expected ${expected}` }];
  const isSecret = known.isSecret(path) && typeof value !== "object";
  // What does not fit the rest of the document is no wrong value, and a mapping shows nothing.
  const fits = issue.code === "custom" && typeof value === "object";
  const got =
    isSecret || fits
      ? ""
      : `, got ${show(value, words)}${remedy(expected, value, known.keys([...path, 0]), words)}`;
  return [{ path, message: `expected ${expected}${got}` }];
}

function unknownKey(key: string, path: Path, known: SchemaMap, { top }: Words): string {
  const here = known.keys(path);
  const near = nearest(key, here);
  if (near !== undefined) return `is not a known key: did you mean ${JSON.stringify(near)}?`;
  const places = known.placesOf(key).map((place) => (place === "" ? top : `"${place}"`));
  if (places.length > 0) return `is not a known key here: it belongs under ${places.join(" or ")}`;
  return `is not a known key: known here are ${here.join(", ")}`;
}

/** Completes "expected ...". */
function expectation(issue: z.core.$ZodIssue, path: Path, known: SchemaMap, words: Words): string {
  // A schema's own words are the best.
  if (issue.message.startsWith("expected ")) return bare(issue.message);
  switch (issue.code) {
    case "invalid_type":
      return kind(issue.expected, words) + variants(path, known);
    case "invalid_value":
    case "invalid_union": {
      const choices = known.choices(path);
      if (choices.length > 0) return quoted(choices);
      return issue.code === "invalid_union" ? unionOf(issue, words) : bare(issue.message);
    }
    case "too_small":
      if (issue.origin === "string") return "a text that is not empty";
      return issue.origin === "array"
        ? `at least ${issue.minimum} of them`
        : `a number ${issue.inclusive ? "of at least" : "above"} ${issue.minimum}`;
    case "too_big":
      return issue.origin === "number" || issue.origin === "int"
        ? `a number ${issue.inclusive ? "of at most" : "below"} ${issue.maximum}`
        : `at most ${issue.maximum}`;
    default:
      return bare(issue.message);
  }
}

/** How mappings of several kinds differ: by a key with fixed values, as ` with kind "none" or "page"`. */
function variants(path: Path, known: SchemaMap): string {
  for (const key of known.keys(path)) {
    const choices = known.choices([...path, key]);
    if (choices.length > 1) return ` with ${key} ${quoted(choices)}`;
  }
  return "";
}

function quoted(choices: readonly unknown[]): string {
  return choices.map((choice) => JSON.stringify(choice)).join(" or ");
}

const KINDS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
};

function kind(expected: string, { mapping }: Words): string {
  return expected === "object" || expected === "record" ? mapping : (KINDS[expected] ?? expected);
}

function unionOf(issue: z.core.$ZodIssueInvalidUnion, words: Words): string {
  const kinds = issue.errors.flat().filter(({ path }) => path.length === 0);
  const names = kinds.flatMap((each) => (each.code === "invalid_type" ? [kind(each.expected, words)] : []));
  return names.length > 0 ? [...new Set(names)].join(" or ") : bare(issue.message);
}

/** The schemas' own messages begin with "expected", so that they can stand alone too. */
function bare(message: string): string {
  return message.replace(/^expected /, "");
}

/** `itemKeys`: the keys of the items of a list here, if they are mappings. */
function remedy(expected: string, value: unknown, itemKeys: readonly string[], words: Words): string {
  if (words.isYaml && value !== null && typeof value === "object" && !Array.isArray(value)) {
    // Unquoted braces are a mapping in YAML: {offer} is read as { offer: null }.
    const [[key, inner] = [], ...more] = Object.entries(value);
    if (key !== undefined && inner === null && more.length === 0) {
      return `: if the placeholder {${key}} is meant, put it in quotes: "{${key}}"`;
    }
  }
  if (expected.startsWith("a JSON Pointer") && typeof value === "string") {
    const tokens = value
      .replace(/^\$?\.?/, "")
      .split(/[./[\]]+/)
      .filter((token) => token !== "" && token !== "*");
    return `: write /${tokens.join("/")}`;
  }
  if (expected === "a list" && typeof value !== "object" && itemKeys.length === 0) {
    return `: write [${words.item(String(value))}]`;
  }
  if (expected === "a text" && typeof value !== "object") return `: put it in quotes: "${String(value)}"`;
  if (/number/.test(expected) && typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value))
    return ": take the quotes away";
  return "";
}

function show(value: unknown, { aMapping }: Words): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return aMapping;
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}

function valueIn(data: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      value !== null && typeof value === "object" && Object.hasOwn(value, key)
        ? (value as Record<string | number, unknown>)[key]
        : undefined,
    data,
  );
}
