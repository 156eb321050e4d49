import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteLedger } from "../ledger/sqlite/sqlite-ledger.ts";
import { type Figure, ms } from "./figure.ts";
import { ACCOUNT } from "./rows.ts";

/* How long a command takes to begin and to end, beside Node that does nothing. Needs dist/: npm run build. */

const ROUNDS = 15;
const entry = join(import.meta.dirname, "../dist/bundle/fleetkeeper.js");
if (!existsSync(entry)) throw new Error("there is no dist/: npm run build");
const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-bench-"));
const path = join(folder, "ledger.db");
const ledger = openSqliteLedger({ path, newId: "benchbenchbench0", now: 1 });
await ledger.openAccount({ baseUrl: "https://bench.example.com", account: ACCOUNT });
ledger.close();

function timed(args: readonly string[]): number {
  const begun = performance.now();
  execFileSync(process.execPath, args, { stdio: "ignore", cwd: folder });
  return performance.now() - begun;
}

const commands = {
  nothing: ["-e", "0"],
  version: [entry, "--version"],
  status: [entry, "status", "--ledger", path],
} as const;
const least = { nothing: Infinity, version: Infinity, status: Infinity };
const names = Object.keys(commands) as (keyof typeof commands)[];
// The least of several runs in turn: a neighbour only ever adds.
for (let round = 0; round < ROUNDS; round++)
  for (const name of names) least[name] = Math.min(least[name], timed(commands[name]));
rmSync(folder, { recursive: true });

const figures = (["version", "status"] as const).map(
  (name): Figure => ({
    what: `fleetkeeper ${name === "version" ? "--version" : name}`,
    measured: ms(least[name]),
    against: `node -e 0: ${ms(least.nothing)}`,
    ratio: least[name] / least.nothing,
    toReach: name === "version" ? "<= 3" : "<= 6",
  }),
);
process.stdout.write(JSON.stringify(figures));
