import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { hostname, uptime } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock, Instant, ProcessIdentity } from "./instant.ts";

/** The real clock and the real processes of this machine. */
export function systemClock(): Clock {
  const boot = bootId();
  const self: ProcessIdentity = { boot, pid: process.pid, started: startOf(process.pid) ?? "unknown" };
  return {
    self,
    now: (): Instant => ({ wall: Date.now(), mono: Math.round(Number(process.hrtime.bigint()) / 1e6), boot }),
    sleep: async (ms, signal) => {
      await sleep(ms, undefined, { signal });
    },
    isAlive: (identity) => {
      if (identity.boot !== boot) return false;
      if (identity.pid === self.pid) return identity.started === self.started;
      const started = startOf(identity.pid);
      return started !== undefined && (started === identity.started || started === "unknown");
    },
  };
}

function bootId(): string {
  const id = readOr("/proc/sys/kernel/random/boot_id", "").trim();
  // Elsewhere than on Linux: the minute of the boot, which clock corrections may move; then durations use wall time.
  return id || `${hostname()}-${Math.round((Date.now() / 1000 - uptime()) / 60)}`;
}

/** When a process started; undefined if there is none. "unknown": it lives, and that is all that can be said. */
function startOf(pid: number): string | undefined {
  const stat = readOr(`/proc/${pid}/stat`, "");
  // The name in brackets may hold anything; the fields after it do not. Field 22 is the start time, field 3 the state.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (stat !== "") return fields[0] === "Z" ? undefined : fields[19];
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM" ? "unknown" : undefined;
  }
  try {
    return execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" }).trim() || undefined;
  } catch {
    return "unknown";
  }
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return otherwise;
  }
}
