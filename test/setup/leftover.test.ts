import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { endLeftOver, isDead, RUN, runOf } from "../../scripts/setup/leftover.mjs";

/** A process of a run, in a group of its own, as a shell of a followed page is. */
function ofRun(run: string) {
  const child = spawn("sleep", ["60"], {
    env: { PATH: process.env.PATH, [RUN]: run },
    detached: true,
    stdio: "ignore",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

it.runIf(existsSync("/proc/self/environ"))(
  "what a run of the tests has left is ended with it, and by the next run if it was killed; another run's is not",
  async () => {
    const { pid: dead = 0 } = spawnSync("true");
    const [left, ofDead, other] = [ofRun("a run"), ofRun(runOf(dead)), ofRun(runOf(process.pid))];
    const ended = Promise.all([once(left, "exit"), once(ofDead, "exit")]);
    expect(endLeftOver((run) => run === "a run")).toEqual([left.pid]);
    expect(endLeftOver(isDead)).toEqual([ofDead.pid]);
    await ended;
    expect([other.exitCode, other.signalCode, isDead("elsewhere:1")]).toEqual([null, null, false]);
  },
);

it.runIf(existsSync("/proc/self/environ"))(
  "what a run of the tests has left ends with it, also if it is killed, and nobody runs them again",
  async () => {
    const module = import.meta.resolve("../../scripts/setup/leftover.mjs");
    const program = `import { endWithThisProcess } from "${module}"; endWithThisProcess("killed"); console.log("begun"); setInterval(() => 0, 1000);`;
    const run = spawn(process.execPath, ["--input-type=module", "--eval", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void run.kill("SIGKILL"));
    await once(run.stdout, "data");
    const [left, other] = [ofRun("killed"), ofRun("another")];
    const ended = once(left, "exit");
    run.kill("SIGKILL");
    await ended;
    expect([other.exitCode, other.signalCode]).toEqual([null, null]);
  },
);
