import * as pulumi from "@pulumi/pulumi";
import { mistakeIn } from "./arguments.ts";
import {
  DYNAMIC_PROVIDER,
  dynamicType,
  type HalfName,
  hasHook,
  NO_IMPORT,
  pluginType,
  REFUSED_BY_ALL,
} from "./stack/pair.ts";

/** The host of dynamic providers runs it and reads the provider from the property `__provider`. */
class DynamicResource extends pulumi.CustomResource {
  output<T>(key: string): pulumi.Output<T> {
    return Reflect.get(this, key) as pulumi.Output<T>;
  }
}

export type { DynamicResource };

/**
 * One half of a pair. `outputs` are the properties that its create adds.
 *
 * It is made without stack traces. The SDK formats one for each promise of each property, through source maps: that
 * was a third of a program's time. It also writes one for each resource to the state. That of a half leads to a line
 * of this package; that of the component leads to the user's line, and is kept.
 */
export function half(
  kind: HalfName,
  provider: string,
  name: string,
  inputs: Readonly<Record<string, unknown>>,
  outputs: readonly string[],
  { hooks, ...opts }: pulumi.CustomResourceOptions,
): DynamicResource {
  // The SDK makes promises for each property, given or not.
  const given = Object.entries(inputs).filter(([, value]) => value !== undefined);
  const unset = outputs.map((key) => [key, undefined]);
  const properties = { ...Object.fromEntries([...given, ...unset]), [DYNAMIC_PROVIDER]: provider };
  const aliases = [{ type: pluginType(kind) }];
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = () => "";
  try {
    return new DynamicResource(dynamicType(kind), name, properties, {
      ...opts,
      hooks: ofHalf(kind, hooks),
      aliases,
    });
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
  }
}

/** Those of a component's hooks that a half of it has. */
function ofHalf(kind: HalfName, hooks: Hooks): NonNullable<Hooks> {
  return Object.fromEntries(Object.entries(hooks ?? {}).filter(([name]) => hasHook(kind, name)));
}

type Hooks = pulumi.CustomResourceOptions["hooks"];

/** What the component itself registers: see `ofHalf`. */
export function withoutHooks({ hooks: _, ...opts }: FleetkeeperResourceOptions): FleetkeeperResourceOptions {
  return opts;
}

/** The resource's name in the ledger and in messages: PROJECT/STACK/NAME. */
export function labelOf(name: string): string {
  return `${pulumi.getProject()}/${pulumi.getStack()}/${name}`;
}

/** Pulumi's options, without those in `REFUSED`: they have no meaning here, or could not be kept. */
export interface FleetkeeperResourceOptions
  extends Omit<
    pulumi.ComponentResourceOptions,
    "customTimeouts" | "deletedWith" | "replaceOnChanges" | "replaceWith" | "replacementTrigger"
  > {
  /** Where a machine is replaced: the old one is stopped before the launch, so that never both cost money. */
  readonly deleteBeforeReplace?: boolean | undefined;
}

const HANDED_ON = ["deleteBeforeReplace", "retainOnDelete", "ignoreChanges", "hideDiffs", "hooks"] as const;

/** Options that mean nothing here: Pulumi tells a provider nothing of them, or not what changed. */
const REFUSED = {
  ...REFUSED_BY_ALL,
  customTimeouts: "set the argument timeouts instead",
  import: NO_IMPORT,
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
