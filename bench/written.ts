import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Figure } from "./figure.ts";

/* What an agent writes to the disk in a round in which nothing changed, beside one page of the ledger. */

const SCRIPT = join(import.meta.dirname, "written-case.ts");
/** A page of SQLite's, and its header in the write-ahead log: nothing smaller is ever written. */
const PAGE = 4096 + 24;

const sizes = [
  [1_000, 0],
  [10_000, 0],
  [90_000, 0],
  [100, 90_000],
] as const;
const figures = sizes.map(([running, ended]): Figure => {
  const bytes = JSON.parse(
    String(execFileSync(process.execPath, [SCRIPT, `${running}`, `${ended}`])),
  ) as number;
  return {
    what: `written by a steady tick: ${running} run, ${ended} have ended`,
    measured: `${bytes.toFixed(0)} bytes`,
    against: `one page: ${PAGE} bytes`,
    ratio: bytes / PAGE,
    toReach: "<= 1.0",
  };
});
process.stdout.write(JSON.stringify(figures));
