import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { GENERATED } from "../../scripts/reference/pages.ts";

test.each(Object.keys(GENERATED))(
  "docs/%s is what the program says today; npm run docs writes it",
  (name) => {
    const checkedIn = readFileSync(join(import.meta.dirname, "..", "..", "docs", name), "utf8");
    expect(checkedIn).toBe(GENERATED[name]?.());
  },
);
