import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NO_IMPORT } from "../../provider/stack/pair.ts";
import { installSdk, python } from "../engine/python.ts";

/** Tries each expression in a program without an engine: what the plugin would be given, or the error. */
const PROGRAM = `
import json, sys
from datetime import datetime, timedelta, timezone
import pulumi
import pulumi_fleetkeeper as fleetkeeper

given = {}

class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args):
        given[args.name] = args.inputs
        return args.name + "-id", args.inputs
    def call(self, args):
        return {}

pulumi.runtime.set_mocks(Mocks())
one = {"offer": "a", "provider": "b", "location": "c"}

@pulumi.runtime.test
def made(expression, name):
    return pulumi.Output.from_input(eval(expression).urn)

said = []
for index, expression in enumerate(json.loads(sys.argv[1])):
    name = "r" + str(index)
    try:
        made(expression, name)
        said.append(given[name])
    except Exception as error:
        said.append(str(error))
print(json.dumps(said))
`;

const named = `arguments of sdk/python${python ? "" : " [skipped: Pulumi for Python is not installed]"}`;

describe.skipIf(!python)(named, { timeout: 600_000 }, () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), "fleetkeeper-python-"));
    installSdk(path.join(folder, "packages"));
  });
  afterAll(() => folder && rmSync(folder, { recursive: true, force: true }));

  function tried(...expressions: readonly string[]): unknown {
    const env = { ...process.env, PYTHONPATH: path.join(folder, "packages"), PYTHONDONTWRITEBYTECODE: "1" };
    const args = ["-c", PROGRAM, JSON.stringify(expressions)];
    return JSON.parse(execFileSync(path.join(python!, "bin/python"), args, { env }).toString());
  }

  it("the option import_ is refused: it would reach nobody, and another machine would be rented", () => {
    const opts = 'opts=pulumi.ResourceOptions(import_="0b6f5a4e")';
    expect(
      tried(`fleetkeeper.Deployment("web", ${opts}, **one)`, `fleetkeeper.Fleet("web", ${opts}, gpus=1)`),
    ).toEqual([
      `Deployment web: the option import_ has no effect on this resource: ${NO_IMPORT}`,
      `Fleet web: the option import_ has no effect on this resource: ${NO_IMPORT}`,
    ]);
  });

  it("until takes a datetime with a time zone, also an output or one in a class of arguments, and a text as it is", () => {
    const until = "datetime(2030, 1, 1, 20, tzinfo=timezone(timedelta(hours=2)))";
    const moments = [until, `pulumi.Output.from_input(${until})`, '"2030-01-01T18:00:00Z"'];
    const same = { until: "2030-01-01T18:00:00Z" };
    const all = [
      ...moments.map((moment) => `fleetkeeper.Deployment(name, until=${moment}, **one)`),
      `fleetkeeper.Deployment(name, fleetkeeper.DeploymentArgs(until=${until}, **one))`,
      `fleetkeeper.Fleet(name, gpus=1, until=${until})`,
    ];
    expect(tried(...all)).toEqual(all.map(() => expect.objectContaining(same)));
    expect(tried("fleetkeeper.Deployment(name, until=datetime(2030, 1, 1), **one)")).toEqual([
      expect.stringContaining("expected a datetime with a time zone"),
    ]);
  });
});
