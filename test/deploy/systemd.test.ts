import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { describeWith, read, run } from "./tool.ts";

const UNIT = "deploy/systemd/fleetkeeper.service";

/** As it would be installed: systemd says that a program is not there, and it may not be here. */
function unit(change: (text: string) => string = (text) => text): string {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-unit-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "fleetkeeper.service");
  writeFileSync(file, change(read(UNIT)).replace("/usr/local/bin/fleetkeeper", process.execPath));
  return file;
}

/** What it says of the unit itself: on a machine without all of systemd's own units it names those, too. */
function verify(file: string): string[] {
  return run("systemd-analyze", ["verify", "--man=no", file])
    .said.split("\n")
    .filter((line) => line.startsWith(`${file}:`) || / is not executable|Failed to parse/.test(line));
}

describeWith("systemd-analyze", "systemd", () => {
  it("knows every word of the unit", () => {
    expect(verify(unit())).toEqual([]);
  });

  it("would say of one that it does not know", () => {
    expect(verify(unit((text) => text.replace("RestartSec=", "RestartSecs="))).join()).toContain(
      "RestartSecs",
    );
  });

  it("calls the service well protected: at most 1.5 of 10", () => {
    const args = ["security", "--offline=true", "--no-pager", "--threshold=15", UNIT];
    expect(run("systemd-analyze", args)).toMatchObject({ code: 0 });
    const open = unit((text) =>
      text.replace("ProtectSystem=strict\n", "").replace("CapabilityBoundingSet=\n", ""),
    );
    expect(run("systemd-analyze", [...args.slice(0, -1), open]).code).not.toBe(0);
  });
});

it("the unit gives the credential as a file of systemd's, and hides from the agent nothing that it looks at", () => {
  const text = read(UNIT);
  expect(text).toMatch(/^LoadCredential=api-key:/m);
  expect(text).toMatch(/^Environment=FLEETKEEPER_API_KEY_FILE=%d\/api-key$/m);
  expect(text).not.toMatch(/^(ProcSubset|MemoryDenyWriteExecute)=/m);
});
