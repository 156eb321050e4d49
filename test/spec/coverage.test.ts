import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const page = readFileSync(join(ROOT, "docs/how/spec-coverage.md"), "utf8");

interface Statement {
  readonly number: string;
  readonly kind: string;
  readonly files: readonly string[];
  readonly tests: readonly { readonly file: string; readonly title: string }[];
}

/** Every statement begins with `- **2.5 kept**:` at the margin and goes on to the next one, or to a heading. */
const statements: readonly Statement[] = page.split(/^(?=- |## )/m).flatMap((text) => {
  const [, number, kind] = /^- \*\*(\d\.\d+) (\w+)\*\*: /.exec(text) ?? [];
  if (number === undefined || kind === undefined) return [];
  const line = text.replace(/\s+/g, " ");
  const tests = [...line.matchAll(/`(test\/[^`]+)`: "([^"]+)"/g)].map(([, file = "", title = ""]) => ({
    file,
    title,
  }));
  return [{ number, kind, tests, files: filesIn(line) }];
});

/** Whatever looks like a file of this project. */
function filesIn(text: string): readonly string[] {
  return [...text.matchAll(/`([a-z-]+\/[\w./-]+\.ts)`/g)].map(([, file = ""]) => file);
}

const textOf = (file: string): string => readFileSync(join(ROOT, file), "utf8");

test("the page has every section of the specification, numbered without a gap", () => {
  const bySection = Map.groupBy(statements, ({ number }) => Number(number.split(".")[0]));
  expect([...bySection.keys()]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  for (const [section, rows] of bySection) {
    expect(rows.map(({ number }) => number)).toEqual(rows.map((_, index) => `${section}.${index + 1}`));
  }
});

test("the page counts its statements right", () => {
  expect(page).toContain(`has ${statements.length} statements`);
  for (const kind of ["kept", "open", "fact"]) {
    const count = statements.filter((statement) => statement.kind === kind).length;
    expect(page).toContain(`| ${kind} | ${count} |`);
  }
  expect(new Set(statements.map(({ kind }) => kind)).size).toBe(3);
});

test("every file that the page names exists", () => {
  const files = filesIn(page);
  expect(files.length).toBeGreaterThan(statements.length);
  expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
});

test.each(statements.filter(({ kind }) => kind !== "fact"))(
  "statement $number names what keeps it, and a test",
  ({ files, tests }) => {
    expect(files.some((file) => !file.startsWith("test/"))).toBe(true);
    expect(tests.length).toBeGreaterThan(0);
  },
);

test.each(statements.filter(({ tests }) => tests.length > 0))(
  "the tests of statement $number are there, by their titles",
  ({ tests }) => {
    const missing = tests.filter(({ file, title }) => !textOf(file).includes(`"${title}"`));
    expect(missing).toEqual([]);
  },
);
