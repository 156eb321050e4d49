import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sdkFolder } from "../../scripts/setup/sdks.mjs";
import { goBuild, goModule, noGo } from "../engine/go.ts";

const readme = readFileSync(path.join(sdkFolder("go"), "README.md"), "utf8");
const program = /```go\n(.*?)```/s.exec(readme)?.[1] ?? "";

describe.skipIf(noGo)(`sdk/go${noGo ? ` [skipped: ${noGo}]` : ""}`, { timeout: 600_000 }, () => {
  function compile(text: string): void {
    const folder = mkdtempSync(path.join(tmpdir(), "fleetkeeper-go-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    goModule(folder);
    writeFileSync(path.join(folder, "main.go"), text);
    goBuild(folder, "/dev/null");
  }

  it("compiles the program of its page", () => {
    expect(program).toContain("NewFleet");
    compile(program);
  });

  it("has the compiler refuse a number in place of a text, and an output that is not there", () => {
    expect(() => compile(program.replace('pulumi.String("20.00")', "pulumi.Float64(20)"))).toThrow(
      "cannot use",
    );
    expect(() => compile(program.replace(".RunningGpus", ".RuningGpus"))).toThrow("RuningGpus undefined");
  });
});
