import { existsSync } from "node:fs";
import path from "node:path";

const script = path.join(import.meta.dirname, "run.py");

/**
 * A Python program in the virtual environment that its Pulumi.yaml names.
 * @type {import("./programs.mjs").FindRunner}
 */
export function pythonRunner(request, engineAddress) {
  const info = request.getInfo();
  const { virtualenv } = info?.getOptions()?.toJavaScript() ?? {};
  const root = info?.getRootDirectory() || request.getPwd();
  const command = virtualenv ? path.resolve(root, virtualenv, "bin", "python") : "python3";
  if (virtualenv && !existsSync(command)) {
    return {
      missing: `there is no ${command}: make the virtual environment that Pulumi.yaml names, and install there what the program imports`,
    };
  }
  const program = path.join(info?.getProgramDirectory() || request.getPwd(), info?.getEntryPoint() || ".");
  return { command, args: [script, program, engineAddress], input: request.serializeBinary() };
}
