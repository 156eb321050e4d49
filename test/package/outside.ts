import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, it } from "vitest";
import { isCi } from "../../scripts/setup/set-up.mjs";
import { createSimulator, dialectProfilePath, type Simulator } from "../../simulator/index.ts";
import { Project, pulumi, type Result } from "../engine/engine.ts";

const root = path.resolve(import.meta.dirname, "../..");

/** What a user has who found the package in a registry: nothing of this clone, but the engine. */
export class Outside {
  readonly folder: string;
  readonly tarball: string;
  readonly simulator: Simulator = createSimulator({
    apiKey: "outside-key",
    settings: {
      initializingSeconds: [0.1, 0.1],
      provisioningSeconds: [0.1, 0.1],
      connectingSeconds: [0.1, 0.1],
      stoppingSeconds: [0.1, 0.1],
    },
  });

  private constructor(folder: string, tarball: string) {
    this.folder = folder;
    this.tarball = tarball;
  }

  /** Packs the package as it was built, and installs it once, with what its users install beside it. */
  static async create(): Promise<Outside> {
    const folder = mkdtempSync(path.join(tmpdir(), "fleetkeeper-outside-"));
    const packed = await mustRun(
      "npm",
      ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder],
      root,
    );
    const outside = new Outside(folder, path.join(folder, packed.trim().split("\n").at(-1) ?? ""));
    await outside.install(
      ".",
      outside.tarball,
      "@pulumi/pulumi@^3.270.0",
      "typescript@~6.0.0",
      "@types/node@^24.0.0",
    );
    return outside;
  }

  /** Installs packages into a folder of its own, by npm. */
  async install(name: string, ...packages: readonly string[]): Promise<string> {
    const folder = path.join(this.folder, name);
    mkdirSync(folder, { recursive: true });
    write(folder, "package.json", JSON.stringify({ private: true, allowScripts: { node: true } }));
    await mustRun("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...packages], folder);
    return folder;
  }

  /** A new project below what was installed, configured for the simulator. */
  async project(files: Readonly<Record<string, string>>, parent = this.folder): Promise<Project> {
    const template = mkdtempSync(path.join(this.folder, "template-"));
    for (const [name, text] of Object.entries(files)) write(template, name, text);
    const project = new Project(template, parent);
    await this.configure(project);
    return project;
  }

  async configure(project: Project): Promise<void> {
    const { url } = await this.simulator.listen();
    for (const name of Object.keys(project.env)) {
      if (/^FLEETKEEPER_(?!PULUMI)/.test(name)) delete project.env[name];
    }
    Object.assign(project.env, {
      FLEETKEEPER_BASE_URL: url,
      FLEETKEEPER_API_KEY: "outside-key",
      FLEETKEEPER_PROFILE: "service.profile.yaml",
      FLEETKEEPER_LEDGER: "ledger.db",
      FLEETKEEPER_ACCOUNT: "exclusive",
      FLEETKEEPER_PROTOCOL: JSON.stringify({ poll: 200, settle: 1_000 }),
    });
    cpSync(dialectProfilePath("plain"), path.join(project.folder, "service.profile.yaml"));
  }

  /** Machines that live, by the simulator's truth. */
  alive(): readonly string[] {
    return this.simulator.truth().machines.flatMap(({ id, endedAt }) => (endedAt === null ? [id] : []));
  }

  async close(): Promise<void> {
    await this.simulator.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A suite that needs a registry and an engine. Skipped by its name where one is missing; in a CI that is a failure. */
export async function describeOutside(name: string, suite: () => void): Promise<void> {
  const missing = pulumi ? ((await hasRegistry()) ? undefined : "no package registry") : "no Pulumi engine";
  if (missing === undefined) return void describe(name, { timeout: 600_000 }, suite);
  if (!isCi(process.env)) return void describe.skip(`${name} [skipped: ${missing}]`, suite);
  describe(name, () => {
    it(`has what it needs: ${missing}`, () => {
      throw new Error(missing);
    });
  });
}

async function hasRegistry(): Promise<boolean> {
  const patient = ["--fetch-retries=3", "--fetch-retry-mintimeout=500", "--fetch-timeout=30000"];
  const args = ["view", "pnpm", "version", ...patient];
  return (await run("npm", args, tmpdir())).code === 0;
}

export function run(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Result> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, env, maxBuffer: 2 ** 26 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
  });
}

export async function mustRun(
  command: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const { code, stdout, stderr } = await run(command, args, cwd, env);
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}\n${stdout}\n${stderr}`);
  return stdout;
}

function write(folder: string, name: string, text: string): void {
  writeFileSync(path.join(folder, name), text);
}
