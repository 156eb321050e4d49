import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { programProblems, stackCommands, whyNoSsh } from "../../agent/ask/programs.ts";
import type { FleetDeclaration } from "../../agent/fleet/declare/fleets.ts";
import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";

const folder = mkdtempSync(join(tmpdir(), "programs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, "bin"));
for (const name of ["bin/nvidia-smi", "bin/ssh", "check.sh", "plain.sh"])
  writeFileSync(join(folder, name), "#!/bin/sh\n");
for (const name of ["bin/nvidia-smi", "bin/ssh", "check.sh"]) chmodSync(join(folder, name), 0o755);
const PATH = join(folder, "bin");

function fleets(program: string): readonly FleetDeclaration[] {
  const text = `fleets: [{ name: web, gpus: 8, select: {}, ready: { address: host, command: [${program}] } }]`;
  const { fleets: found, source } = parseFleetFile(text, join(folder, "fleet.yaml"));
  return found.map((fleet) => ({ ...fleet, source }));
}

test.each(["./check.sh", "nvidia-smi"])("%s can be run", (program) => {
  expect(programProblems(fleets(program), { PATH })).toEqual([]);
});

test.each([
  ["./chekc.sh", "there is no", `Correct its path. It begins in ${folder}`],
  ["./plain.sh", "may not be executed", `chmod +x ${join(folder, "plain.sh")}`],
  ["./bin", "is no file", `Correct its path. It begins in ${folder}`],
  [
    "check.sh",
    "there is no check.sh in any folder of the PATH",
    `Install check.sh, or write its path. A file in ${folder} is ./check.sh`,
  ],
])("%s cannot be run, and what to do is said", (program, why, remedy) => {
  expect(programProblems(fleets(program), { PATH })).toMatchObject([
    { key: "ready", why: expect.stringContaining(why), remedy },
  ]);
});

test.each([
  ["no-such.sh", "#!/no/such -x", "/no/such", "Install /no/such, or correct the first line"],
  ["crlf.sh", "#!/bin/sh\r", "/bin/sh\\r", "Its lines end with CR and LF: save it with LF alone"],
  [
    "env.sh",
    "#!/usr/bin/env no-such-python",
    "no-such-python",
    "Install no-such-python, or correct the first line",
  ],
])(
  "%s asks for a program that is not there: it would end as if it had failed",
  (name, line, asked, remedy) => {
    writeFileSync(join(folder, name), `${line}\n`, { mode: 0o755 });
    expect(programProblems(fleets(`./${name}`), { PATH })).toMatchObject([
      { why: `${join(folder, name)} is to be run by "${asked}", which is not there`, remedy },
    ]);
    rmSync(join(folder, name));
  },
);

test("no ssh is told only where a fleet has commands", () => {
  expect(whyNoSsh(fleets("./check.sh"), { PATH }, "me")).toBeUndefined();
  expect(whyNoSsh(fleets("./check.sh"), { PATH: folder }, "me")).toContain("no ssh");
  // As in a container whose user is a number only.
  expect(whyNoSsh(fleets("./check.sh"), { PATH }, undefined)).toContain("no name");
  const [first] = fleets("./check.sh");
  if (!first) throw new Error("no fleet");
  const { ready: _none, ...wish } = first.wish;
  expect(whyNoSsh([{ ...first, wish }], { PATH: folder }, undefined)).toBeUndefined();
  // Nobody runs the commands of a stack here.
  expect(programProblems([{ ...first, source: "stack:urn:x" }], { PATH: "" })).toEqual([]);
});

test("fleets of stacks may run the programs of one folder, and a folder that is not there is said", () => {
  expect(stackCommands({})).toEqual([]);
  expect(stackCommands({ FLEETKEEPER_COMMANDS: folder })).toEqual(["check.sh"]);
  expect(() => stackCommands({ FLEETKEEPER_COMMANDS: join(folder, "none") })).toThrow(
    /^FLEETKEEPER_COMMANDS: expected a folder with the programs that fleets of stacks may run, and .*none cannot be read: ENOENT/,
  );
});
