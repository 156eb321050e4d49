// @module-tag repeats
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { NO_IMPORT } from "../../provider/stack/pair.ts";
import { sdkFolder } from "../../scripts/setup/sdks.mjs";
import { goBuild, goModule, noGo } from "../engine/go.ts";

const readme = readFileSync(path.join(sdkFolder("go"), "README.md"), "utf8");
const program = /```go\n(.*?)```/s.exec(readme)?.[1] ?? "";

/** Without an engine: nothing is registered. */
const IMPORTING = `package main

import (
	"fmt"

	"fleetkeeper.invalid/sdk/go/fleetkeeper"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	opt := pulumi.Import(pulumi.ID("0b6f5a4e"))
	_, one := fleetkeeper.NewDeployment(nil, "web", &fleetkeeper.DeploymentArgs{OnDelete: fleetkeeper.DeploymentOnDeleteAbandon}, opt)
	_, other := fleetkeeper.NewFleet(nil, "web", &fleetkeeper.FleetArgs{Gpus: pulumi.Int(1), Match: pulumi.String("none")}, opt)
	fmt.Println(one, other)
}
`;

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

  it("refuses the option Import: it would reach nobody, and another machine would be rented", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "fleetkeeper-go-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    goModule(folder);
    writeFileSync(path.join(folder, "main.go"), IMPORTING);
    goBuild(folder, path.join(folder, "program"));
    const said = execFileSync(path.join(folder, "program")).toString();
    expect(said).toContain(`Deployment web: the option Import has no effect on this resource: ${NO_IMPORT}`);
    expect(said).toContain(`Fleet web: the option Import has no effect on this resource: ${NO_IMPORT}`);
  });

  it("has the compiler refuse a number in place of a text, and an output that is not there", () => {
    expect(() => compile(program.replace('pulumi.String("20.00")', "pulumi.Float64(20)"))).toThrow(
      "cannot use",
    );
    expect(() => compile(program.replace(".RunningGpus", ".RuningGpus"))).toThrow("RuningGpus undefined");
  });
});
