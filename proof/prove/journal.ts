import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

interface Entry {
  readonly part: string;
  readonly passed: boolean;
  readonly seconds: number;
}

/**
 * What passed already, so that an interrupted run goes on where it was. Each state of the sources has a file of its
 * own, named by their hash: no result is ever taken for that of other sources. Lines are only added, so several runs
 * may write into one file.
 */
export class Journal {
  readonly #file: string;
  readonly #passed: ReadonlyMap<string, number>;

  /** `fresh`: what is in it already does not count. Journals of other states are removed. */
  constructor(folder: string, key: string, { fresh = false } = {}) {
    mkdirSync(folder, { recursive: true });
    const name = `${key}.jsonl`;
    this.#file = join(folder, name);
    for (const other of readdirSync(folder)) if (other !== name) rmSync(join(folder, other), { force: true });
    if (fresh) rmSync(this.#file, { force: true });
    const entries = readEntries(this.#file);
    this.#passed = new Map(entries.flatMap(({ part, passed, seconds }) => (passed ? [[part, seconds]] : [])));
  }

  /** Whether this part passed in an earlier run. One that failed is run again. */
  hasPassed(part: string): boolean {
    return this.#passed.has(part);
  }

  add(entry: Entry): void {
    appendFileSync(this.#file, `${JSON.stringify(entry)}\n`);
  }
}

/** The last line is not whole where a run was killed while it wrote. */
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
