import { FleetkeeperError } from "../contract/errors.ts";
import type { Json } from "../contract/service.ts";

/** Finds a placeholder's value; undefined if it has none. Names: `offer`, `parameters.image`. */
export type Lookup = (name: string) => Json | undefined;

/** `{name}` or `{parameters.NAME}`. Other braces, as in JSON within a text, stay. */
const PLACEHOLDER = /\{([A-Za-z_][\w.-]*)\}/g;

/** Placeholders of other template languages, which would be sent to the service as they are. */
const NEAR_MISS =
  /\$\{\s*[A-Za-z_][\w.-]*\s*\}|\{\{\s*[A-Za-z_][\w.-]*\s*\}\}|\{\s+[A-Za-z_][\w.-]*\s*\}|\{[A-Za-z_][\w.-]*\s+\}/;

export function placeholdersIn(text: string): readonly string[] {
  return [...text.matchAll(PLACEHOLDER)].map((match) => match[1] ?? "");
}

/** Names of the placeholders in a parsed template, each once. */
export function placeholdersOf(template: Json): readonly string[] {
  if (typeof template === "string") return [...new Set(placeholdersIn(template))];
  if (template === null || typeof template !== "object") return [];
  return [...new Set(Object.values(template).flatMap(placeholdersOf))];
}

/** A placeholder in another language's spelling, such as `${offer}` or `{ offer }`, and the right one. */
export function nearMissIn(text: string): { readonly found: string; readonly write: string } | undefined {
  const found = NEAR_MISS.exec(text)?.[0];
  return found === undefined ? undefined : { found, write: `{${found.replace(/[${}\s]/g, "")}}` };
}

/** `offer` for `{ number: "{offer}" }`, whose value is sent as a number. */
export function numberIn(template: Json): string | undefined {
  if (template === null || typeof template !== "object" || Object.keys(template).join() !== "number")
    return undefined;
  const text = (template as { readonly number: Json }).number;
  const [only] = typeof text === "string" ? placeholdersIn(text) : [];
  return only !== undefined && text === `{${only}}` ? only : undefined;
}

/** A number as JSON writes it, of any length: a `number` of JavaScript loses digits beyond 2^53. */
export const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The compiler does not know it yet. */
const { rawJSON } = JSON as typeof JSON & { readonly rawJSON: (text: string) => Json };

function numberFor(name: string, lookup: Lookup): Json {
  const value = resolvePlaceholder(name, lookup);
  if ((typeof value === "number" || typeof value === "string") && NUMBER.test(String(value)))
    return rawJSON(String(value));
  throw new FleetkeeperError(
    "CONFIG",
    `The profile sends {${name}} as a number, and ${JSON.stringify(value)} is none: give it a number, or write "{${name}}" without { number: }.`,
  );
}

/**
 * Replaces placeholders in a parsed tree. A text that is one placeholder alone becomes the value with its
 * type, and as { number: } the digits of the value. Values are never parsed or searched again, so they cannot inject anything. Keys stay as they are.
 */
export function fill(template: Json, lookup: Lookup): Json {
  if (typeof template === "string") {
    const names = placeholdersIn(template);
    const [only] = names;
    if (only !== undefined && template === `{${only}}`) return resolvePlaceholder(only, lookup);
    return names.length === 0 ? template : fillText(template, lookup);
  }
  if (Array.isArray(template)) return (template as readonly Json[]).map((item) => fill(item, lookup));
  if (template !== null && typeof template === "object") {
    const number = numberIn(template);
    if (number !== undefined) return numberFor(number, lookup);
    return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fill(value, lookup)]));
  }
  return template;
}

/** Replaces placeholders in one text. `encode` is applied to each value, not to the text around it. */
export function fillText(
  template: string,
  lookup: Lookup,
  encode = (value: string): string => value,
): string {
  return template.replaceAll(PLACEHOLDER, (_whole, name: string) => {
    const value = resolvePlaceholder(name, lookup);
    if (value === null || typeof value === "object") {
      throw new FleetkeeperError(
        "CONFIG",
        `{${name}} stands inside a longer text, but its value is ${describe(value)}: give it a text, a number or a boolean, or let "{${name}}" be the whole value in the profile.`,
      );
    }
    return encode(String(value));
  });
}

/** NAME of a placeholder `{parameters.NAME}`. */
export function parameterIn(name: string): string | undefined {
  return /^parameters\.(.+)$/.exec(name)?.[1];
}

function resolvePlaceholder(name: string, lookup: Lookup): Json {
  const value = lookup(name);
  if (value !== undefined) return value;
  const parameter = parameterIn(name);
  throw new FleetkeeperError(
    "CONFIG",
    parameter === undefined
      ? `The profile uses the placeholder {${name}}, which does not exist.`
      : `The profile's template needs the parameter ${JSON.stringify(parameter)}, which was not given: add ${JSON.stringify(parameter)} to "parameters".`,
  );
}

function describe(value: Json): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : "a mapping";
}
