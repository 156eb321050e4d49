import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Plant } from "./plants.ts";
import { PLANTS } from "./plants.ts";

const ROOT = dirname(import.meta.dirname);

/** An oracle must see a bug by itself: what is asserted as a decision is stored would stop it before. The tables of lifecycle.ts stay. */
const UNASSERTED: Plant["edits"] = [
  {
    file: "ledger/unsound.ts",
    text: "  throw new Unsound(rule, what);",
    instead: '  if (rule === "lifecycle") throw new Unsound(rule, what);',
  },
  {
    file: "ledger/agreed.ts",
    text: "  const { moved } = draft;",
    instead: "  const moved = { intents: [], deployments: [] };",
  },
];

/** Puts one of the proof's planted bugs into the product. */
export function plant(name: string): void {
  const found = PLANTS.find((each) => each.name === name);
  if (!found)
    throw new Error(`no planted bug is called ${name}: ${PLANTS.map((each) => each.name).join(", ")}`);
  plantEdits(name, name.startsWith("assert-") ? found.edits : [...found.edits, ...UNASSERTED]);
}

/**
 * Puts a bug into the product as it loads: a hook of Node's module loader replaces one exact text of a
 * source. Throws if the text does not stand there exactly once, or the file is never loaded: a bug that was
 * not planted would look like one that was not caught.
 */
export function plantEdits(name: string, edits: Plant["edits"]): void {
  const sources = new Map<string, string>();
  for (const { file, text, instead } of edits) {
    const url = pathToFileURL(join(ROOT, file)).href;
    const source = sources.get(url) ?? readFileSync(fileURLToPath(url), "utf8");
    const times = source.split(text).length - 1;
    if (times !== 1)
      throw new Error(`planted bug ${name}: the text stands ${times} times in ${file}, not once:\n${text}`);
    sources.set(
      url,
      source.replace(text, () => instead),
    );
  }
  const loaded = new Set<string>();
  registerHooks({
    load(url, context, nextLoad) {
      const source = sources.get(url);
      if (source === undefined) return nextLoad(url, context);
      loaded.add(url);
      return { ...nextLoad(url, context), source };
    },
  });
  process.on("exit", () => {
    for (const url of sources.keys()) {
      if (!loaded.has(url)) throw new Error(`planted bug ${name}: ${url} was never loaded`);
    }
  });
}
