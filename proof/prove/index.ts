import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { filesUnder, hashOfFiles } from "../../scripts/setup/stamp.mjs";
import { countOf, oneOf, shareOf } from "../arguments.ts";
import { Journal } from "./journal.ts";
import type { Part } from "./part.ts";
import { chosenParts } from "./part.ts";
import { partsOfTheProof } from "./parts.ts";
import type { Result } from "./walk.ts";
import { walk } from "./walk.ts";

/**
 * node proof/prove/index.ts [--only sample|rest] [--shard 1/4] [--jobs 2] [--fresh] [--again] [--list]
 * [--counts FILE]
 *
 * Runs the whole proof in parts. `--fresh` forgets earlier passes; `--again` runs all and adds to the
 * journal. `--counts` writes how many passed and failed into a file.
 */
const ROOT = join(import.meta.dirname, "../..");
/** All files that a result depends on. */
const SOURCES = [
  ...[
    "provider",
    "agent",
    "service",
    "account",
    "launch",
    "ledger",
    "simulator",
    "policy",
    "proof",
    "scripts",
  ],
  ...["test/proof", "test/support", "package-lock.json", "tsconfig.json", "vitest.config.ts"],
];

let isCounted = false;
process.on("exit", (code) => {
  if (code !== 0 && !isCounted) print("\n0 passed, 1 failed");
});

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    shard: { type: "string" },
    jobs: { type: "string", default: "2" },
    fresh: { type: "boolean", default: false },
    again: { type: "boolean", default: false },
    list: { type: "boolean", default: false },
    counts: { type: "string" },
  },
});
const only = values.only === undefined ? undefined : oneOf("--only", values.only, ["sample", "rest"]);
const shard = values.shard === undefined ? undefined : shareOf("--shard", values.shard);
const parts = chosenParts(partsOfTheProof(), { only, shard });

if (values.list) for (const { name } of parts) print(name);
else {
  const aborting = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(name, () => aborting.abort());
  const key = keyOfSources();
  const journal = new Journal(join(ROOT, ".fleetkeeper", "proof"), key, { fresh: values.fresh });
  const counts = await walk({
    parts,
    jobs: countOf("--jobs", values.jobs),
    run: (part) => runPart(part, aborting.signal),
    journal: values.again ? { hasPassed: () => false, add: (entry) => journal.add(entry) } : journal,
    isUnchanged: () => keyOfSources() === key,
    print,
    signal: aborting.signal,
  });
  if (values.counts !== undefined) writeFileSync(values.counts, JSON.stringify(counts));
  isCounted = true;
  print(`\n${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = counts.failed === 0 ? 0 : 1;
}

function keyOfSources(): string {
  const hash = createHash("sha256").update(process.version);
  return hash
    .update(hashOfFiles(ROOT, filesUnder(ROOT, SOURCES)))
    .digest("hex")
    .slice(0, 32);
}

/** Ends with the part's processes: Ctrl-C reaches them, too, and an aborted part has failed. */
function runPart({ args, env }: Part, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    const keep = (chunk: Buffer): void => {
      output += chunk;
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    const end = (): void => void child.kill();
    signal.addEventListener("abort", end, { once: true });
    const finish = (result: Result): void => {
      signal.removeEventListener("abort", end);
      resolve(result);
    };
    child.once("error", (error) => finish({ passed: false, output: String(error) }));
    child.once("close", (code) => finish({ passed: code === 0, output }));
  });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
