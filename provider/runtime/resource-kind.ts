import type { Environment } from "./environment.ts";

/** Properties of a resource as they cross to and from a Pulumi engine: whatever JSON can carry. */
export type Properties = Readonly<Record<string, unknown>>;

export interface CheckFailure {
  readonly property: string;
  readonly reason: string;
}

export interface Checked {
  readonly inputs: Properties;
  readonly failures: readonly CheckFailure[];
}

export interface Difference {
  readonly changes: boolean;
  /** Properties that cannot change in place: not empty means that the resource is replaced. */
  readonly replaces: readonly string[];
  /** What is replaced ends before what takes its place begins. */
  readonly deleteBeforeReplace?: true;
}

/**
 * One kind of resource, as any Pulumi host can run it: the dynamic provider of Node is one thin adapter (see
 * dynamic-host.ts), and a provider with a schema for other languages can be a second one.
 */
export interface ResourceKind {
  /** Outputs that an engine must encrypt in its state, where there is something in them. */
  readonly secrets?: readonly string[];
  /** `olds` are the inputs of before; empty where it is about to be made, as at a replacement. */
  check(env: Environment, news: Properties, olds?: Properties): Promise<Checked>;
  diff(env: Environment, id: string, olds: Properties, news: Properties): Promise<Difference>;
  create(env: Environment, inputs: Properties): Promise<{ readonly id: string; readonly outs: Properties }>;
  /** Undefined: it does not exist any more. */
  read(env: Environment, id: string, props: Properties): Promise<Properties | undefined>;
  update(env: Environment, id: string, olds: Properties, news: Properties): Promise<Properties>;
  delete(env: Environment, id: string, props: Properties): Promise<void>;
}

/** It was made, or changed, and is not as it should be: its id and its properties belong in the state all the same. */
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
