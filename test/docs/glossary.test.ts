import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

/* One word for one thing: the last table of docs/how/glossary.md, held to the names in the product. */

const ROOT = join(import.meta.dirname, "..", "..");
const ROOMS = ["account", "agent", "launch", "ledger", "provider", "service"];

interface Rule {
  readonly words: readonly string[];
  readonly rooms: readonly string[];
}

const rules = readFileSync(join(ROOT, "docs/how/glossary.md"), "utf8")
  .split("## Words in names")[1]!
  .split("\n")
  .filter((line) => line.startsWith("| ") && !line.startsWith("| Word "))
  .map((line): Rule => {
    const [words = "", , rooms = ""] = line.slice(2, -2).split(" | ");
    return { words: words.split(", "), rooms: rooms === "none" ? [] : rooms.split(", ") };
  });

/** Files, and what they export, as words. */
const names = execFileSync("git", ["ls-files", ...ROOMS], { cwd: ROOT, encoding: "utf8" })
  .split("\n")
  .filter((file) => file.endsWith(".ts"))
  .flatMap((file) => {
    const exported = readFileSync(join(ROOT, file), "utf8").matchAll(
      /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm,
    );
    return [basename(file, ".ts"), ...Array.from(exported, ([, name = ""]) => name)].map((name) => ({
      file,
      name,
      words: name
        .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
        .toLowerCase()
        .split(/[-_]/),
    }));
  });

test.each(rules)("$words stands in names of $rooms alone", ({ words, rooms }) => {
  const found = names.filter((each) => each.words.some((word) => words.includes(word)));
  const isThere = (room: string, file: string): boolean => file.startsWith(`${room}/`);
  expect(found.filter(({ file }) => !rooms.some((room) => isThere(room, file)))).toEqual([]);
  // A room that no name needs is no rule.
  expect(rooms.filter((room) => !found.some(({ file }) => isThere(room, file)))).toEqual([]);
});

test("the table is read, and so are the names", () => {
  expect(rules.length).toBeGreaterThan(10);
  expect(names.length).toBeGreaterThan(2_000);
});
