import { STACK_KEYS } from "../../../account/configuration.ts";
import type { PartialConfiguration } from "../../../account/index.ts";
import { cleanLines } from "../../../agent/fleet/text/text.ts";
import { DYNAMIC_PROVIDER } from "../../stack/pair.ts";
import { nameOf } from "../inputs/inputs.ts";
import {
  asReason,
  NotAsItShouldBe,
  type Properties,
  type ResourceKind,
  sealed,
} from "../inputs/resource-kind.ts";
import type { Environment } from "../session/environment.ts";
import { orInterrupted } from "../session/wait-limit.ts";
import { openEnvironment } from "./open-environment.ts";
import { UnderWay } from "./under-way.ts";

/** The argument of `configure`: the stack's whole configuration, secrets in plain text. */
export interface StackConfig {
  get(key: string): string | undefined;
}

type Method = (env: Environment, args: readonly unknown[]) => Promise<unknown>;

/**
 * Runs one method of one kind for Pulumi's host of dynamic providers, with the arguments and results of that
 * host. The host has no signal, no log and no resource name, and it prints an error's stack.
 */
export async function callDynamically(
  kind: ResourceKind,
  method: string,
  config: StackConfig | undefined,
  args: readonly unknown[],
): Promise<unknown> {
  const env = environmentOf(config);
  const run = methodsOf(kind)[method];
  if (run === undefined)
    throw new Error(`fleetkeeper knows no method ${method}: the stack was made by a newer version`);
  try {
    return await underWay.during(run(env, args), () => finishing(env, method, args));
  } catch (error) {
    throw forHost(orInterrupted(error, env.signal, method === "delete"), kind, method, args, env);
  }
}

function methodsOf(kind: ResourceKind): Readonly<Record<string, Method>> {
  return {
    check: async (env, [olds, news]) => {
      const { inputs, failures } = await kind.check(env, props(news), props(olds));
      return {
        inputs,
        failures: failures.map(asReason),
      };
    },
    diff: async (env, [id, olds, news]) => {
      const difference = await kind.diff(env, String(id), props(olds), props(news));
      // The plugin made it. This host finds no provider for it at its delete, unless an update adds the text.
      const lacksText = !(DYNAMIC_PROVIDER in ((olds ?? {}) as object));
      return { ...difference, changes: difference.changes || lacksText };
    },
    create: async (env, [inputs]) => {
      const { id, outs } = await kind.create(env, props(inputs));
      return { id, outs: sealed(kind, outs) };
    },
    read: async (env, [id, olds]) => {
      const found = await kind.read(env, String(id), props(olds));
      return found ? { id, props: sealed(kind, found) } : { id: "", props: {} };
    },
    update: async (env, [id, olds, news]) => ({
      outs: sealed(kind, await kind.update(env, String(id), props(olds), props(news))),
    }),
    delete: async (env, [id, olds]) => kind.delete(env, String(id), props(olds)),
  };
}

function props(value: unknown): Properties {
  const { [DYNAMIC_PROVIDER]: _provider, ...rest } = (value ?? {}) as Record<string, unknown>;
  return rest;
}

/**
 * The engine shows the message of an error of `check`, `diff`, `read` or `delete`. The host prints its stack:
 * so the stack says nothing. If the resource exists anyway, the host takes id and properties from the error.
 */
function forHost(
  error: unknown,
  kind: ResourceKind,
  method: string,
  args: readonly unknown[],
  env: Environment,
): Error {
  // Hidden before it is cleaned: a secret that cleaning has changed would not be found.
  const message = cleanLines(env.hide(error instanceof Error ? error.message : String(error)));
  const shown = new Error(message);
  const name = nameOf((args.at(-1) ?? {}) as Properties);
  Object.assign(shown, {
    stack: "the resource's error says why",
    toString: () => `${name}: ${method} failed`,
  });
  if (!(error instanceof NotAsItShouldBe)) return shown;
  const inputs = (method === "update" ? args[2] : args[0]) as Properties;
  return Object.assign(shown, {
    id: error.id,
    // The host adds it, but not to errors.
    properties: { ...sealed(kind, error.outs), [DYNAMIC_PROVIDER]: inputs[DYNAMIC_PROVIDER] },
    reasons: [message],
  });
}

/** `fleetkeeper:KEY` of the stack: a key without the prefix belongs to the user's own project. */
function configured(config: StackConfig | undefined): PartialConfiguration {
  return Object.fromEntries(STACK_KEYS.map((key) => [key, config?.get(`fleetkeeper:${key}`)]));
}

const environments = new Map<string, Environment>();

/** One for each configuration: a stack's resources share the account, its lists and its ledger. */
function environmentOf(config: StackConfig | undefined): Environment {
  const given = configured(config);
  const key = JSON.stringify(given);
  let env = environments.get(key);
  if (env === undefined) {
    env = openEnvironment({
      given,
      variables: process.env,
      // `pulumi up` shows the lines of this host without the name of the resource.
      say: (text, name, level) => {
        const line = level === undefined ? text : `${level}: ${text}`;
        if (!underWay.isOrphaned) console.log(name === undefined ? line : `${name}: ${line}`);
      },
      signal: underWay.signal,
    });
    environments.set(key, env);
  }
  return env;
}

const FINISHED_FIRST: Readonly<Record<string, string>> = {
  create: "what is being launched is looked after until its outcome is written down",
  update: "the change is brought to its end",
  delete: "it is waited until what is being stopped has ended",
};

/** Tells what a first Ctrl-C does not end. */
function finishing(env: Environment, method: string, args: readonly unknown[]): void {
  const what = FINISHED_FIRST[method];
  if (what === undefined) return;
  const name = nameOf((args.at(-1) ?? {}) as Properties);
  env.say(`Ctrl-C: ${what}; after another one, the next pulumi command goes on from here`, name);
}

const underWay = new UnderWay(process.argv[2]);
