import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { directed } from "../../proof/directed.ts";
import { PLANTS } from "../../proof/plants.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Seen in a second, and not after an hour of planting: a line that a bug replaces was changed. */
test.each(PLANTS)(
  "the planted bug $name finds the lines that it replaces",
  ({ edits, directed: stories }) => {
    for (const { file, text } of edits) {
      expect(readFileSync(join(ROOT, file), "utf8").split(text).length - 1, `${file}: ${text}`).toBe(1);
    }
    for (const story of stories ?? []) expect(directed(story).length).toBeGreaterThan(0);
  },
);

test("no two planted bugs have one name", () => {
  expect(new Set(PLANTS.map(({ name }) => name)).size).toBe(PLANTS.length);
});
