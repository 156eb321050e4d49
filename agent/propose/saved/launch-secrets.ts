import type { Json } from "../../../service/contract/service.ts";
import { MARKER } from "../shape/fields.ts";
import { wordsOf } from "../shape/leaves.ts";
import { isObject } from "../shape/lists.ts";
import { isSensitive, seemsSecret } from "../shape/proposal.ts";
import type { Evidence } from "./evidence.ts";

/**
 * Whether a value of a launch body may be a secret, or have one in it. Nobody can tell what a script, a line of
 * flags or `NAME=value` holds, so none of them is copied, unless a saved offer has the same text.
 */
export function mayBeSecret(value: Json, tokens: readonly string[], offered: ReadonlySet<string>): boolean {
  const { names, around } = wordsOf(tokens);
  if (isSensitive([...names, ...around]) || isOfEnvironment(tokens)) return true;
  return typeof value === "string" && (seemsSecret(value) || (/[\s=]/.test(value) && !offered.has(value)));
}

/** Whether a key is one of those that hold a value, too: `"-e NAME=value": "1"`. */
export function isTellingKey(key: string): boolean {
  return /^-|[\r\n=]/.test(key) || seemsSecret(key);
}

const BESIDE_MARKER = [
  "display",
  "deployment",
  "instance",
  "machine",
  "server",
  "custom",
  "client",
  "external",
  "my",
  "user",
];

/** Whether a field is called as if its text were free, such as `title` or `display_name`. */
export function isFree(names: readonly string[]): boolean {
  return (
    names.some((word) => MARKER.includes(word)) &&
    names.every((word) => MARKER.includes(word) || BESIDE_MARKER.includes(word))
  );
}

/** A title that people would read, such as `by hand`: one line that sets nothing. */
export function isPlainTitle(value: Json, tokens: readonly string[]): boolean {
  const { names, around } = wordsOf(tokens);
  return (
    typeof value === "string" &&
    isFree(names) &&
    !isSensitive(around) &&
    !isOfEnvironment(tokens) &&
    !/[\r\n=]/.test(value) &&
    !seemsSecret(value)
  );
}

/** The texts of saved offers: what a launch has of them is no secret. */
export function offeredTexts({ shown }: Evidence): ReadonlySet<string> {
  const saved = shown.filter(({ kind, isSchema }) => kind === "offers" && !isSchema);
  return new Set(saved.flatMap(({ json }) => textsIn(json).map(({ value }) => value)));
}

/** What a launch body has that may be a secret: each text, its lines, and what it sets. */
export function launchSecrets(body: Json | undefined, offered: ReadonlySet<string>): readonly string[] {
  const found = body === undefined ? [] : textsIn(body);
  return found
    .filter(({ value, tokens }) => mayBeSecret(value, tokens, offered) && !isPlainTitle(value, tokens))
    .flatMap(({ value }) => [value, ...value.split(/[\r\n]+/), ...settings(value)])
    .map((text) => text.trim())
    .filter((text) => !offered.has(text));
}

/** What stands behind `NAME=`, behind a flag, or behind `user:`, and words that look like a secret. Variables are none. */
function settings(text: string): readonly string[] {
  const set = [/(?<==)/, /(?<=(?:^|\s)--?[A-Za-z][\w-]*\s+)/, /(?<=^[^\s:=]+:)/].flatMap((before) => [
    ...text.matchAll(new RegExp(`${before.source}(?:"([^"]*)"|'([^']*)'|([^\\s"';,]+))`, "g")),
  ]);
  const values = set.map(([, double, single, bare]) => double ?? single ?? bare ?? "");
  return [
    ...values.filter((value) => !/^[$<{-]/.test(value)),
    ...text.split(/[\s;,="']+/).filter(seemsSecret),
  ];
}

/** Below `env`, whatever it is called there. The name in `{ name, value }` is none of the values. */
function isOfEnvironment(tokens: readonly string[]): boolean {
  const isName = tokens.at(-1) === "name";
  return !isName && tokens.slice(0, -1).some((token) => /^(env|environment)(_?var(iable)?s)?$/i.test(token));
}

/** Every text of a tree, however long or deep, and every key that may hold a value. */
function textsIn(
  json: Json,
  tokens: readonly string[] = [],
): readonly { readonly value: string; readonly tokens: readonly string[] }[] {
  if (typeof json === "string") return [{ value: json, tokens }];
  if (Array.isArray(json))
    return (json as readonly Json[]).flatMap((inner, index) => textsIn(inner, [...tokens, String(index)]));
  if (!isObject(json)) return [];
  return Object.entries(json).flatMap(([key, inner]) => [
    ...(isTellingKey(key) ? [{ value: key, tokens }] : []),
    ...textsIn(inner, [...tokens, key]),
  ]);
}
