import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./paths.mjs";

/** Real processes that kill themselves: they take minutes. `npm run prove` runs them. */
const PROOF_ONLY = "test/proof/killed-*.test.ts";
/** Their programs import the package by its name, and so its .d.ts files in dist/. */
const DECLARATION_READERS = ["engine", "package"];

/** A test with this tag says once more, in another language, page or example, what others say: `npm test` leaves it out. */
export const TAG = "repeats";
/** What leaves it out, and what runs it alone: together they are all tests. */
const FIRST_LOOP = `--tags-filter=!${TAG}`;
const SECOND_LOOP = `--tags-filter=${TAG}`;

/**
 * The arguments; without any, the tests of `npm test`: all but those of the long proof and those that repeat.
 * @param {string[]} args
 */
export function testsFor(args) {
  if (args.length > 0) return args;
  // Files of which nothing would run are not even loaded: some start a server, or ask a registry.
  const excluded = [
    PROOF_ONLY,
    ...repeating()
      .filter(({ whole }) => whole)
      .map(({ file }) => file),
  ];
  return [FIRST_LOOP, ...excluded.flatMap((file) => ["--exclude", file])];
}

/** What `npm test` leaves out, for `npm test -- --repeats`. */
export function repeatingTests() {
  return [SECOND_LOOP, ...repeating().map(({ file }) => file)];
}

/**
 * The files with tests that repeat. A whole file says so by a comment, a test or a suite by REPEATS of test/support/repeats.ts.
 * @returns {{ file: string, whole: boolean }[]}
 */
function repeating() {
  return readdirSync(path.join(root, "test"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .sort()
    .flatMap((name) => {
      const file = path.join("test", name);
      const text = readFileSync(path.join(root, file), "utf8");
      const whole = text.includes(`\n// @module-tag ${TAG}\n`) || text.startsWith(`// @module-tag ${TAG}\n`);
      return whole || /\bREPEATS\b/.test(text) ? [{ file, whole }] : [];
    });
}

/**
 * Whether these tests may read a .d.ts file of dist/. A filter that does not clearly name another room may.
 * @param {string[]} args
 */
export function readDeclarations(args) {
  const rooms = readdirSync(path.join(root, "test")).filter((room) => !DECLARATION_READERS.includes(room));
  // A text after an option may be its value, such as the name after -t.
  const filters = args.filter((arg, at) => !arg.startsWith("-") && !args[at - 1]?.startsWith("-"));
  const named = args.filter((arg) => isIn(rooms, arg));
  return named.length === 0 || filters.some((filter) => !isIn(rooms, filter));
}

/** @param {string[]} rooms @param {string} arg */
function isIn(rooms, arg) {
  const [top, room] = arg.split("/");
  return top === "test" && rooms.includes(room ?? "");
}
