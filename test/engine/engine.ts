import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, it, type TestOptions } from "vitest";
import { isCi } from "../../scripts/setup/set-up.mjs";

const root = path.resolve(import.meta.dirname, "../..");

/**
 * The real engine, or undefined. `npm test` finds or makes one and says so in the environment, together with a PATH
 * that has everything the engine runs (scripts/setup/environment.mjs); so run these tests by `npm run vitest -- test/engine`.
 */
export const pulumi: string | undefined = process.env.FLEETKEEPER_PULUMI;

/** A suite on the real engine, with the options of a suite before it. Where there is none it is skipped by its name; in a CI that is a failure. */
export function describeWithEngine(name: string, ...given: [() => void] | [TestOptions, () => void]): void {
  const [options, suite] = given.length === 1 ? [{}, given[0]] : given;
  if (pulumi) return void describe(name, { timeout: 600_000, ...options }, suite);
  if (!isCi(process.env)) return void describe.skip(`${name} [skipped: no Pulumi engine]`, options, suite);
  describe(name, options, () => {
    it("has a Pulumi engine to run on", () => {
      throw new Error(
        "FLEETKEEPER_PULUMI is not set: run the tests by npm test, and see what its set-up says.",
      );
    });
  });
}

export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * A Pulumi project in a folder of its own, with its own state and its own Pulumi home: nothing of the user's is read or
 * changed. The folder is inside the clone, where Node finds the one copy of @pulumi/pulumi, and outside node_modules,
 * where Node would not run TypeScript.
 */
export class Project {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;

  constructor(template: string | URL, parent: string = path.join(root, ".fleetkeeper", "test")) {
    mkdirSync(parent, { recursive: true });
    this.folder = mkdtempSync(path.join(parent, "project-"));
    cpSync(template instanceof URL ? fileURLToPath(template) : template, this.folder, { recursive: true });
    const state = path.join(this.folder, ".state");
    mkdirSync(state);
    this.env = {
      ...process.env,
      PULUMI_BACKEND_URL: pathToFileURL(state).href,
      PULUMI_CONFIG_PASSPHRASE: "not a secret",
      PULUMI_HOME: path.join(this.folder, ".home"),
      PULUMI_SKIP_UPDATE_CHECK: "1",
    };
    delete this.env.PULUMI_ACCESS_TOKEN;
  }

  /** Runs `pulumi` in the project, without questions and colours. */
  pulumi(...args: readonly string[]): Promise<Result> {
    if (!pulumi) throw new Error("no Pulumi engine");
    const all = [...args, "--non-interactive", "--color=never"];
    return new Promise((resolve) => {
      execFile(pulumi, all, { cwd: this.folder, env: this.env }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
      );
    });
  }

  /** Like `pulumi`, for a command that must work: what it printed, or an error with all it printed. */
  async succeed(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.pulumi(...args);
    if (code !== 0) throw new Error(`pulumi ${args.join(" ")} ended with ${code}\n${stdout}\n${stderr}`);
    return stdout;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
