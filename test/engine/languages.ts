import { symlinkSync } from "node:fs";
import path from "node:path";
import { pluginWorld } from "./plugin-world.ts";
import { installSdk, python } from "./python.ts";
import type { World } from "./world.ts";

/** A language of programs that use the plugin. language-contract.ts says what holds in each. */
export interface Language {
  readonly name: string;
  /** Why its programs cannot run here. Undefined: they can. */
  readonly missing?: string | undefined;
  /** What is said of the argument `ofer`. */
  readonly mistyped: string;
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
  /** A hook before its create fails, with "not without a signature". */
  readonly vetoed?: boolean;
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
