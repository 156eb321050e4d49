import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { handwritten, noGenerator, sdkFolder, sdks, writeSdk } from "../../scripts/setup/sdks.mjs";
import { filesUnder } from "../../scripts/setup/stamp.mjs";

const missing = await noGenerator(process.env);

describe.skipIf(missing)(`sdk/${missing ? ` [skipped: ${missing}]` : ""}`, { timeout: 600_000 }, () => {
  it.each(sdks)(
    "%s is what node scripts/sdks.mjs makes of the schema: run it and commit what it writes",
    async (language) => {
      const folder = mkdtempSync(path.join(tmpdir(), "fleetkeeper-sdk-"));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      await writeSdk(language, folder, process.env);
      expect(filesIn(sdkFolder(language))).toEqual(filesIn(folder));
    },
  );
});

/** Contents by name, without what is written by hand and what pip, Python and mypy leave. */
function filesIn(folder: string): Readonly<Record<string, string>> {
  const names = filesUnder(folder, ["."]).filter(
    (name) => !handwritten.includes(name) && !/__pycache__|\.mypy_cache|^build\/|egg-info/.test(name),
  );
  return Object.fromEntries(names.map((name) => [name, readFileSync(path.join(folder, name), "utf8")]));
}
