import { styleText } from "node:util";
import stringWidth from "fast-string-width";
import { LONGEST_NAME } from "../../../service/contract/limits.ts";
import { counted } from "../../../service/text/counted.ts";
import { HARMFUL } from "../../../service/text/redaction.ts";

/** Colours a text that is clean already, or leaves it as it is. */
export type Paint = (style: "green" | "yellow" | "red" | "gray" | "cyan" | "bold", text: string) => string;

export function paintIf(color: boolean): Paint {
  return (style, text) => (color ? styleText(style, text, { validateStream: false }) : text);
}

/**
 * Makes a text of the service safe for a terminal: it may hold control characters (also invisible ones that
 * turn the direction of writing), markup or megabytes. Nothing of the service is printed without it.
 */
export function clean(text: string, most = LONGEST_NAME): string {
  const short = text.length > most ? `${text.slice(0, most - 1)}…` : text;
  return short.replace(HARMFUL, "·");
}

/** {@link clean} for a message of ours that quotes the service: whole, and with its own lines. */
export function cleanLines(text: string): string {
  return text
    .split("\n")
    .map((line) => clean(line, Number.POSITIVE_INFINITY))
    .join("\n");
}

/** No program and no file needs more of a text that the service sent. */
export const LONGEST_WHOLE_TEXT = 10_000;

/** {@link clean} for one reader. */
export type Clean = (text: string, most?: number) => string;

/** On a terminal a text is cut to what there is room for; what a program or a file reads is whole. */
export function cleanFor({ terminal }: { readonly terminal?: boolean | undefined }): Clean {
  return terminal === false
    ? (text) => clean(text, LONGEST_WHOLE_TEXT)
    : (text, most = 300) => clean(text, most);
}

/** JSON that is safe on a terminal, too: plain JSON leaves 8-bit controls and invisible characters. */
export function jsonText(value: unknown, indentBy: number | undefined = 2): string {
  const escaped = (character: string): string =>
    [...character]
      .flatMap((one) => Array.from({ length: one.length }, (_, unit) => one.charCodeAt(unit)))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join("");
  const shorten = (_key: string, inner: unknown): unknown =>
    typeof inner === "string" && inner.length > LONGEST_WHOLE_TEXT
      ? `${inner.slice(0, LONGEST_WHOLE_TEXT)}…`
      : inner;
  return JSON.stringify(value, shorten, indentBy).replace(HARMFUL, (found) =>
    found === "\n" ? found : escaped(found),
  );
}

export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  cleanCell: Clean = clean,
): string {
  return columns([headings, ...rows.map((row) => row.map((cell) => cleanCell(cell, 120)))]);
}

/** Columns as wide as they need, of clean cells. From `rightFrom` on they are right-aligned. */
export function columns(cells: readonly (readonly string[])[], rightFrom = Number.POSITIVE_INFINITY): string {
  const widths: number[] = [];
  for (const row of cells)
    for (const [column, cell] of row.entries())
      widths[column] = Math.max(widths[column] ?? 0, stringWidth(cell));
  const padded = (cell: string, column: number): string => {
    const blanks = " ".repeat((widths[column] ?? 0) - stringWidth(cell));
    return column >= rightFrom ? blanks + cell : cell + blanks;
  };
  return cells.map((row) => row.map(padded).join("  ").trimEnd()).join("\n");
}

export function indent(text: string, by = "  "): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? line : by + line))
    .join("\n");
}

/** 21:04:37, in local time. */
export function timeOfDay(wall: number): string {
  return new Date(wall).toTimeString().slice(0, 8);
}

/** A wall time in ms as `2026-12-04T18:00Z`. */
export function minuteText(wall: number): string {
  return new Date(wall).toISOString().replace(/:\d+\.\d+Z$/, "Z");
}

/** `8 GPUs`, `1 GPU`. */
export function gpusText(count: number): string {
  return counted(count, "GPU");
}

/** `8 GPUs are`, `1 GPU is`. */
export function gpusAre(count: number): string {
  return `${gpusText(count)} ${count === 1 ? "is" : "are"}`;
}

/** `a, b and 37 more`: a list for people, cut where it stops being read. */
export function andMore(items: readonly string[], most = 5): string {
  const rest = items.length - most;
  return items.slice(0, most).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
