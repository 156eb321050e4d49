import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));

test("npm says nothing of its own in front of what npx fleetkeeper prints in a clone on an older Node", () => {
  expect(
    execFileSync("npm", ["config", "get", "loglevel"], { cwd: ROOT, env, encoding: "utf8" }).trim(),
  ).toBe("error");
});

test("npx finds fleetkeeper in an example, which has a package.json of its own", () => {
  const parent = join(ROOT, ".fleetkeeper", "test");
  mkdirSync(parent, { recursive: true });
  const cwd = mkdtempSync(join(parent, "example-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  cpSync(join(ROOT, "examples", "agent"), cwd, { recursive: true });
  const printed = execFileSync("npx", ["--offline", "fleetkeeper", "--version"], {
    cwd,
    env,
    encoding: "utf8",
  });
  expect(printed).toMatch(/^\d+\.\d+\.\d+/);
});
