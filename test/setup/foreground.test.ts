import { spawn } from "node:child_process";
import path from "node:path";
import { expect, it } from "vitest";

const foreground = path.resolve(import.meta.dirname, "../../scripts/setup/foreground.mjs");

/** Node running a shell command through runInForeground, without a terminal, all in one moment. It says each SIGINT that it gets. */
function wrapper(script: string) {
  const code = `
    performance.now = () => 0;
    let copies = 0;
    process.on("SIGINT", () => console.log("copy " + ++copies));
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

it("passes one interrupt on when several copies of it arrive at once, and lives on until the command ends", async () => {
  const { child, ended, output } = wrapper(
    "trap 'echo interrupted' INT; trap 'echo done; exit 3' TERM; echo ready; while :; do sleep 0.05; done",
  );
  const says = (text: string) => expect.poll(output).toContain(text);
  await says("ready");
  for (const copy of [1, 2, 3]) {
    child.kill("SIGINT");
    await says(`copy ${copy}`);
    await says("interrupted");
  }
  child.kill("SIGTERM");
  expect(await ended).toBe(3);
  expect(output().replace(/copy .\n/g, "")).toBe("ready\ninterrupted\ndone\n");
});
