import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { root } from "../../scripts/setup/paths.mjs";
import { installSdk, python } from "../engine/python.ts";

const named = `sdk/python for a checker of types${python ? "" : " [skipped: Pulumi for Python is not installed]"}`;
const readme = readFileSync(path.join(root, "sdk/python/README.md"), "utf8");
const program = /```python\n(.*?)```/s.exec(readme)?.[1] ?? "";

describe.skipIf(!python)(named, { timeout: 600_000 }, () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), "fleetkeeper-python-"));
    installSdk(path.join(folder, "packages"));
  });
  afterAll(() => folder && rmSync(folder, { recursive: true, force: true }));

  /** What mypy says of a program, with Pulumi's types and the installed SDK's. */
  function check(text: string): string {
    writeFileSync(path.join(folder, "program.py"), text);
    // Silent about the SDK's own code, which is not ours.
    const args = ["-m", "mypy", "--strict", "--follow-imports=silent", "program.py"];
    const env = { ...process.env, MYPYPATH: path.join(folder, "packages") };
    const { stdout, stderr } = spawnSync(path.join(python!, "bin/python"), args, { cwd: folder, env });
    return `${stdout}${stderr}`;
  }

  it("is installed as a typed package", () => {
    expect(existsSync(path.join(folder, "packages/pulumi_fleetkeeper/py.typed"))).toBe(true);
  });

  it("knows the program of its page", () => {
    expect(check(program)).toContain("Success: no issues found");
  });

  it("has a page with a whole Pulumi.yaml: the environment, the plugin and the settings", () => {
    const project = parse(/```yaml\n(.*?)```/s.exec(readme)?.[1] ?? "");
    expect(project).toMatchObject({
      name: "notebook",
      runtime: { name: "python", options: { virtualenv: "venv" } },
      plugins: { providers: [{ name: "fleetkeeper", path: "node_modules/.bin" }] },
    });
    expect(Object.keys(project.config)).toEqual(
      ["baseUrl", "profile", "account"].map((key) => `fleetkeeper:${key}`),
    );
  });

  it("knows the program of examples/python", () => {
    const session = readFileSync(path.join(root, "examples/python/session.py"), "utf8");
    expect(check(session)).toContain("Success: no issues found");
  });

  it("knows a choice by its text, and a moment as a datetime", () => {
    const said = check(`
from datetime import datetime, timedelta, timezone
import pulumi_fleetkeeper as fleetkeeper

soon = datetime.now(timezone.utc) + timedelta(hours=2)
one = fleetkeeper.Deployment("one", offer="a", provider="b", location="c", on_delete="abandon", until=soon)
two = fleetkeeper.Fleet("two", gpus=1, reconcile="inline", match="none", placement="same", until=soon)
three = fleetkeeper.Provider("three", account="exclusive")
four = fleetkeeper.Fleet("four", gpus=1, reconcile=fleetkeeper.FleetReconcile.INLINE)
`);
    expect(said).toContain("Success: no issues found");
  });

  it("refuses an argument that is not there, a number in place of a text, and an output that is not there", () => {
    expect(check(program.replace("offer=", "ofer="))).toContain('Unexpected keyword argument "ofer"');
    expect(check(program.replace('floor="20.00"', "floor=20.0"))).toContain("incompatible type");
    expect(check(program.replace("running_gpus", "runningGpus"))).toContain(
      'has no attribute "runningGpus"; maybe "running_gpus"?',
    );
  });
});
