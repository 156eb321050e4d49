import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  visit,
  type Document as YamlDocument,
} from "yaml";
import type { z } from "zod";
import { FleetkeeperError } from "./errors.ts";
import { explainIssue } from "./issue-text.ts";
import { createSchemaMap } from "./schema-map.ts";

/** Keys and indexes from the root of a document to a place in it. */
export type Path = readonly (string | number)[];

/** Something wrong at a place. `at: "key"` points to the key itself instead of to its value. */
export interface Problem {
  readonly path: Path;
  readonly message: string;
  readonly at?: "key";
}

export interface ParsedDocument<T> {
  /** Checked and frozen all the way down. */
  readonly value: T;
  /** `acme.profile.yaml:5:11`: where a place stands, or the nearest one above it that exists. */
  locate(path: Path): string;
}

/**
 * Reads YAML or JSON (which is YAML) into a checked, frozen value. Everything that is wrong is said at once, in one CONFIG
 * error with a line for each: `file:line:column path: what was expected, what is there, what to do`.
 * `check` adds what a schema cannot say; it sees only values that fit the schema.
 */
export function parseDocument<S extends z.ZodType>(
  text: string,
  file: string,
  schema: S,
  check: (value: z.output<S>) => readonly Problem[] = () => [],
): ParsedDocument<z.output<S>> {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  const document = ("empty" in documents ? undefined : documents[0]) as YamlDocument.Parsed | undefined;
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const locate = (path: Path, at?: "key"): string => place(document ? offsetOf(document, path, at) : 0);

  const syntax = documents.flatMap((each) => [...each.errors, ...each.warnings]);
  if (syntax.length > 0) {
    throw failure(syntax.map(({ pos, message }) => `${place(pos[0])} ${syntaxHint(message)}`));
  }
  if (documents.length > 1) {
    throw failure([
      `${place(documents[1]?.range?.[0] ?? 0)} a second document begins here: one file holds one, so take out the line ---`,
    ]);
  }

  const say = ({ path, message, at }: Problem): string =>
    `${locate(path, at)} ${path.length === 0 ? "" : `${path.join(".")}: `}${message}`;
  const data: unknown = document?.toJS() ?? null;
  const inexact = document ? inexactNumbers(document) : [];
  const parsed = schema.safeParse(data);
  if (!parsed.success) {
    const known = createSchemaMap(schema);
    throw failure([
      ...inexact.map((offset) => `${place(offset)} ${INEXACT}`),
      ...parsed.error.issues.flatMap((issue) => explainIssue(issue, data, known)).map(say),
    ]);
  }
  const problems = [
    ...inexact.map((offset) => `${place(offset)} ${INEXACT}`),
    ...check(parsed.data).map(say),
  ];
  if (problems.length > 0) throw failure(problems);
  return { value: deepFreeze(parsed.data), locate: (path) => locate(path) };
}

const INEXACT = "this number has more digits than a program can hold exactly: write it in quotes";

function failure(problems: readonly string[]): FleetkeeperError {
  return new FleetkeeperError("CONFIG", [...new Set(problems)].join("\n"));
}

function syntaxHint(message: string): string {
  const first = message.split("\n")[0] ?? message;
  if (/tab/i.test(first)) return `${first}; indent with blanks, YAML knows no tabs there`;
  if (/Map keys must be unique/.test(first)) return "this key stands here a second time: keep one of the two";
  return first;
}

function offsetOf(document: YamlDocument.Parsed, path: Path, at: "key" | undefined): number {
  let node: Node | null | undefined = document.contents;
  let offset = node?.range?.[0] ?? 0;
  for (const [depth, segment] of path.entries()) {
    if (isAlias(node)) node = node.resolve(document);
    let next: unknown;
    if (isMap(node)) {
      const pair: Pair | undefined = node.items.find(
        ({ key }) => String(isScalar(key) ? key.value : key) === String(segment),
      );
      if (pair === undefined) return offset;
      const key = (pair.key as Node | null)?.range?.[0];
      next = pair.value;
      const last = depth === path.length - 1;
      // An empty value has no place of its own to show: its key has.
      offset = (last && at !== "key" && hasText(next) ? (next as Node).range?.[0] : key) ?? offset;
    } else if (isSeq(node)) {
      next = node.items[Number(segment)];
      offset = (next as Node | undefined)?.range?.[0] ?? offset;
    } else {
      return offset;
    }
    node = next as Node | null | undefined;
  }
  return offset;
}

function hasText(node: unknown): boolean {
  const range = (node as Node | null)?.range;
  return range !== undefined && range !== null && range[1] > range[0];
}

function inexactNumbers(document: YamlDocument.Parsed): readonly number[] {
  const offsets: number[] = [];
  visit(document, {
    Scalar(_key, { value, range }) {
      if (typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value))
        offsets.push(range?.[0] ?? 0);
    },
  });
  return offsets;
}

function deepFreeze<T>(value: T): T {
  if (value !== null && typeof value === "object" && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
