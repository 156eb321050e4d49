// node scripts/plugin-schema.ts: writes provider/plugin/schema.json, from which every language's SDK is made.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { pluginSchema } from "./plugin-schema/schema.ts";

const file = path.join(import.meta.dirname, "..", "provider", "plugin", "schema.json");
writeFileSync(file, `${JSON.stringify(pluginSchema(), null, 2)}\n`);
