import { isDeepStrictEqual } from "node:util";
import type { Environment } from "../session/environment.ts";

/** Properties of a resource as they cross to and from a Pulumi engine: whatever JSON can carry. */
export type Properties = Readonly<Record<string, unknown>>;

/** Equal for Pulumi, to which null and absent are the same, and which keeps no order of keys. */
export function same(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one ?? null, other ?? null);
}

export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

/** The engine prints a property with its value and finds none for a path: the path goes into the reason. */
export function asReason({ property, reason }: CheckFailure): CheckFailure {
  return { property: "", reason: property === "" ? reason : `${property}: ${reason}` };
}

export interface Checked {
  readonly inputs: Properties;
  readonly failures: readonly CheckFailure[];
}

export interface Difference {
  readonly changes: boolean;
  /** Properties that cannot change in place. If there is one, the resource is replaced. */
  readonly replaces: readonly string[];
  /** The old resource is deleted before the new one is made. */
  readonly deleteBeforeReplace?: true;
}

/**
 * One kind of resource, for any Pulumi host. The dynamic provider of Node is one thin adapter
 * (host/dynamic-host.ts). The plugin for every language is the other one (provider/plugin).
 */
export interface ResourceKind {
  /** Outputs that an engine must encrypt in its state, unless they are empty. */
  readonly secrets?: readonly string[];
  /** `olds`: the former inputs. Empty where the resource is new, also at a replacement. */
  check(env: Environment, news: Properties, olds?: Properties): Promise<Checked>;
  diff(env: Environment, id: string, olds: Properties, news: Properties): Promise<Difference>;
  create(env: Environment, inputs: Properties): Promise<{ readonly id: string; readonly outs: Properties }>;
  /** Undefined: it does not exist any more. */
  read(env: Environment, id: string, props: Properties): Promise<Properties | undefined>;
  update(env: Environment, id: string, olds: Properties, news: Properties): Promise<Properties>;
  delete(env: Environment, id: string, props: Properties): Promise<void>;
  /** What an import puts into the state. `props` are those that follow from its URN. It claims nothing: a preview asks it, too. */
  import?(env: Environment, id: string, props: Properties): Promise<Imported>;
  /** Ids of what can be imported. */
  list?(env: Environment): Promise<readonly string[]>;
}

export interface Imported {
  readonly inputs: Properties;
  readonly outs: Properties;
}

/** The mark of a secret between an engine and a provider. */
const SECRET = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

/** Marks what the engine must encrypt. An empty value is unmarked: else its neighbours become secret. */
export function sealed({ secrets = [] }: Pick<ResourceKind, "secrets">, outs: Properties): Properties {
  const hidden = secrets.filter((key) => Object.keys(outs[key] ?? {}).length > 0);
  return { ...outs, ...Object.fromEntries(hidden.map((key) => [key, { ...SECRET, value: outs[key] }])) };
}

/** It was made or changed, but is not as it should be. Its id and properties still belong in the state. */
export class NotAsItShouldBe extends Error {
  readonly id: string;
  readonly outs: Properties;

  constructor(message: string, id: string, outs: Properties, options?: ErrorOptions) {
    super(message, options);
    this.name = "NotAsItShouldBe";
    this.id = id;
    this.outs = outs;
  }
}
