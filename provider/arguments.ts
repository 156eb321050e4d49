import * as pulumi from "@pulumi/pulumi";
import { hashOfJson } from "./stack/pair.ts";
import { stackLabels, whyNoSetting } from "./stack/settings.ts";

/**
 * Checks a program's arguments: plain JavaScript may leave them out, or give another kind of value. `own` are
 * names that the resource's halves use between them: they would overwrite a program's value in silence.
 */
export function argumentsFor<T extends object>(
  resource: string,
  given: T | undefined,
  own: readonly string[],
): T {
  const args: unknown = given ?? {};
  if (typeof args !== "object" || Array.isArray(args) || pulumi.Output.isInstance(args))
    throw mistakeIn(
      resource,
      "expected an object of arguments, such as { gpus: 8 }; its values may be Outputs",
    );
  const entries = Object.entries(args ?? {});
  const [lost] = entries.find(([name, value]) => own.includes(name) && value !== undefined) ?? [];
  if (lost !== undefined) throw mistakeIn(resource, `${lost}: is not an argument: take it out`);
  return Object.fromEntries(entries.map(([key, value]) => [key, carried(resource, value, key)])) as T;
}

/**
 * What a component registers, for policies and transforms: its arguments, with a hash for `triggers`. Without
 * `timeouts`, which is an option for the plugin: a stack moves there without a change.
 */
export function registered(
  args: object,
  triggers: pulumi.Output<string> | undefined,
): Readonly<Record<string, unknown>> {
  return { ...args, triggers, timeouts: undefined };
}

/** Hash of any value, also a secret one. Equal values have equal hashes; none can be read back. */
export function hashOf(resource: string, value: unknown): pulumi.Output<string> | undefined {
  if (value === undefined) return undefined;
  return pulumi.output(value).apply((known) => {
    try {
      return hashOfJson(known);
    } catch {
      throw mistakeIn(
        resource,
        "triggers: expected values that JSON can carry: of a resource, its id or another output",
      );
    }
  });
}

/** Pulumi prints a `RunError` without a stack and without the error object. */
export function mistakeIn(resource: string, text: string): Error {
  return new pulumi.RunError(`${resource}: ${text}.`);
}

/**
 * A value as it goes to the engine. Pulumi would make an empty object of a `Date`; JSON makes a text of it.
 * Pulumi fails at half of a surrogate pair and does not say where, so that is checked here.
 */
function carried(resource: string, value: unknown, path: string): unknown {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? String(value) : value.toISOString();
  if (typeof value === "string" && !value.isWellFormed())
    throw mistakeIn(resource, `${path}: expected a text of whole characters: half of one is in it`);
  if (Array.isArray(value)) return value.map((item, index) => carried(resource, item, `${path}.${index}`));
  if (!isPlain(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, carried(resource, inner, `${path}.${key}`)]),
  );
}

/** True for an object that the program made itself: no Output, no resource. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

interface Labelled {
  readonly labels?: pulumi.Input<Readonly<Record<string, pulumi.Input<string>>>> | undefined;
}

/** Arguments with the labels of the stack, where the program says no other value of that name. */
export function withStackLabels<T extends Labelled>(resource: string, args: T): T {
  const said = pulumi.runtime.allConfig()[`${PREFIX}labels`];
  if (said === undefined) return args;
  let common: Readonly<Record<string, string>>;
  try {
    common = stackLabels(said);
  } catch (error) {
    throw mistakeIn(resource, (error as Error).message);
  }
  const own: unknown = args.labels ?? {};
  if (isPlain(own)) return { ...args, labels: { ...common, ...own } };
  return { ...args, labels: pulumi.output(args.labels).apply((known) => ({ ...common, ...known })) };
}

const PREFIX = "fleetkeeper:";

/** Refuses mistyped settings: see stack/settings.ts. */
export function checkStackSettings(resource: string): void {
  for (const key of Object.keys(pulumi.runtime.allConfig())) {
    if (!key.startsWith(PREFIX)) continue;
    const problem = whyNoSetting(key.slice(PREFIX.length), pulumi.getProject());
    if (problem !== undefined) throw mistakeIn(resource, problem);
  }
}
