import * as pulumi from "@pulumi/pulumi";
import { mistakeIn } from "./arguments.ts";

/**
 * One half of a pair. A resource of this type is run by the host of dynamic providers, which takes the provider from the
 * property `__provider`; `outputs` are the properties that its create adds.
 */
export class DynamicResource extends pulumi.CustomResource {
  constructor(
    type: string,
    provider: string,
    name: string,
    inputs: Readonly<Record<string, unknown>>,
    outputs: readonly string[],
    opts: pulumi.CustomResourceOptions,
  ) {
    const unset = Object.fromEntries(outputs.map((key) => [key, undefined]));
    super(
      `pulumi-nodejs:dynamic/fleetkeeper:${type}`,
      name,
      { ...inputs, ...unset, __provider: provider },
      opts,
    );
  }

  /** An output, by its name in the state. */
  output<T>(key: string): pulumi.Output<T> {
    return Reflect.get(this, key) as pulumi.Output<T>;
  }
}

/** How the ledger and messages name a resource: the program's name for it, and where it stands. */
export function labelOf(name: string): string {
  return `${pulumi.getProject()}/${pulumi.getStack()}/${name}`;
}

/**
 * Pulumi's options. A few that it knows have no meaning here, or could not be kept; they are an error that names the way there
 * is.
 */
export interface FleetkeeperResourceOptions
  extends Omit<
    pulumi.ComponentResourceOptions,
    "customTimeouts" | "replaceOnChanges" | "replacementTrigger"
  > {
  /** Where another machine is needed: the old one is stopped before the new one is launched, so that never both are paid for. */
  readonly deleteBeforeReplace?: boolean | undefined;
}

const HANDED_ON = ["deleteBeforeReplace", "retainOnDelete", "ignoreChanges"] as const;

/** The engine asks the provider for neither of the first two; the others it would try, and never be told what has changed. */
const REFUSED = {
  customTimeouts: "set the argument timeouts instead",
  import:
    "a machine that runs already is taken with the argument adopt of a Deployment, or by fleetkeeper adopt ID",
  replaceOnChanges:
    "run pulumi up --replace with the URN of the resource's half (...:Slot or ...:Fleet) instead",
  replacementTrigger:
    "run pulumi up --replace with the URN of the resource's half (...:Slot or ...:Fleet) instead",
} as const;

/** The options of a component that Pulumi does not hand on to its children by itself. */
export function handedOn(resource: string, opts: FleetkeeperResourceOptions): pulumi.CustomResourceOptions {
  for (const [name, instead] of Object.entries(REFUSED)) {
    if (Reflect.get(opts, name) !== undefined)
      throw mistakeIn(resource, `the option ${name} has no effect on this resource: ${instead}`);
  }
  const given = HANDED_ON.filter((name) => opts[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, opts[name]]));
}
