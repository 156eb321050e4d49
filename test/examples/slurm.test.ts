// @module-tag repeats
import { execFile } from "node:child_process";
import { chmodSync, cpSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { alive, place, until } from "../cli/cli.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const EXAMPLE = join(ROOT, "examples", "slurm");

/** The example as on Slurm's host, beside an agent that has its fleets. `scontrol` is the stand-in for Slurm's. */
async function slurm() {
  const on = await place();
  cpSync(EXAMPLE, on.folder, { recursive: true });
  const agent = on.start(["agent", "--http", "127.0.0.1:0"]);
  const [, url] = /status page: (\S+)/.exec(await agent.shows("status page: ")) ?? [];
  const made = await on.run([
    ...["token", "create", "--name", "slurm", "--may", "operate"],
    ...["--fleets", "gpu*"],
  ]);
  on.write("token", made.stdout);
  const program = join(on.folder, "stand-in", "fleetkeeper");
  const entry = join(ROOT, "agent", "cli", "entry.ts");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${entry}" "$@"\n`);
  chmodSync(program, 0o755);
  on.write(
    "slurm.env",
    `FLEETKEEPER_AGENT=${url}\nFLEETKEEPER_TOKEN_FILE=./token\nGPUS=8\nPATH=./stand-in:$PATH\n`,
  );
  // As slurmctld starts it: from another folder, and with almost nothing in the environment.
  const run = (script: string, nodes: string) =>
    new Promise<{ code: number; said: string }>((resolve) => {
      const env = {
        PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
        HOME: on.folder,
      } as NodeJS.ProcessEnv;
      const child = execFile(join(on.folder, script), [nodes], { cwd: "/", env }, (_, out, wrong) =>
        resolve({ code: child.exitCode ?? 1, said: out + wrong }),
      );
    });
  return { on, run };
}

test("Slurm's nodes are rented once, whoever asks how often, and given back", {
  timeout: 240_000,
}, async () => {
  const { on, run } = await slurm();
  const asked = await Promise.all([
    run("resume.sh", "gpu[01-02]"),
    run("resume.sh", "gpu[01-02]"),
    run("resume.sh", "gpu02"),
  ]);
  expect(asked.map(({ code }) => code)).toEqual([0, 0, 0]);
  await until("both are there", () => alive(on).length === 2);
  await run("resume.sh", "gpu[01-02]");
  expect(await run("suspend.sh", "gpu01")).toMatchObject({ code: 0 });
  await until("one is given back", () => alive(on).length === 1);
  expect(await run("suspend.sh", "gpu[01-02]")).toMatchObject({ code: 0 });
  await until("all are", () => alive(on).length === 0);
  expect(on.simulator.truth().machines).toHaveLength(2);
});

test("a node without a fleet fails, and the others are served; so does an agent that does not take the token", {
  timeout: 240_000,
}, async () => {
  const { on, run } = await slurm();
  const some = await run("resume.sh", "gpu[01,09]");
  expect(some).toMatchObject({ code: 1, said: expect.stringContaining("gpu09: no such fleet") });
  expect(some.said).toContain("resume gpu09 failed");
  await until("its machine is there", () => alive(on).length === 1);
  on.write("token", "fk_nobody\n");
  expect(await run("suspend.sh", "gpu01")).toMatchObject({
    code: 1,
    said: expect.stringContaining("does not take the token"),
  });
  rmSync(join(on.folder, "slurm.env"));
  expect((await run("suspend.sh", "gpu01")).code).not.toBe(0);
  expect(alive(on)).toHaveLength(1);
});
