import { spawn } from "node:child_process";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../../proof");

/** Runs one of the proof's commands in a process of its own and prints what it prints: the figures belong in the log. */
export function prove(
  script: string,
  ...args: readonly string[]
): Promise<{ code: number; output: string; problems: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(FOLDER, script), ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let problems = "";
    child.stderr.on("data", (chunk: Buffer) => {
      problems += chunk;
      process.stderr.write(chunk);
    });
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk;
    });
    child.once("error", reject);
    child.once("close", (code) => {
      process.stdout.write(`\n$ node proof/${script} ${args.join(" ")}\n${output}\n`);
      resolve({ code: code ?? 1, output, problems });
    });
  });
}
