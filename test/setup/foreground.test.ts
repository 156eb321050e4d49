import { spawn } from "node:child_process";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";

const foreground = path.resolve(import.meta.dirname, "../../scripts/setup/foreground.mjs");

/** Node running a shell command through runInForeground, without a terminal. */
function wrapper(script: string) {
  const code = `
    const { runInForeground } = await import(${JSON.stringify(foreground)});
    process.exitCode = await runInForeground("/bin/sh", ["-c", ${JSON.stringify(script)}], { env: process.env });`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (data) => {
    output += data;
  });
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  return { child, ended, output: () => output };
}

it("gives the command's exit code", async () => {
  expect(await wrapper("exit 7").ended).toBe(7);
  expect(await wrapper("kill -TERM $$").ended).toBe(143);
});

it("passes one interrupt on when several copies of it arrive, and lives on until the command ends", async () => {
  const { child, ended, output } = wrapper(
    "trap 'echo interrupted' INT; echo ready; for i in 1 2 3 4 5 6 7 8; do sleep 0.1; done; echo done; exit 3",
  );
  while (!output().includes("ready")) await sleep(20);
  for (let copy = 0; copy < 3; copy += 1) {
    child.kill("SIGINT");
    await sleep(30);
  }
  expect(await ended).toBe(3);
  expect(output()).toBe("ready\ninterrupted\ndone\n");
});
