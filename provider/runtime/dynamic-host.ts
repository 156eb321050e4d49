import { cleanLines } from "../../agent/fleet/text.ts";
import type { PartialConfiguration } from "../../launch/index.ts";
import { DEFAULT_SETTINGS, ENVIRONMENT } from "../../launch/index.ts";
import { settingsFromEnvironment } from "../../launch/settings-environment.ts";
import { watchEngine } from "./engine.ts";
import type { Environment } from "./environment.ts";
import { nameOf } from "./inputs.ts";
import { openEnvironment } from "./open-environment.ts";
import type { Properties, ResourceKind } from "./resource-kind.ts";
import { NotAsItShouldBe } from "./resource-kind.ts";

/** The argument of `configure`: the stack's whole configuration, secrets in plain text. */
export interface StackConfig {
  get(key: string): string | undefined;
}

/** The property in which a dynamic resource carries its provider. The host adds it, but not to errors. */
const PROVIDER = "__provider";

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
    throw forHost(error, kind, method, args, env);
  }
}

function methodsOf(kind: ResourceKind): Readonly<Record<string, Method>> {
  return {
    check: async (env, [olds, news]) => {
      const { inputs, failures } = await kind.check(env, props(news), props(olds));
      return {
        inputs,
        failures: failures.map(({ property, reason }) => ({ property: "", reason: named(property, reason) })),
      };
    },
    diff: async (env, [id, olds, news]) => kind.diff(env, String(id), props(olds), props(news)),
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

/** The engine prints a property with its value and finds none for a path: the path goes here. */
function named(property: string, reason: string): string {
  return property === "" ? reason : `${property}: ${reason}`;
}

function props(value: unknown): Properties {
  const { [PROVIDER]: _provider, ...rest } = (value ?? {}) as Record<string, unknown>;
  return rest;
}

/** The mark of a secret between an engine and a provider. */
const SECRET = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

/** Marks what the engine must encrypt. An empty value is unmarked: else its neighbours become secret. */
function sealed({ secrets = [] }: ResourceKind, outs: Properties): Properties {
  const hidden = secrets.filter((key) => Object.keys(outs[key] ?? {}).length > 0);
  return { ...outs, ...Object.fromEntries(hidden.map((key) => [key, { ...SECRET, value: outs[key] }])) };
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
    properties: { ...sealed(kind, error.outs), [PROVIDER]: inputs[PROVIDER] },
    reasons: [message],
  });
}

const KEYS = Object.keys(ENVIRONMENT) as (keyof PartialConfiguration)[];

/** `fleetkeeper:KEY` of the stack: a key without the prefix belongs to the user's own project. */
function configured(config: StackConfig | undefined): PartialConfiguration {
  return Object.fromEntries(KEYS.map((key) => [key, config?.get(`fleetkeeper:${key}`)]));
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
      say: (line) => {
        if (!underWay.isOrphaned) console.log(line);
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
  env.say(`${name}: Ctrl-C: ${what}; after another one, the next pulumi command goes on from here`);
}

/**
 * The calls under way for the engine, and how this process ends. After a second Ctrl-C the engine interrupts
 * it, and kills it 5 s later; an engine that was killed leaves it running. In both cases waits end at once
 * and nothing more is launched. The time left is for answers to sent requests, which must be written down.
 */
class UnderWay {
  readonly #ending = new AbortController();
  readonly #finishing = new Set<() => void>();
  #isOrphaned = false;

  constructor() {
    // A pipe without a reader is no error here. The host prints uncaught errors, and each print would fail
    // again: 4 GB of them within 15 minutes were seen.
    for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
    watchEngine(process.argv[2], {
      onCancel: () => {
        for (const tell of this.#finishing) tell();
      },
      onGone: () => this.#orphaned(),
    });
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** True once nobody reads what is printed. */
  get isOrphaned(): boolean {
    return this.#isOrphaned;
  }

  /** `tell` says which part of the work a first Ctrl-C does not end. */
  async during<T>(work: Promise<T>, tell: () => void): Promise<T> {
    if (this.#finishing.size === 0) process.on("SIGINT", this.#interrupted);
    this.#finishing.add(tell);
    try {
      return await work;
    } finally {
      this.#finishing.delete(tell);
      if (this.#finishing.size === 0) {
        process.off("SIGINT", this.#interrupted);
        // Nobody waits for its answers any more.
        if (this.signal.aborted) setImmediate(leave);
      }
    }
  }

  readonly #interrupted = (): void =>
    this.#ending.abort(new Error("interrupted: the next pulumi command goes on from here"));

  #orphaned(): void {
    this.#isOrphaned = true;
    this.#ending.abort(new Error("the engine is gone: the next pulumi command goes on from here"));
    if (this.#finishing.size === 0) leave();
    // Whatever still runs: an answer that has not come by then never comes.
    else setTimeout(leave, longestRequest());
  }
}

function leave(): void {
  process.exit(130);
}

/** The longest time in which a sent request may be answered, in ms. */
function longestRequest(): number {
  try {
    return settingsFromEnvironment(process.env).postTimeout ?? DEFAULT_SETTINGS.postTimeout;
  } catch {
    // With such settings nothing was sent.
    return 0;
  }
}

const underWay = new UnderWay();
