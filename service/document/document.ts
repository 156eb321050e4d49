import { LineCounter, parseAllDocuments, type Document as YamlDocument } from "yaml";
import type { z } from "zod";
import { FleetkeeperError } from "../contract/errors.ts";
import { escapeControls } from "../text/redaction.ts";
import { inexactNumbers, offsetOf, repeatedKeys } from "./document-position.ts";
import type { DocumentProblem, Path } from "./document-problem.ts";
import { findGaps } from "./gaps.ts";
import { explainIssue } from "./issue-text.ts";
import { createSchemaMap } from "./schema-map.ts";

export interface ParsedDocument<T> {
  /** Checked and deeply frozen. */
  readonly value: T;
  /** `acme.profile.yaml:5:11`: where a place stands, or the nearest existing one above it. */
  locate(path: Path): string;
}

/** A problem with its offset in the text, by which the error sorts. */
interface Finding {
  readonly offset: number;
  readonly text: string;
}

/**
 * Reads YAML or JSON (which is YAML) into a checked, frozen value. Throws CONFIG with a line for every
 * mistake: `file:line:column path: what was expected, what is there, what to do`. `check` finds what a schema
 * cannot say; it gets only values that fit the schema. `aboutUnknown` may explain an unknown key.
 */
export function parseDocument<S extends z.ZodType>(
  text: string,
  file: string,
  schema: S,
  check: (value: z.output<S>) => readonly DocumentProblem[] = () => [],
  aboutUnknown: (path: Path) => string | undefined = () => undefined,
): ParsedDocument<z.output<S>> {
  const lines = new LineCounter();
  const place = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const failure = (findings: readonly Finding[]): FleetkeeperError => {
    const sorted = [...findings].sort((a, b) => a.offset - b.offset);
    const said = [
      ...new Set(sorted.map(({ offset, text: problem }) => `${place(offset)} ${asShown(problem)}`)),
    ];
    let length = 0;
    const shown = said.slice(0, MOST_FINDINGS).filter((each) => {
      length += each.length;
      return length <= LONGEST_ERROR;
    });
    const more = said.length > shown.length ? ["there is more that is wrong: correct these first"] : [];
    return new FleetkeeperError("CONFIG", [...shown, ...more].join("\n"));
  };
  if (text.length > MOST_CHARACTERS) {
    const most = MOST_CHARACTERS.toLocaleString("en");
    throw new FleetkeeperError(
      "CONFIG",
      `${file} has ${text.length.toLocaleString("en")} characters, and ${most} are the most that is read: is it the right file?`,
    );
  }

  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: "error",
    // The library compares all keys with each other: minutes for a large file, in which no signal is handled.
    uniqueKeys: false,
  });
  const syntax = syntaxFindings(documents);
  if (syntax.length > 0) throw failure(syntax);
  const document = documents[0] as YamlDocument.Parsed | undefined;

  const find = ({ path, message, at }: DocumentProblem): Finding => ({
    offset: offsetOf(document, path, at),
    text: path.length === 0 ? message : `${path.join(".")}: ${message}`,
  });
  const data = toData(document);
  if (data instanceof Error) throw failure([{ offset: 0, text: data.message }]);
  const inexact = inexactNumbers(document).map((offset) => ({ offset, text: INEXACT }));
  const gaps = findGaps(data).slice(0, MOST_LOOKED_UP).map(find);
  const parsed = schema.safeParse(data);
  if (!parsed.success) {
    const known = createSchemaMap(schema);
    const issues = parsed.error.issues
      .slice(0, MOST_LOOKED_UP)
      .flatMap((issue) => explainIssue(fewer(issue), data, known, aboutUnknown));
    throw failure([...inexact, ...gaps, ...issues.slice(0, MOST_LOOKED_UP).map(find)]);
  }
  const findings = [...inexact, ...gaps, ...check(parsed.data).map(find)];
  if (findings.length > 0) throw failure(findings);
  return { value: deepFreeze(parsed.data), locate: (path) => place(offsetOf(document, path)) };
}

/** What stands in the file is repeated, and a terminal must not obey it. It may be a key of a million characters. */
function asShown(problem: string): string {
  return escapeControls(problem.length > LONGEST_FINDING ? `${problem.slice(0, LONGEST_FINDING)}…` : problem);
}

const LONGEST_FINDING = 2_000;
/** Of all findings together, in characters. */
const LONGEST_ERROR = 20_000;
/** Longer than any configuration; 4,000 candidates fit. */
const MOST_CHARACTERS = 1_000_000;
/** Nobody reads more than this at once. */
const MOST_FINDINGS = 50;
/** To find the place of one finding takes a pass over the file. */
const MOST_LOOKED_UP = MOST_FINDINGS + 1;

function fewer(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  return issue.code === "unrecognized_keys" ? { ...issue, keys: issue.keys.slice(0, MOST_LOOKED_UP) } : issue;
}

const INEXACT = "this number has more digits than a program can hold exactly: write it in quotes";

function syntaxFindings(documents: ReturnType<typeof parseAllDocuments>): readonly Finding[] {
  const findings = documents.flatMap((document) => [
    ...[...document.errors, ...document.warnings].map(({ pos, message }) => ({
      offset: pos[0],
      text: syntaxText(message),
    })),
    ...repeatedKeys(document).map((offset) => ({ offset, text: REPEATED })),
  ]);
  const second = documents[1]?.range?.[0];
  if (second === undefined || findings.length > 0) return findings;
  return [
    { offset: second, text: "a second document begins here: one file holds one, so take out the line ---" },
  ];
}

const REPEATED = "this key stands here a second time: keep one of the two";

function syntaxText(message: string): string {
  const [first = message] = message.split("\n");
  if (isStackFull(message)) return TOO_DEEP;
  if (/tab/i.test(first)) return `${first}; indent with blanks, YAML knows no tabs there`;
  return first;
}

/** Aliases can make a document that contains itself, or an enormous one. Both are refused. */
function toData(document: YamlDocument.Parsed | undefined): unknown {
  try {
    const data: unknown = document?.toJS() ?? null;
    JSON.stringify(data);
    return data;
  } catch (cause) {
    const [why = ""] = String((cause as Error).message).split("\n");
    return new Error(isStackFull(why) ? TOO_DEEP : `its aliases cannot be followed: ${why}`);
  }
}

const TOO_DEEP = "it is nested too deep, or contains itself, so it cannot be read: is it the right file?";

function isStackFull(message: string): boolean {
  return message.includes("call stack");
}

function deepFreeze<T>(value: T): T {
  if (value !== null && typeof value === "object" && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) deepFreeze(inner);
  }
  return value;
}
