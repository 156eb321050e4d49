import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { root } from "../../scripts/setup/paths.mjs";
import { noGenerator, writePythonSdk } from "../../scripts/setup/python-sdk.mjs";
import { filesUnder } from "../../scripts/setup/stamp.mjs";

const missing = await noGenerator(process.env);

describe.skipIf(missing)(`sdk/python${missing ? ` [skipped: ${missing}]` : ""}`, { timeout: 600_000 }, () => {
  it("is what node scripts/python-sdk.mjs makes of the schema: run it and commit what it writes", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "fleetkeeper-sdk-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    await writePythonSdk(folder, process.env);
    expect(filesIn(path.join(root, "sdk/python"))).toEqual(filesIn(folder));
  });
});

/** Contents by name, without the page that is written by hand and what pip, Python and mypy leave. */
function filesIn(folder: string): Readonly<Record<string, string>> {
  const names = filesUnder(folder, ["."]).filter(
    (name) => name !== "README.md" && !/__pycache__|\.mypy_cache|^build\/|egg-info/.test(name),
  );
  return Object.fromEntries(names.map((name) => [name, readFileSync(path.join(folder, name), "utf8")]));
}
