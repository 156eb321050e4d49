import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folder } from "../ledger/folder.ts";

/** A process whose files may not grow beyond so many KiB, as on a disk that is full. */
function launchWithin(kib: string): { filled: string; launched: string; posts: number } {
  const child = join(import.meta.dirname, "full-disk-child.ts");
  const command = `ulimit -f ${kib}; exec "$0" "$@"`;
  const args = ["-c", command, process.execPath, child, join(folder(), "ledger.db")];
  const { stdout, stderr } = spawnSync("bash", args, { encoding: "utf8", timeout: 240_000 });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

describe("on a full disk", () => {
  it("nothing is sent: what cannot be written down first is not launched", () => {
    expect(launchWithin("600")).toEqual({ filled: "LEDGER_BUSY", launched: "LEDGER_BUSY", posts: 0 });
  });

  it("control: with room it is launched", () => {
    expect(launchWithin("unlimited")).toEqual({ filled: "done", launched: "done", posts: 1 });
  });
});
