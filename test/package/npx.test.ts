import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("npm says nothing of its own in front of what npx fleetkeeper prints in a clone on an older Node", () => {
  const cwd = join(import.meta.dirname, "..", "..");
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));
  expect(execFileSync("npm", ["config", "get", "loglevel"], { cwd, env, encoding: "utf8" }).trim()).toBe(
    "error",
  );
});
