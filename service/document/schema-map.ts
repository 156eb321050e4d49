import { z } from "zod";
import type { Path } from "./document-problem.ts";

/** What a schema allows at a place of a document, so that a message can name the right word. */
export interface SchemaMap {
  /** The keys known at this place, without old ones that are still read. */
  keys(path: Path): readonly string[];
  /** The fixed values allowed at this place. */
  choices(path: Path): readonly unknown[];
  /** Places where a key of this name is known, such as `deployments.list`. */
  placesOf(key: string): readonly string[];
  /** True if no message may repeat the value: it, or something around it, is marked `writeOnly`. */
  isSecret(path: Path): boolean;
}

type Node = Readonly<z.core.JSONSchema.JSONSchema>;

/** Reads the schema's JSON Schema, so that this does not depend on zod's internals. */
export function createSchemaMap(schema: z.ZodType): SchemaMap {
  const root = z.toJSONSchema(schema, { io: "input" }) as Node;

  const expand = (node: Node | boolean | undefined): readonly Node[] => {
    if (node === undefined || typeof node === "boolean") return [];
    const target = node.$ref === undefined ? node : resolve(root, node.$ref);
    const parts = [...(target?.anyOf ?? []), ...(target?.oneOf ?? []), ...(target?.allOf ?? [])];
    return target === undefined ? [] : [target, ...parts.flatMap((part) => expand(part as Node))];
  };
  const step = (node: Node, key: string | number): readonly Node[] => {
    const named = Object.hasOwn(node.properties ?? {}, key) ? node.properties?.[key] : undefined;
    if (named !== undefined) return expand(named as Node);
    if (typeof key === "number") return expand(node.items as Node | undefined);
    return expand(node.additionalProperties as Node | boolean | undefined);
  };
  const at = (path: Path): readonly Node[] =>
    path.reduce<readonly Node[]>((nodes, key) => nodes.flatMap((node) => step(node, key)), expand(root));
  // The schema of JSON contains itself without end.
  const places = (
    key: string,
    nodes: readonly Node[],
    path: readonly string[],
    depth = 0,
  ): readonly string[] =>
    depth > 6
      ? []
      : nodes.flatMap((node) => [
          ...Object.entries(node.properties ?? {}).flatMap(([name, inner]) => [
            ...(name === key ? [path.join(".")] : []),
            ...places(key, expand(inner as Node), [...path, name], depth + 1),
          ]),
          ...places(key, expand(node.items as Node | undefined), path, depth + 1),
        ]);

  return {
    keys: (path) => [
      ...new Set(
        at(path).flatMap((node) =>
          Object.entries(node.properties ?? {}).flatMap(([name, inner]) => (isDeprecated(inner) ? [] : name)),
        ),
      ),
    ],
    choices: (path) => [
      ...new Set(at(path).flatMap((node) => ("const" in node ? [node.const] : (node.enum ?? [])))),
    ],
    placesOf: (key) => [...new Set(places(key, expand(root), []))],
    isSecret: (path) =>
      path.some((_, depth) => at(path.slice(0, depth + 1)).some((node) => node.writeOnly === true)),
  };
}

function isDeprecated(node: unknown): boolean {
  return typeof node === "object" && node !== null && "deprecated" in node && node.deprecated === true;
}

function resolve(root: Node, reference: string): Node | undefined {
  let node: unknown = root;
  for (const token of reference.replace(/^#\/?/, "").split("/").filter(Boolean)) {
    node = (node as Record<string, unknown> | undefined)?.[token];
  }
  return node as Node | undefined;
}
