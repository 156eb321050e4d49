import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

interface Entry {
  readonly part: string;
  readonly passed: boolean;
  readonly seconds: number;
}

/**
 * What passed already, so that an interrupted run goes on. Each state of the sources has its own file, named
 * by their hash: no result counts for other sources. Lines are only added, so several runs may share a file.
 */
export class Journal {
  readonly #file: string;
  readonly #passed: ReadonlyMap<string, number>;

  /** `fresh`: earlier entries do not count. Journals of other states are removed. */
  constructor(folder: string, key: string, { fresh = false } = {}) {
    mkdirSync(folder, { recursive: true });
    const name = `${key}.jsonl`;
    this.#file = join(folder, name);
    for (const other of readdirSync(folder)) if (other !== name) rmSync(join(folder, other), { force: true });
    if (fresh) rmSync(this.#file, { force: true });
    const entries = readEntries(this.#file);
    this.#passed = new Map(entries.flatMap(({ part, passed, seconds }) => (passed ? [[part, seconds]] : [])));
  }

  /** True if this part passed in an earlier run. A failed one runs again. */
  hasPassed(part: string): boolean {
    return this.#passed.has(part);
  }

  add(entry: Entry): void {
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
  }
}

/** The last line may be cut: a run was killed while it wrote. */
function readEntries(file: string): readonly Entry[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line) as Entry];
    } catch {
      return [];
    }
  });
}
