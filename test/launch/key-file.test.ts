import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { keyFileWarning } from "../../account/key-file.ts";

function keyFile(mode: number): string {
  const folder = mkdtempSync(join(tmpdir(), "key-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "key");
  writeFileSync(file, "canary-key");
  chmodSync(file, mode);
  return file;
}

test("a key file that every user may read is warned of, with the command that mends it", () => {
  const file = keyFile(0o644);
  const warning = keyFileWarning({ FLEETKEEPER_API_KEY_FILE: file });
  expect(warning).toBe(
    `FLEETKEEPER_API_KEY_FILE: every user of this machine may read ${file} (mode 644). Take that right away: chmod o-rwx ${file}`,
  );
  expect(warning).not.toContain("canary");
});

test.each([0o600, 0o640])("one of mode %o is not, since its owner or a group alone reads it", (mode) => {
  expect(keyFileWarning({ FLEETKEEPER_API_KEY_FILE: keyFile(mode) })).toBeUndefined();
});

test("nothing is said of a file that is not used, or not there", () => {
  const file = keyFile(0o644);
  expect(keyFileWarning({ FLEETKEEPER_API_KEY: "k", FLEETKEEPER_API_KEY_FILE: file })).toBeUndefined();
  expect(keyFileWarning({ FLEETKEEPER_API_KEY_FILE: `${file}-not-there` })).toBeUndefined();
  expect(keyFileWarning({})).toBeUndefined();
});
