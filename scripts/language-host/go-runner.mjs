import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/**
 * A Go program: the file that `binary` of its Pulumi.yaml names, or else what `go build` makes of its folder.
 * @type {import("./programs.mjs").FindRunner}
 */
export async function goRunner(request, engineAddress) {
  const info = request.getInfo();
  const folder = path.join(info?.getProgramDirectory() || request.getPwd(), info?.getEntryPoint() || ".");
  const { binary } = info?.getOptions()?.toJavaScript() ?? {};
  const start = { args: request.getArgsList(), env: environment(request, engineAddress) };
  if (binary) return { ...start, command: path.resolve(folder, binary) };

  const temporary = mkdtempSync(path.join(tmpdir(), "pulumi-go-"));
  const command = path.join(temporary, "program");
  const failure = await compile(folder, command);
  if (failure === undefined) return { ...start, command, temporary };
  rmSync(temporary, { recursive: true, force: true });
  return { missing: failure };
}

/** @param {string} folder @param {string} output @returns {Promise<string | undefined>} why it failed */
function compile(folder, output) {
  return new Promise((resolve) => {
    execFile("go", ["build", "-o", output, "."], { cwd: folder }, (error, _, stderr) =>
      resolve(error ? `go build of ${folder} failed: ${stderr || error.message}` : undefined),
    );
  });
}

/** What the SDK for Go reads. @param {any} request @param {string} engineAddress @returns {Record<string, string>} */
function environment(request, engineAddress) {
  return {
    PULUMI_MONITOR: request.getMonitorAddress(),
    PULUMI_ENGINE: engineAddress,
    PULUMI_PROJECT: request.getProject(),
    PULUMI_STACK: request.getStack(),
    PULUMI_ORGANIZATION: request.getOrganization(),
    PULUMI_ROOT_DIRECTORY: request.getInfo()?.getRootDirectory() ?? "",
    PULUMI_PARALLEL: String(request.getParallel()),
    PULUMI_DRY_RUN: String(request.getDryrun()),
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(request.getConfigMap().toObject(true))),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(request.getConfigsecretkeysList()),
  };
}
