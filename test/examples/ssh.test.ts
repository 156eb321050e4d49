import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

/*
 * examples/ssh/run.ts, with an ssh that writes down what it was given. The steps of its README log in to a real sshd, but as
 * whoever runs the tests: they cannot show that the mapped user is asked for.
 */

const SCRIPT = join(import.meta.dirname, "..", "..", "examples", "ssh", "run.ts");
const MACHINE = { host: "gpu.example", port: "2201", user: "ubuntu" };

/** What it does with these outputs of the stack. `ssh`: what is run in its place. */
function run(outputs: object, args: readonly string[], ssh = "exit 0") {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-ssh-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const bin = join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(folder, "outputs.json"), JSON.stringify(outputs));
  const commands = { pulumi: "cat outputs.json", ssh: `printf '%s\\n' "$@" > given\n${ssh}` };
  for (const [name, text] of Object.entries(commands))
    writeFileSync(join(bin, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) };
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  const given = (): readonly string[] => readFileSync(join(folder, "given"), "utf8").trim().split("\n");
  return { status, stderr, given };
}

test("host, port and user are those that the profile maps, after the reader's own options", () => {
  const { given, status } = run({ deploymentId: "m/1", connection: MACHINE }, [
    "-i",
    "key",
    "--",
    "ls",
    "-l",
  ]);
  expect(given()).toEqual([
    ...["-i", "key", "-o", "StrictHostKeyChecking=accept-new", "-o", "UserKnownHostsFile=known-hosts/m_1"],
    ...["-p", "2201", "-l", "ubuntu", "--", "gpu.example", "ls", "-l"],
  ]);
  expect(status).toBe(0);
});

test("the exit code is the command's, and a signal's is the shell's", () => {
  const outputs = { deploymentId: "m1", connection: MACHINE };
  expect(run(outputs, ["--", "x"], "exit 7").status).toBe(7);
  expect(run(outputs, ["--", "x"], "kill -TERM $$").status).toBe(143);
});

test.each<[object, string]>([
  [{}, "the stack has no machine: run pulumi up"],
  [{ deploymentId: "m1" }, "the service shows no connection of m1: map deployments.fields.connection in"],
  ...(["host", "port", "user"] as const).map((name): [object, string] => [
    { deploymentId: "m1", connection: { ...MACHINE, [name]: undefined } },
    `the connection of m1 has no ${name}: map deployments.fields.connection.${name} in the wire profile`,
  ]),
])("what is missing is named, and nothing is guessed: %o", (outputs, says) => {
  const { status, stderr, given } = run(outputs, ["--", "ls"]);
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(says) });
  expect(given).toThrow("ENOENT");
});
