import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { Project } from "../engine/engine.ts";
import { REPEATS } from "../support/repeats.ts";
import { describeOutside, mustRun, Outside, run } from "./outside.ts";

const ARGS = '{ offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel" }';
const ESM = `import * as pulumi from "@pulumi/pulumi";
import { Deployment, type DeploymentArgs, getBalance } from "fleetkeeper";
const args: DeploymentArgs = ${ARGS};
const machine = new Deployment("machine", args);
export const id: pulumi.Output<string> = machine.deploymentId;
export const currency: string = (await getBalance()).currency;
`;
const CJS = `import * as pulumi from "@pulumi/pulumi";
import { Deployment, type DeploymentArgs, getBalanceOutput } from "fleetkeeper";
const args: DeploymentArgs = ${ARGS};
const machine = new Deployment("machine", args);
export const id: pulumi.Output<string> = machine.deploymentId;
export const currency: pulumi.Output<string> = getBalanceOutput().currency;
`;
const JS = `"use strict";
const { Deployment, getBalanceOutput } = require("fleetkeeper");
const machine = new Deployment("machine", ${ARGS});
exports.id = machine.deploymentId;
exports.currency = getBalanceOutput().currency;
`;

const pulumiYaml = (options: string) => `name: outside\nruntime:\n  name: nodejs\n${options}`;
const STRIPPED = pulumiYaml("  options:\n    typescript: false\n");
const manifest = (extra: object) => JSON.stringify({ name: "outside", private: true, ...extra });

const ESM_FILES = { "Pulumi.yaml": STRIPPED, "package.json": manifest({ type: "module" }), "index.ts": ESM };
const otherVariants: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  [
    "CommonJS TypeScript by ts-node",
    {
      "Pulumi.yaml": pulumiYaml(""),
      "package.json": manifest({ main: "index.ts" }),
      "index.ts": CJS,
      "tsconfig.json": JSON.stringify({
        compilerOptions: {
          strict: true,
          target: "es2022",
          module: "nodenext",
          moduleResolution: "nodenext",
          types: ["node"],
        },
        files: ["index.ts"],
      }),
    },
  ],
  [
    "plain JavaScript",
    { "Pulumi.yaml": STRIPPED, "package.json": manifest({ main: "index.js" }), "index.js": JS },
  ],
];

await describeOutside("the package, as its users install it", () => {
  let outside: Outside;

  beforeAll(async () => {
    outside = await Outside.create();
  }, 600_000);
  // Many files: on a busy disk it takes a while to remove them.
  afterAll(() => outside?.close(), 600_000);

  async function upAndDestroy(project: Project): Promise<string> {
    await project.succeed("stack", "init", "dev");
    const printed = await project.succeed("up", "--yes", "--skip-preview");
    const outputs = JSON.parse(await project.succeed("stack", "output", "--json"));
    expect(outputs).toMatchObject({ id: outside.alive()[0], currency: "USD" });
    expect(outside.alive()).toHaveLength(1);
    await project.succeed("destroy", "--yes", "--skip-preview");
    expect(outside.alive()).toEqual([]);
    return printed;
  }

  it("works in a program of ESM TypeScript by type stripping", async () => {
    await upAndDestroy(await outside.project(ESM_FILES));
  });

  it.each(otherVariants)("works in a program of %s", REPEATS, async (_what, files) => {
    await upAndDestroy(await outside.project(files));
  });

  it("works on Node 26", REPEATS, async () => {
    const node = await outside.install("node26", "node@26");
    const bin = path.join(node, "node_modules", ".bin");
    expect(await mustRun(path.join(bin, "node"), ["--version"], node)).toMatch(/^v26\./);
    const project = await outside.project(ESM_FILES);
    project.env.PATH = [bin, project.env.PATH].join(path.delimiter);
    await upAndDestroy(project);
  });

  it("works when pnpm installed it", REPEATS, async () => {
    const pnpm = path.join(await outside.install("pnpm", "pnpm"), "node_modules", ".bin", "pnpm");
    const dependencies = { "@pulumi/pulumi": "^3.270.0", fleetkeeper: `file:${outside.tarball}` };
    const project = await outside.project({
      ...ESM_FILES,
      "package.json": manifest({ type: "module", dependencies }),
    });
    await mustRun(
      pnpm,
      ["install", "--ignore-scripts", "--ignore-workspace", "--prefer-offline"],
      project.folder,
    );
    expect(existsSync(path.join(project.folder, "node_modules", ".pnpm"))).toBe(true);
    await upAndDestroy(project);
  });

  it("has the command line, and types that a program is checked against", async () => {
    const command = path.join(outside.folder, "node_modules", ".bin", "fleetkeeper");
    expect(await mustRun(command, ["--version"], outside.folder)).toMatch(/^\d+\.\d+\.\d+/);
    const wrong = ESM.replace('offer: "h100-80gb-x1"', "offer: 7");
    const tsc = path.join(outside.folder, "node_modules", ".bin", "tsc");
    const language = ["--target", "es2022", "--module", "nodenext", "--types", "node"];
    const { folder } = await outside.project({ ...ESM_FILES, "wrong.ts": wrong });
    // Both in one run, which tells of the second file alone.
    const { code, stdout } = await run(
      tsc,
      ["--noEmit", "--strict", "--pretty", "false", ...language, "index.ts", "wrong.ts"],
      folder,
    );
    expect(code).not.toBe(0);
    expect(stdout).toContain("Type 'number' is not assignable");
    expect([...stdout.matchAll(/^\S+?(?=\()/gm)].join()).toBe("wrong.ts");
  });

  it("plays fleetkeeper demo to its end without a clone, and leaves nothing behind", async () => {
    const temporary = path.join(outside.folder, "temporary");
    mkdirSync(temporary);
    // Settings of the user's: the demo must not touch what they point to.
    const env = {
      ...process.env,
      TMPDIR: temporary,
      FLEETKEEPER_LEDGER: path.join(outside.folder, "own.db"),
    };
    const printed = await mustRun("npx", ["fleetkeeper", "demo"], outside.folder, env);
    expect(printed).toMatch(/machines rented, one of them as a replacement +5$/m);
    expect(printed).toMatch(/machines paid for twice +0$/m);
    expect(printed).toContain("adds up to the 4th decimal");
    expect(readdirSync(temporary).filter((name) => name.startsWith("fleetkeeper-"))).toEqual([]);
    expect(existsSync(env.FLEETKEEPER_LEDGER)).toBe(false);
  });

  it(
    "passes publint, and are-the-types-wrong but for what Node 24 can do: require an ES module",
    REPEATS,
    async () => {
      const bin = path.join(
        await outside.install("lint", "publint", "@arethetypeswrong/cli"),
        "node_modules",
        ".bin",
      );
      await mustRun(path.join(bin, "publint"), ["--strict", outside.tarball], outside.folder);
      const rules = ["--ignore-rules", "cjs-resolves-to-esm"];
      await mustRun(path.join(bin, "attw"), [outside.tarball, ...rules], outside.folder);
    },
  );

  it("serves an example in a folder of its own, as examples/README.md says", REPEATS, async () => {
    const parent = mkdtempSync(path.join(tmpdir(), "fleetkeeper-example-"));
    onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
    const project = new Project(path.resolve("examples/candidates"), parent);
    await outside.configure(project);
    const install = ["install", "--no-audit", "--no-fund", "--prefer-offline", outside.tarball];
    await mustRun("npm", install, project.folder);
    expect(existsSync(path.join(project.folder, "node_modules/fleetkeeper/profiles/simulated-plain"))).toBe(
      true,
    );
    await project.succeed("stack", "init", "dev");
    await project.succeed("up", "--yes", "--skip-preview");
    expect(outside.alive()).toEqual([(await project.succeed("stack", "output", "deploymentId")).trim()]);
    await project.succeed("destroy", "--yes", "--skip-preview");
    expect(outside.alive()).toEqual([]);
  });

  it("has a template for pulumi new, whose program runs as it is", REPEATS, async () => {
    const template = path.resolve("templates/fleetkeeper-typescript");
    const project = await outside.project({});
    const args = [
      "new",
      template,
      "--name",
      "fresh",
      "--stack",
      "dev",
      "--yes",
      "--force",
      "--generate-only",
    ];
    await project.succeed(...args);
    expect(readFileSync(path.join(project.folder, "package.json"), "utf8")).toContain('"name": "fresh"');
    await mustRun(
      "npm",
      ["install", "--no-audit", "--no-fund", "--prefer-offline", outside.tarball],
      project.folder,
    );
    expect(existsSync(path.join(project.folder, "node_modules", "fleetkeeper", "package.json"))).toBe(true);
    await project.succeed("stack", "init", "dev");
    const config = { offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel" };
    for (const [key, value] of Object.entries(config)) await project.succeed("config", "set", key, value);
    await project.succeed("up", "--yes", "--skip-preview");
    expect(await project.succeed("stack", "output", "status")).toContain("running");
    await project.succeed("destroy", "--yes", "--skip-preview");
    expect(outside.alive()).toEqual([]);
  });
});
