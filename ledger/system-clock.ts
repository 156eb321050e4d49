import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname, uptime } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock, Instant, ProcessIdentity } from "./instant.ts";

/** The real clock and the real processes of this machine. */
export function systemClock(): Clock {
  const boot = bootId();
  const space = pidSpace();
  const self: ProcessIdentity = {
    boot,
    pid: process.pid,
    started: `${startOf(process.pid) ?? UNKNOWN}${space}`,
  };
  return {
    self,
    now: (): Instant => ({ wall: Date.now(), mono: Math.round(Number(process.hrtime.bigint()) / 1e6), boot }),
    sleep: async (ms, signal) => {
      let left = ms;
      do {
        await sleep(Math.min(left, LONGEST_TIMER_MS), undefined, { signal });
        left -= LONGEST_TIMER_MS;
      } while (left > 0);
    },
    isAlive: (identity) => {
      // Where a sandbox hides the boot's id, each process in one guesses its own, and its neighbours outside know the real
      // one. So two guesses that differ say nothing.
      if (identity.boot !== boot) return isGuessed(boot) || isGuessed(identity.boot);
      // Another container counts its own pids: nothing here can say that its process is dead.
      if (!identity.started.endsWith(space)) return true;
      if (identity.pid === self.pid) return identity.started === self.started;
      const started = startOf(identity.pid);
      if (started === undefined) return false;
      return (
        started === UNKNOWN ||
        identity.started.startsWith(UNKNOWN) ||
        `${started}${space}` === identity.started
      );
    },
  };
}

/** A process of this computer; undefined: there is none with that pid, or nothing says when it began. */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const started = startOf(pid);
  return started === undefined || started === UNKNOWN
    ? undefined
    : { boot: bootId(), pid, started: `${started}${pidSpace()}` };
}

/** Nearly 25 days. A timer for longer fires at once, and a long wait would be none. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const UNKNOWN = "unknown";

/** Equal in all processes of this boot. Two that disagree would take each other for dead. */
function bootId(): string {
  const id = contentOf("/proc/sys/kernel/random/boot_id").trim();
  if (id) return id;
  try {
    const session = execFileSync("sysctl", ["-n", "kern.bootsessionuuid"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
    if (session) return session;
  } catch {
    // Neither Linux nor macOS.
  }
  // The hour of the boot, which a clock correction rarely moves. If it does, durations use wall time.
  return `${GUESSED}${hostname()}-${Math.round((Date.now() / 1000 - uptime()) / 3600)}`;
}

const GUESSED = "guessed:";

/** True if another computer's boot may have the same name. */
export function isGuessed(boot: string): boolean {
  return boot.startsWith(GUESSED);
}

/** The name of the namespace that this pid counts in; empty if there is none. */
function pidSpace(): string {
  try {
    return `@${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return "";
  }
}

/** When a process started; undefined: no such process. "unknown": it lives, and no more is known. */
function startOf(pid: number): string | undefined {
  const stat = contentOf(`/proc/${pid}/stat`);
  // The name in brackets may hold anything. Of all fields, 22 is the start time and 3 the state.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (stat !== "") return fields[0] === "Z" ? undefined : fields[19];
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM" ? UNKNOWN : undefined;
  }
  try {
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim() || undefined;
  } catch {
    return UNKNOWN;
  }
}

/** Empty: there is no such file here. */
function contentOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
