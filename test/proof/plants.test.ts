import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SOUND_RULES } from "../../ledger/unsound.ts";
import { STANDARD } from "../../proof/explorer/cases.ts";
import { PLANTS } from "../../proof/plants.ts";
import { directed } from "../../proof/stories/index.ts";

const ROOT = join(import.meta.dirname, "../..");

/** Seen in a second, and not after an hour of planting: a line that a bug replaces was changed. */
test.each(PLANTS)("the planted bug $name finds the lines that it replaces", ({ edits }) => {
  for (const { file, text } of edits) {
    const times = readFileSync(join(ROOT, file), "utf8").split(text).length - 1;
    expect(times, `${file}: ${text}`).toBe(1);
  }
});

test("each planted bug has a name of its own, and stories and cases that are there", () => {
  expect(new Set(PLANTS.map(({ name }) => name)).size).toBe(PLANTS.length);
  for (const { directed: stories = [], explored, onlyExplored } of PLANTS) {
    for (const story of stories) expect(directed(story).length).toBeGreaterThan(0);
    if (explored !== undefined || onlyExplored) expect(STANDARD.map(({ name }) => name)).toContain(explored);
  }
});

test("each rule that is asserted as a decision is stored has its bug, and its line on the page", () => {
  const page = readFileSync(join(ROOT, "docs/how/assertions.md"), "utf8");
  const asserted = PLANTS.filter(({ name }) => name.startsWith("assert-"));
  for (const { name } of asserted) expect(page).toContain(`\`${name}\``);
  for (const rule of SOUND_RULES) {
    expect(page).toContain(`| \`${rule}\` |`);
    // Where two are open for one slot no story reaches: the explorer has it.
    const oracle = rule === "oneInSlot" ? undefined : `assertion ${rule}`;
    expect(asserted.filter((plant) => plant.oracle === oracle)).not.toEqual([]);
  }
});
