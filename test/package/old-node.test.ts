import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const BUNDLE = join(import.meta.dirname, "../../dist/bundle");

/** What an import statement of the file names: it is loaded before the file's first line runs. */
function loads(file: string): readonly string[] {
  const text = readFileSync(join(BUNDLE, file), "utf8");
  return [...text.matchAll(/^import .*?"(.*)";$/gm)].map(([, name = ""]) => name);
}

it.each(["fleetkeeper.js", "provider.js"])(
  "an older Node loads no more of %s than what tells it apart",
  (entry) => {
    const [versions = "", ...others] = loads(entry).filter((name) => name.startsWith("."));
    expect(versions).toMatch(/^\.\/node-version-/);
    expect(others).toEqual([]);
    expect(loads(versions)).toEqual([]);
  },
);
