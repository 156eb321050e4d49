import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const { stdout } = spawnSync("npm", ["audit", "--json", "--package-lock-only"], {
  cwd: join(import.meta.dirname, "../.."),
  encoding: "utf8",
});
const report: { readonly vulnerabilities?: Readonly<Record<string, unknown>> } = JSON.parse(stdout || "{}");

test.skipIf(!report.vulnerabilities)(
  "npm audit knows of no flaw in any dependency [needs a registry that answers audits]",
  () => {
    expect(Object.keys(report.vulnerabilities ?? {})).toEqual([]);
  },
);
