import { createHash } from "node:crypto";
import * as pulumi from "@pulumi/pulumi";
import { canonicalJson } from "../service/json.ts";

/**
 * The arguments of a resource as a program gave them: plain JavaScript may leave them out, or hand over something else.
 * `own` are names that the resource's halves hand to each other; given by a program they would be lost without a word.
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

/** Of a value of any kind, which may be a secret or hold some: the same for the same value, and nothing to read it from. */
export function hashOf(resource: string, value: unknown): pulumi.Output<string> | undefined {
  if (value === undefined) return undefined;
  return pulumi.output(value).apply((known) => {
    try {
      return createHash("sha256")
        .update(canonicalJson(JSON.parse(JSON.stringify(known))))
        .digest("hex");
    } catch {
      throw mistakeIn(
        resource,
        "triggers: expected values that JSON can carry: of a resource, its id or another output",
      );
    }
  });
}

/** Said without the stack and the object that Pulumi prints with an error of another kind. */
export function mistakeIn(resource: string, text: string): Error {
  return new pulumi.RunError(`${resource}: ${text}.`);
}

/**
 * A value as it crosses to the engine. Pulumi would make an empty object of a `Date`, which JSON knows as a text; and it fails at half
 * of a character without saying where.
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

/** An object of the program's own: no Output, no resource. */
function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
