import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const BUNDLE = join(ROOT, "dist/bundle");

/** What an import statement of the file names: it is loaded before the file's first line runs. */
function loads(file: string): readonly string[] {
  const text = readFileSync(join(BUNDLE, file), "utf8");
  return [...text.matchAll(/^import .*?"(.*)";$/gm)].map(([, name = ""]) => name);
}

it.each(["fleetkeeper.js", "provider.js", "pulumi-resource-fleetkeeper.js"])(
  "an older Node loads no more of %s than what tells it apart, and what signals mean",
  (entry) => {
    const [versions = "", ...others] = loads(entry).filter((name) => name.startsWith("."));
    expect(versions).toMatch(/^\.\/node-version-/);
    for (const other of others) expect(other).toMatch(/^\.\/no-debugger-/);
    expect([versions, ...others].flatMap(loads)).toEqual([]);
  },
);

it("can be loaded, file by file", () => {
  // Those two are programs: they run once they are loaded.
  const programs = ["fleetkeeper.js", "pulumi-resource-fleetkeeper.js"];
  const files = readdirSync(BUNDLE).filter((name) => name.endsWith(".js") && !programs.includes(name));
  const load = `for (const url of ${JSON.stringify(files.map((file) => pathToFileURL(join(BUNDLE, file)).href))}) await import(url);`;
  execFileSync(process.execPath, ["--input-type=module", "--eval", load], { cwd: ROOT });
  expect(files.length).toBeGreaterThan(10);
});

it("imports nothing that is not installed with the package", () => {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const installed = Object.keys({ ...dependencies, ...peerDependencies });
  const files = readdirSync(BUNDLE).filter((name) => name.endsWith(".js"));
  const named = files.flatMap((file) => [
    ...loads(file),
    ...[...readFileSync(join(BUNDLE, file), "utf8").matchAll(/\bimport\("([^"]+)"\)/g)].map(
      ([, name = ""]) => name,
    ),
  ]);
  const packages = named.filter((name) => !/^(\.|node:)/.test(name));
  expect(packages.length).toBeGreaterThan(5);
  const missing = packages.filter(
    (name) => !installed.some((each) => name === each || name.startsWith(`${each}/`)),
  );
  expect(missing).toEqual([]);
});
