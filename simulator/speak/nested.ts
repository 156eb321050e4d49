import type { Json } from "../json.ts";
import { type Draft, put } from "./pointer.ts";

/*
 * Records below records, from the service's side. Such a record is drawn as an object: `0` is what it has itself, `1`
 * what the level above it has, `2#` the key of the level two above it.
 */

/** True if a `*` in the items, or a field by levels, says that records stand below others. */
export function isNested(list: { readonly items: string } | undefined, fields: unknown): boolean {
  return (
    list?.items.split("/").includes("*") === true ||
    JSON.stringify(fields ?? {}).match(/"\d+[#/]|\{\d+[#/]/) !== null
  );
}

export function deep(pointer: string): string {
  return /^\d/.test(pointer) ? `/${pointer}` : `/0${pointer}`;
}

/** The body that has these records at `items`, each below levels of its own. */
export function nestedBody(items: string, records: readonly Json[]): Draft {
  const said = items.split("/").slice(1);
  const tokens = said.at(-1) === "*" ? said : [...said, "*"];
  const first = tokens.indexOf("*");
  // An object where records have names of their own there.
  const isKeyed = records.some((record) => `${tokens.length - 1 - first}#` in (record as object));
  let body = put(undefined, pointerTo(tokens.slice(0, first)), isKeyed ? {} : []);
  for (const [index, record] of records.entries()) {
    const levels = record as { readonly [key: string]: Json };
    const path = tokens.map((token, at) => {
      if (token !== "*") return token;
      const key = levels[`${tokens.length - 1 - at}#`];
      return typeof key === "string" ? key : at === first ? String(index) : "0";
    });
    for (const [level, value] of Object.entries(levels))
      if (!level.endsWith("#"))
        body = put(body, pointerTo(path.slice(0, path.length - Number(level))), value);
  }
  return body;
}

function pointerTo(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token}`).join("");
}
