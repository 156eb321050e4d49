import schema from "./schema.json" with { type: "json" };

export { schema };

/** A type in the schema, as far as a path goes through it. */
interface Type {
  readonly $ref?: string;
  readonly oneOf?: readonly Type[];
  readonly items?: Type;
  readonly additionalProperties?: Type;
  readonly properties?: Readonly<Record<string, Type>>;
}

const types = schema.types as Readonly<Record<string, Type>>;
const resources = schema.resources as Readonly<
  Record<string, { readonly inputProperties: Readonly<Record<string, Type>> }>
>;

/** The names of all arguments and of what is in them. */
export function names(): ReadonlySet<string> {
  const within = Object.values(types).flatMap(({ properties = {} }) => Object.keys(properties));
  return new Set([
    ...Object.values(resources).flatMap(({ inputProperties }) => Object.keys(inputProperties)),
    ...within,
  ]);
}

/**
 * What is said of paths in `ignoreChanges` that no argument has. Pulumi takes them in silence, and the change that was
 * to be ignored is made: with another machine, where it is one of the combination.
 */
export function idlePaths(resource: string, paths: readonly string[]): readonly string[] {
  const top: Type = { properties: resources[resource]?.inputProperties ?? {} };
  return paths.flatMap((given) => {
    const steps = given.match(/[^.[\]"]+/g) ?? [];
    if (leads(top, steps)) return [];
    const meant = given.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const isMeant = meant !== given && leads(top, meant.match(/[^.[\]"]+/g) ?? []);
    const wayOn = isMeant ? `: within an argument Pulumi takes the schema's names, so write ${meant}` : "";
    return [`ignoreChanges: ${given} does nothing, because no argument is called so${wayOn}`];
  });
}

function leads(type: Type, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return true;
  const { $ref, oneOf, items, additionalProperties, properties } = type;
  if ($ref !== undefined) {
    const named = types[$ref.replace("#/types/", "")];
    return named === undefined || leads(named, [step, ...rest]);
  }
  if (oneOf) return oneOf.some((each) => leads(each, [step, ...rest]));
  if (step === "*") return true;
  const next = properties?.[step] ?? additionalProperties ?? (/^\d+$/.test(step) ? items : undefined);
  return next !== undefined && leads(next, rest);
}
