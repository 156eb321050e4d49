import { spawn } from "node:child_process";
import { openSync, readFileSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";

/*
 * The agent runs this when a machine runs, and when one was interrupted. It may do so twice for the same machine, so both
 * look first what there is.
 */
interface Message {
  readonly data: {
    readonly alerts: readonly { readonly kind: string; readonly deployment: string | null }[];
  };
}

const { data }: Message = JSON.parse(await text(process.stdin));
for (const { kind, deployment } of data.alerts) {
  if (deployment === null) continue;
  if (kind === "running") start(deployment);
  if (kind === "interrupted") lose(deployment);
}

/** With a real machine: ssh to its `connection.host`, and `systemd-run node train.ts` there. Here it runs beside you. */
function start(machine: string): void {
  if (jobOf(machine) !== undefined) return;
  const output = openSync("train.log", "a");
  const job = spawn(process.execPath, ["train.ts", machine], {
    detached: true,
    stdio: ["ignore", output, output],
  });
  job.unref();
  writeFileSync(`jobs/${machine}`, String(job.pid));
}

/** A real machine takes its processes with it. Here they are killed. */
function lose(machine: string): void {
  const job = jobOf(machine);
  if (job === undefined) return;
  try {
    process.kill(job, "SIGKILL");
  } catch {
    // It has ended already.
  }
}

function jobOf(machine: string): number | undefined {
  try {
    return Number(readFileSync(`jobs/${machine}`, "utf8"));
  } catch {
    return undefined;
  }
}
