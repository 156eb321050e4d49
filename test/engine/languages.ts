import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { parse, stringify } from "yaml";
import { pulumi } from "./engine.ts";
import { goBuild, goModule, noGo } from "./go.ts";
import { pluginWorld } from "./plugin-world.ts";
import { installSdk, python } from "./python.ts";
import type { Tell, World } from "./world.ts";

/** A language of programs that use the plugin. language-contract.ts says what holds in each. */
export interface Language {
  readonly name: string;
  /** Why its programs cannot run here. Undefined: they can. */
  readonly missing?: string | undefined;
  /** What is said of the argument `ofer`. Undefined: a program with it cannot be compiled. */
  readonly mistyped?: string;
  /** Whether its programs can have hooks. */
  readonly hooks: boolean;
  /**
   * Makes what its programs share, such as packages, in an empty folder that outlives them. Gives what makes a
   * program, which wants nothing yet. See `Wish` for what it must be able to make, and what it gives out.
   */
  prepare(shared: string): () => Promise<World>;
}

/** What a program makes or asks under one name. Its output `resources` has by name what the plugin gave, in the schema's names. */
export interface Wish {
  /** Deployment by default. A function is called with `args`. */
  readonly kind?:
    | "Deployment"
    | "Fleet"
    | "getAccount"
    | "getBalance"
    | "getOffers"
    | "getDeployment"
    | "getDeployments";
  readonly args: Readonly<Record<string, unknown>>;
  readonly opts?: { readonly additionalSecretOutputs?: readonly string[] };
  /** A hook before its create or delete fails, with "not without a signature". */
  readonly vetoed?: "create" | "delete";
  /** Settings of an explicit provider for this one alone, named NAME-provider. */
  readonly provider?: Readonly<Record<string, string>>;
}

export const NODE: Language = {
  name: "on Node",
  mistyped: "ofer",
  hooks: true,
  prepare: () => () => pluginWorld("plugin"),
};

export const PYTHON: Language = {
  name: "in Python",
  missing: python ? undefined : "Pulumi for Python is not installed",
  mistyped: "unexpected keyword argument 'ofer'",
  hooks: true,
  prepare: (shared) => {
    const packages = installSdk(path.join(shared, "packages"));
    return async () => {
      const world = await pluginWorld("python");
      const { folder, env } = world.project;
      symlinkSync(python!, path.join(folder, "venv"));
      env.PYTHONPATH = packages;
      env.PYTHONDONTWRITEBYTECODE = "1";
      return world;
    };
  },
};

export const GO: Language = {
  name: "in Go",
  missing: noGo,
  hooks: true,
  prepare: (shared) => {
    const program = path.join(shared, "program");
    const sources = path.join(shared, "sources");
    mkdirSync(sources);
    cpSync(path.join(import.meta.dirname, "fixtures/go/main.go"), path.join(sources, "main.go"));
    goModule(sources);
    goBuild(sources, program);
    return async () => {
      const world = await pluginWorld("go");
      symlinkSync(program, path.join(world.project.folder, "program"));
      return world;
    };
  },
};

export const YAML: Language = {
  name: "in YAML",
  missing: hasYaml() ? undefined : "Pulumi's language host of YAML is not there",
  mistyped: "ofer",
  hooks: false,
  prepare: () => () => pluginWorld("yaml", inYaml),
};

/** Beside the engine, or beside what a link to it leads to. */
function hasYaml(): boolean {
  if (!pulumi) return true;
  const folders = [pulumi, realpathSync(pulumi)].map((file) => path.dirname(file));
  return folders.some((folder) => existsSync(path.join(folder, "pulumi-language-yaml")));
}

const OUTPUTS = {
  Deployment: ["deploymentId", "status", "provider", "pricePerHour", "connection"],
  Fleet: ["runningGpus", "deployments", "pricePerHour", "reasons"],
};

/** Writes the program: it is a part of Pulumi.yaml. */
const inYaml: Tell = (folder, wishes) => {
  const file = path.join(folder, "Pulumi.yaml");
  const resources: Record<string, object> = {};
  const variables: Record<string, object> = {};
  const outputs: Record<string, unknown> = {};
  for (const [name, wish] of Object.entries(wishes)) {
    const { kind = "Deployment", args, opts, provider } = wish as Wish;
    if (kind !== "Deployment" && kind !== "Fleet") {
      variables[name] = { "fn::invoke": { function: `fleetkeeper:${kind}`, arguments: args } };
      outputs[name] = `\${${name}}`;
      continue;
    }
    if (provider)
      resources[`${name}-provider`] = { type: "pulumi:providers:fleetkeeper", properties: provider };
    const options = { ...opts, ...(provider ? { provider: `\${${name}-provider}` } : {}) };
    resources[name] = { type: `fleetkeeper:${kind}`, properties: args, options };
    outputs[name] = Object.fromEntries(OUTPUTS[kind].map((key) => [key, `\${${name}.${key}}`]));
  }
  const { name, runtime, plugins } = parse(readFileSync(file, "utf8"));
  const program = { resources, variables, outputs: { resources: outputs } };
  writeFileSync(file, stringify({ name, runtime, plugins, ...program }));
};
