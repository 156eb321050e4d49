import { existsSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { mistake } from "../shared/cli-context.ts";

export function refuseToOverwrite(file: string, remedy: string): void {
  if (!existsSync(file)) return;
  throw mistake(`${file} is there already, and init overwrites nothing: ${remedy}.`);
}

/** Writes all files or none. */
export function write(files: ReadonlyMap<string, string>): void {
  const written: string[] = [];
  try {
    for (const [file, text] of files) {
      writeFileSync(file, text, { flag: "wx" });
      written.push(file);
    }
  } catch (error) {
    for (const file of written) rmSync(file);
    const { code, message } = error as NodeJS.ErrnoException;
    const file = [...files.keys()][written.length] ?? "";
    const why = code === "ENOENT" ? `there is no folder ${dirname(file)}` : message;
    throw mistake(`Nothing was written: ${why}.`, { cause: error });
  }
}
