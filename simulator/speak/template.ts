import type { Json } from "../json.ts";

export type Values = Map<string, Json>;

type Sent = Json | bigint;

/** Parses what a client sent. A whole number that JavaScript would round is a bigint. */
export function parseSent(text: string): Json {
  return JSON.parse(text, ((_key: string, value: unknown, { source = "" }: { source?: string }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(source)
      ? BigInt(source)
      : value) as (key: string, value: unknown) => unknown) as Json;
}

/** The template cannot make this request. The message says where it differs. */
export class Mismatch extends Error {}

const PLACEHOLDER = /\{([a-z]+(?:\.[^{}]+)?)\}/g;

/**
 * Reads a template backwards: finds the values that a client put in. It is strict: it tells a client of
 * anything that is left out, added or changed. Only a key whose value is a free parameter may be absent.
 */
export function readBackwards(template: Json, sent: Sent, where = "", found: Values = new Map()): Values {
  if (typeof template === "string") {
    readText(template, sent, where, found);
  } else if (Array.isArray(template)) {
    if (!Array.isArray(sent) || sent.length !== template.length) {
      throw new Mismatch(`${where || "/"}: expected an array of ${template.length}`);
    }
    for (const [index, item] of template.entries())
      readBackwards(item, sent[index], `${where}/${index}`, found);
  } else if (isObject(template) && isNumber(template)) {
    if (typeof sent !== "number" && typeof sent !== "bigint")
      throw new Mismatch(`${where || "/"}: expected a number`);
    readText(template.number, String(sent), where, found);
  } else if (isObject(template)) {
    if (!isObject(sent)) throw new Mismatch(`${where || "/"}: expected an object`);
    for (const key of Object.keys(sent)) {
      if (!(key in template)) throw new Mismatch(`${where}/${key}: unexpected`);
    }
    for (const [key, value] of Object.entries(template)) {
      const given = sent[key];
      if (given !== undefined) readBackwards(value, given, `${where}/${key}`, found);
      else if (!isFreeParameter(value)) throw new Mismatch(`${where}/${key}: missing`);
    }
  } else if (template !== sent) {
    throw new Mismatch(`${where || "/"}: expected ${JSON.stringify(template)}`);
  }
  return found;
}

function readText(template: string, sent: Sent, where: string, found: Values): void {
  const names = [...template.matchAll(PLACEHOLDER)].map((match) => match[1] as string);
  if (names.length === 1 && template === `{${names[0]}}`) {
    note(names[0] as string, sent, where, found);
    return;
  }
  const parts = template.split(PLACEHOLDER).filter((_, index) => index % 2 === 0);
  const pattern = new RegExp(`^${parts.map((part) => escaped(part)).join("(.*?)")}$`, "s");
  const match = typeof sent === "string" ? pattern.exec(sent) : null;
  if (match === null) throw new Mismatch(`${where || "/"}: expected ${JSON.stringify(template)}`);
  for (const [index, name] of names.entries()) note(name, match[index + 1] as string, where, found);
}

/** A placeholder that stands twice must have the same value twice. */
function note(name: string, sent: Sent, where: string, found: Values): void {
  const value = typeof sent === "bigint" ? Number(sent) : sent;
  const before = found.get(name);
  if (before !== undefined && JSON.stringify(before) !== JSON.stringify(value)) {
    throw new Mismatch(`${where || "/"}: another value of {${name}} than elsewhere`);
  }
  found.set(name, value);
}

/** The digits of the value are sent as a number. */
function isNumber(
  template: Readonly<Record<string, Json>>,
): template is { readonly [key: string]: Json; readonly number: string } {
  const { number, ...rest } = template;
  return (
    Object.keys(rest).length === 0 && typeof number === "string" && /^\{[a-z]+(?:\.[^{}]+)?\}$/.test(number)
  );
}

function isFreeParameter(template: Json): boolean {
  return typeof template === "string" && /^\{parameters\.[^{}]+\}$/.test(template);
}

function isObject(value: Sent | undefined): value is { readonly [key: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
