import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const CLOCK = JSON.stringify(join(import.meta.dirname, "../../ledger/system-clock.ts"));

/** A process that cannot read the boot's id, as in a sandbox. */
const HIDDEN = `
  import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  const { readFileSync } = fs;
  fs.readFileSync = (file, ...given) => {
    if (file === "/proc/sys/kernel/random/boot_id") throw new Error("hidden");
    return readFileSync(file, ...given);
  };
  syncBuiltinESMExports();
  const { systemClock } = await import(${CLOCK});
  const { self, isAlive } = systemClock();
  console.log(JSON.stringify([self.boot, isAlive({ ...self, boot: "guessed:container-b-1" })]));`;

test.skipIf(process.platform !== "linux")(
  "two sandboxes that both hide the boot's id do not take each other for dead",
  () => {
    const said = execFileSync(process.execPath, ["--input-type=module", "-e", HIDDEN], { encoding: "utf8" });
    expect(JSON.parse(said)).toEqual([expect.stringMatching(/^guessed:/), true]);
  },
);
