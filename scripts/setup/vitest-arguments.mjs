import { readdirSync } from "node:fs";
import path from "node:path";
import { root } from "./paths.mjs";

/** Real processes that kill themselves: they take minutes. `npm run prove` runs them. */
const PROOF_ONLY = "test/proof/killed-*.test.ts";
/** Their programs import the package by its name, and so its .d.ts files in dist/. */
const DECLARATION_READERS = ["engine", "package"];

/**
 * The arguments; without any, all tests but those of the long proof.
 * @param {string[]} args
 */
export function testsFor(args) {
  return args.length === 0 ? ["--exclude", PROOF_ONLY] : args;
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
