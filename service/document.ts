import { LineCounter, parseAllDocuments, type Document as YamlDocument } from "yaml";
import type { z } from "zod";
import { inexactNumbers, offsetOf } from "./document-place.ts";
import { FleetkeeperError } from "./errors.ts";
import { findGaps } from "./gaps.ts";
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

/** A problem on its way into the error: sorted by where it stands. */
interface Finding {
  readonly offset: number;
  readonly text: string;
}

/**
 * Reads YAML or JSON (which is YAML) into a checked, frozen value. Everything that is wrong is said at once, in one CONFIG
 * error with a line for each: `file:line:column path: what was expected, what is there, what to do`.
 * `check` adds what a schema cannot say; it sees only values that fit the schema. `aboutUnknown` may know more of a key that
 * the schema does not.
 */
export function parseDocument<S extends z.ZodType>(
  text: string,
  file: string,
  schema: S,
  check: (value: z.output<S>) => readonly Problem[] = () => [],
  aboutUnknown: (path: Path) => string | undefined = () => undefined,
): ParsedDocument<z.output<S>> {
  const lines = new LineCounter();
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const failure = (findings: readonly Finding[]): FleetkeeperError => {
    const sorted = [...findings].sort((a, b) => a.offset - b.offset);
    const said = sorted.map(({ offset, text: problem }) => `${place(offset)} ${problem}`);
    return new FleetkeeperError("CONFIG", [...new Set(said)].join("\n"));
  };

  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  const syntax = syntaxFindings(documents);
  if (syntax.length > 0) throw failure(syntax);
  const document = documents[0] as YamlDocument.Parsed | undefined;

  const find = ({ path, message, at }: Problem): Finding => ({
    offset: offsetOf(document, path, at),
    text: path.length === 0 ? message : `${path.join(".")}: ${message}`,
  });
  const data = toData(document);
  if (data instanceof Error) throw failure([{ offset: 0, text: data.message }]);
  const inexact = inexactNumbers(document).map((offset) => ({ offset, text: INEXACT }));
  const gaps = findGaps(data).map(find);
  const parsed = schema.safeParse(data);
  if (!parsed.success) {
    const known = createSchemaMap(schema);
    const issues = parsed.error.issues.flatMap((issue) => explainIssue(issue, data, known, aboutUnknown));
    throw failure([...inexact, ...gaps, ...issues.map(find)]);
  }
  const findings = [...inexact, ...gaps, ...check(parsed.data).map(find)];
  if (findings.length > 0) throw failure(findings);
  return { value: deepFreeze(parsed.data), locate: (path) => place(offsetOf(document, path)) };
}

const INEXACT = "this number has more digits than a program can hold exactly: write it in quotes";

function syntaxFindings(documents: ReturnType<typeof parseAllDocuments>): readonly Finding[] {
  const findings = documents.flatMap(({ errors, warnings }) =>
    [...errors, ...warnings].map(({ pos, message }) => ({ offset: pos[0], text: syntaxText(message) })),
  );
  const second = documents[1]?.range?.[0];
  if (second === undefined || findings.length > 0) return findings;
  return [
    { offset: second, text: "a second document begins here: one file holds one, so take out the line ---" },
  ];
}

function syntaxText(message: string): string {
  const [first = message] = message.split("\n");
  if (/tab/i.test(first)) return `${first}; indent with blanks, YAML knows no tabs there`;
  if (/Map keys must be unique/.test(first)) return "this key stands here a second time: keep one of the two";
  return first;
}

/** Aliases can make a document that refers to itself, or one that is enormous: neither is a configuration. */
function toData(document: YamlDocument.Parsed | undefined): unknown {
  try {
    const data: unknown = document?.toJS() ?? null;
    JSON.stringify(data);
    return data;
  } catch (cause) {
    return new Error(`its aliases cannot be followed: ${String((cause as Error).message).split("\n")[0]}`);
  }
}

function deepFreeze<T>(value: T): T {
  if (value !== null && typeof value === "object" && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
