import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { GENERATED } from "./pages.ts";

for (const [name, page] of Object.entries(GENERATED))
  writeFileSync(join(import.meta.dirname, "..", "..", "docs", name), page());
