import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** What a registry would get, by its paths. */
function packed(): readonly string[] {
  const printed = execFileSync("npm", ["pack", "--dry-run", "--ignore-scripts", "--json"], {
    cwd: ROOT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  // One package: older npm prints a list, newer ones an object by name.
  const [pack] = Object.values(JSON.parse(printed)) as [{ readonly files: readonly { path: string }[] }];
  return pack.files.map(({ path }) => path);
}

const files = packed();

test("the package has what runs, its types and the files they read, and no source, test or map beside them", () => {
  const wanted = [
    /^(LICENSE|README\.md|package\.json)$/,
    /^dist\/bundle\/[\w.-]+\.(js|LICENSE)$/,
    /^dist\/types\/[\w/-]+\.d\.ts$/,
    /^dist\/man\/fleetkeeper\.1$/,
    /^agent\/tell\/http\/assets\/[\w-]+\.(css|js|svg)$/,
    /^profiles\/[\w-]+\/(about|cloud|profile)\.yaml$/,
  ];
  expect(files.filter((file) => !wanted.some((pattern) => pattern.test(file)))).toEqual([]);
  for (const pattern of wanted) expect(files.some((file) => pattern.test(file))).toBe(true);
});

test("the package has every file that its entries and its types lead to", () => {
  const { exports, bin, main, types } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const entries = Object.values<string | Readonly<Record<string, string>>>(exports).flatMap((entry) =>
    typeof entry === "string" ? [entry] : Object.values(entry),
  );
  const named = [main, types, ...Object.values<string>(bin), ...entries];
  expect(named.length).toBeGreaterThan(15);
  const imported = files
    .filter((file) => file.endsWith(".d.ts"))
    .flatMap((file) =>
      [...readFileSync(join(ROOT, file), "utf8").matchAll(/(?:from|import\() ?"(\.[^"]+)"/g)].map(
        ([, name = ""]) => join(file, "..", name).replace(/\.ts$/, ".d.ts"),
      ),
    );
  expect([...named.map((name) => join(name)), ...imported].filter((file) => !files.includes(file))).toEqual(
    [],
  );
});
