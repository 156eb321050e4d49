import * as pulumi from "@pulumi/pulumi";
import { mistakeIn } from "./arguments.ts";

/**
 * One half of a pair. The host of dynamic providers runs it and reads the provider from the property
 * `__provider`. `outputs` are the properties that its create adds.
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

  output<T>(key: string): pulumi.Output<T> {
    return Reflect.get(this, key) as pulumi.Output<T>;
  }
}

/** The resource's name in the ledger and in messages: PROJECT/STACK/NAME. */
export function labelOf(name: string): string {
  return `${pulumi.getProject()}/${pulumi.getStack()}/${name}`;
}

/** Pulumi's options, without those in `REFUSED`: they have no meaning here, or could not be kept. */
export interface FleetkeeperResourceOptions
  extends Omit<
    pulumi.ComponentResourceOptions,
    "customTimeouts" | "replaceOnChanges" | "replacementTrigger"
  > {
  /** Where a machine is replaced: the old one is stopped before the launch, so that never both cost money. */
  readonly deleteBeforeReplace?: boolean | undefined;
}

const HANDED_ON = ["deleteBeforeReplace", "retainOnDelete", "ignoreChanges"] as const;

const BY_URN = "run pulumi up --replace with the URN of the resource's half (...:Slot or ...:Fleet) instead";

/** Pulumi tells the provider nothing of the first two, and for the others not what changed. */
const REFUSED = {
  customTimeouts: "set the argument timeouts instead",
  import:
    "a machine that runs already is taken with the argument adopt of a Deployment, or by fleetkeeper adopt ID",
  replaceOnChanges: BY_URN,
  replacementTrigger: BY_URN,
} as const;

/** The component's options that Pulumi does not pass to its children by itself. */
export function handedOn(resource: string, opts: FleetkeeperResourceOptions): pulumi.CustomResourceOptions {
  for (const [name, instead] of Object.entries(REFUSED)) {
    if (Reflect.get(opts, name) !== undefined)
      throw mistakeIn(resource, `the option ${name} has no effect on this resource: ${instead}`);
  }
  const given = HANDED_ON.filter((name) => opts[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, opts[name]]));
}
