import type { Struct as StructMessage } from "google-protobuf/google/protobuf/struct_pb.js";
import type { Properties } from "../runtime/inputs/resource-kind.ts";
import { hasUnknown, UNKNOWN } from "../runtime/inputs/unknown.ts";
import { DYNAMIC_PROVIDER } from "../stack/pair.ts";
import { Struct } from "./sdk.ts";

/** The key by which an engine marks values that JSON does not have, and its signatures. */
const KIND = "4dabf18193072939515e22adb298388d";
const SECRET = "1b47061264138c4ac30d75fd1eb44270";
const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
const RESOURCE = "5cf8f73096256a8f31e491e813e4eb8e";

type Fields = Readonly<Record<string, unknown>>;

/** What an engine said of one value: the value itself, and what follows for those made of it. */
export interface Told {
  /** Without marks; unknown parts are the engine's text for them. */
  readonly value: unknown;
  readonly secret: boolean;
  /** URNs of the resources that it comes from. */
  readonly from: readonly string[];
}

/**
 * Properties without any mark: what a kind of resource works on. Null is left out, as everywhere in Pulumi. So is the
 * text of a dynamic provider, which a state has from the classes.
 */
export function plainOf(struct: StructMessage | undefined): Properties {
  const { [DYNAMIC_PROVIDER]: _text, ...properties } = rawOf(struct);
  const given = Object.entries(properties).map(([key, value]) => [key, told(value).value] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== null && value !== undefined));
}

/** Marks what carries the name of a secret given: a kind works on plain values and knows of no marks. */
export function secretAs(given: StructMessage | undefined, values: Fields): Fields {
  const raw = rawOf(given);
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const secret = told(raw[key]).secret && !told(value).secret;
      return [key, marked({ value, secret })];
    }),
  );
}

export function rawOf(struct: StructMessage | undefined): Fields {
  return (struct?.toJavaScript() ?? {}) as Fields;
}

export function structOf(values: Fields): StructMessage {
  return Struct.fromJavaScript(defined(values) as Parameters<typeof Struct.fromJavaScript>[0]);
}

export function told(value: unknown): Told {
  if (typeof value !== "object" || value === null) return { value, secret: false, from: [] };
  if (Array.isArray(value)) return joined(value.map(told), (items) => items);
  const fields = value as Fields;
  switch (fields[KIND]) {
    case SECRET:
      return { ...told(fields.value), secret: true };
    case OUTPUT: {
      const inner = fields.value === undefined ? told(UNKNOWN) : told(fields.value);
      const from = (fields.dependencies ?? []) as readonly string[];
      return { ...inner, secret: inner.secret || fields.secret === true, from: [...inner.from, ...from] };
    }
    case RESOURCE:
      return { value: fields.id ?? fields.urn, secret: false, from: [String(fields.urn)] };
    case undefined: {
      const keys = Object.keys(fields);
      return joined(Object.values(fields).map(told), (items) =>
        Object.fromEntries(keys.map((key, index) => [key, items[index]])),
      );
    }
    default:
      return { value, secret: false, from: [] };
  }
}

/** A value with the marks of secrets where they stood. Those of Outputs and resources, which no state keeps, are taken off. */
export function asTold(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asTold);
  if (typeof value !== "object" || value === null) return value;
  const fields = value as Fields;
  const inner = asTold(fields.value);
  switch (fields[KIND]) {
    case SECRET:
      return marked({ value: inner, secret: true });
    case OUTPUT:
      return marked({ value: inner ?? UNKNOWN, secret: fields.secret === true });
    case RESOURCE:
      return told(value).value;
    default:
      return Object.fromEntries(Object.entries(fields).map(([key, each]) => [key, asTold(each)]));
  }
}

/** A value made of others: unknown if one of them is, secret if one of them is. */
export function madeOf(parts: readonly Told[], make: (values: readonly unknown[]) => unknown): Told {
  return joined(parts, (values) => (values.some(hasUnknown) ? UNKNOWN : make(values)));
}

function joined(parts: readonly Told[], make: (values: readonly unknown[]) => unknown): Told {
  return {
    value: make(parts.map(({ value }) => value)),
    secret: parts.some(({ secret }) => secret),
    from: parts.flatMap(({ from }) => from),
  };
}

/** A value of ours, which comes from no resource. */
export function plainly(value: unknown): Told {
  return { value, secret: false, from: [] };
}

/** The value with its mark, as an engine keeps it. */
export function marked({ value, secret }: Pick<Told, "value" | "secret">): unknown {
  return secret && value !== undefined ? { [KIND]: SECRET, value } : value;
}

/** Without undefined, which the wire does not have. */
function defined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => defined(item) ?? null);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return Object.fromEntries(entries.map(([key, inner]) => [key, defined(inner)]));
}
