import * as pulumi from "@pulumi/pulumi";

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

/** The options of a component that Pulumi does not hand on to its children by itself. */
export function handedOn(opts: pulumi.ComponentResourceOptions): pulumi.CustomResourceOptions {
  const { deleteBeforeReplace, retainOnDelete } = opts as pulumi.CustomResourceOptions;
  return {
    ...(deleteBeforeReplace === undefined ? {} : { deleteBeforeReplace }),
    ...(retainOnDelete === undefined ? {} : { retainOnDelete }),
  };
}
