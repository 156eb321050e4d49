import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
// biome-ignore lint/style/noRestrictedImports: Vitest runs this file anew before each file of tests.
import { afterAll } from "vitest";
import { cacheFolder } from "../../scripts/setup/paths.mjs";

/*
 * Before each file of tests: what a test and its processes take for the home, the time zone and the settings of whoever
 * runs them is the tests' own. A ledger in somebody's home, or a variable of theirs, decides no test and is not touched.
 */

/** What tools other than ours keep in a home: which registry they ask, and what they have fetched. */
const TOOLS = [
  ...[".npmrc", ".npm", "go", ".config/go", ".config/pip", ".cache/go-build", ".cache/pip"],
  ...[".pyenv", ".asdf", ".volta", ".local/share/mise", ".local/share/pnpm"],
];

/** The set-up says by these what it has found; the others would be somebody's settings. */
const OURS = /^FLEETKEEPER_(PULUMI|CHROMIUM|PYTHON|ALLOY|CACHE|SHOTS|KILLED_IN)$|^PULUMI_SKIP_UPDATE_CHECK$/;
const SETTINGS = /^(FLEETKEEPER_|PULUMI_|PG[A-Z]|XDG_(CACHE|CONFIG|DATA|STATE)_HOME$)/;

function made(): string {
  const before = homedir();
  const caches = process.env.XDG_CACHE_HOME || join(before, ".cache");
  const home = mkdtempSync(join(process.env.HOMES_OF_TESTS ?? tmpdir(), "home-"));
  for (const name of TOOLS) {
    const kept = name.startsWith(".cache/") ? join(caches, name.slice(7)) : join(before, name);
    mkdirSync(dirname(join(home, name)), { recursive: true });
    if (existsSync(kept)) symlinkSync(kept, join(home, name));
  }
  process.env.FLEETKEEPER_CACHE = cacheFolder();
  for (const name of Object.keys(process.env))
    if (SETTINGS.test(name) && !OURS.test(name)) delete process.env[name];
  return home;
}

process.env.HOME_OF_TESTS ??= made();
const home = process.env.HOME_OF_TESTS;
process.env.HOME = home;
process.env.TZ = "UTC";

afterAll(() => {
  for (const name of [".fleetkeeper", ".pulumi"]) {
    if (!existsSync(join(home, name))) continue;
    rmSync(join(home, name), { recursive: true });
    throw new Error(
      `A test left ${name} in the home: it, or a process of its, went on without a place of its own.`,
    );
  }
});
