import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./paths.mjs";

/** The variable that every process of a run of the tests inherits: which run it is. */
export const RUN = "RUN_OF_TESTS";

/** @param {number} pid */
export function runOf(pid) {
  return `${root}:${pid}`;
}

/**
 * Ends what a run of the tests has left: a test that is killed with its run ends nothing, so a simulated service, an agent or a
 * host of Pulumi's would stay for ever. It is known by its environment, which only Linux shows.
 * @param {(run: string) => boolean} isOver
 * @returns {number[]} what was ended
 */
export function endLeftOver(isOver) {
  return processes().filter((pid) => {
    const run = pid === process.pid ? undefined : runIn(environmentOf(pid));
    if (run === undefined || !isOver(run)) return false;
    try {
      process.kill(pid, "SIGKILL");
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Has all that this run leaves end with this process, also if it is killed: whoever ends npm test so may not run it again.
 * @param {string} run
 */
export function endWithThisProcess(run) {
  const script = path.join(root, "scripts", "setup", "end-with-run.mjs");
  const child = spawn(process.execPath, [script, run], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  // Neither holds this process back: the pipe closes with it.
  child.unref();
  /** @type {import("node:net").Socket} */ (child.stdin).unref();
}

/** Whether it is a run of this clone whose process is no more. @param {string} run */
export function isDead(run) {
  const pid = run.startsWith(`${root}:`) ? Number(run.slice(root.length + 1)) : Number.NaN;
  if (!Number.isInteger(pid)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

function processes() {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/** @param {number} pid */
function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}

/** @param {string} environment */
function runIn(environment) {
  const variable = environment.split("\0").find((each) => each.startsWith(`${RUN}=`));
  return variable?.slice(RUN.length + 1);
}
