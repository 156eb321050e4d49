import { z } from "zod";
import { fleetFileJsonSchema } from "../../agent/fleet/file/fleet-file.ts";
import { profileJsonSchema } from "../../service/profile/profile-file.ts";
import { cell, code } from "./table.ts";

/** What of JSON Schema the two schemas use. */
const schemaNode = z.looseObject({
  description: z.string().optional(),
  deprecated: z.boolean().optional(),
  default: z.unknown().optional(),
  const: z.unknown().optional(),
  enum: z.array(z.unknown()).optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  $ref: z.string().optional(),
  get properties() {
    return z.record(z.string(), schemaNode).optional();
  },
  required: z.array(z.string()).optional(),
  get items() {
    return schemaNode.optional();
  },
  get additionalProperties() {
    return z.union([z.boolean(), schemaNode]).optional();
  },
  get anyOf() {
    return z.array(schemaNode).optional();
  },
  get oneOf() {
    return z.array(schemaNode).optional();
  },
});
type SchemaNode = z.infer<typeof schemaNode>;

/** docs/reference/keys.md: every key of both files, as the schemas have them that check these files. */
export function keysPage(): string {
  return `# Every key

Made from the schemas by \`npm run docs\`. [Fleet files and settings](fleet-file.md) and [Wire profiles](wire-profile.md) say
what each key is for. \`fleetkeeper schema\` prints the same as JSON Schema, for editors. A key in **bold** must be there,
where its part is. \`[]\` stands for each entry of a list, \`NAME\` for a name of your choice.

## Fleet file

${table(schemaNode.parse(fleetFileJsonSchema()))}
## Wire profile

${table(schemaNode.parse(profileJsonSchema()))}`;
}

function table(schema: SchemaNode): string {
  return ["| key | value | |", "|---|---|---|", ...rows(schema, ""), ""].join("\n");
}

function rows(schema: SchemaNode, path: string): readonly string[] {
  const inner = variants(schema).flatMap(({ items, additionalProperties: free }) => [
    ...(items ? rows(items, `${path}[]`) : []),
    ...(typeof free === "object" ? rows(free, `${path}.NAME`) : []),
  ]);
  return [...keysOf(schema, path), ...inner];
}

/** A key that several variants have is one row, and must be there only if each of them says so. */
function keysOf(schema: SchemaNode, path: string): readonly string[] {
  const parts = variants(schema).filter(({ properties }) => properties !== undefined);
  const names = new Set(parts.flatMap(({ properties }) => Object.keys(properties ?? {})));
  return [...names].flatMap((name) => {
    const whole = path === "" ? name : `${path}.${name}`;
    const [first, ...others] = parts
      .map(({ properties }) => properties?.[name])
      .filter((each) => each !== undefined);
    if (!first || first.deprecated) return [];
    const value =
      others.length > 0 && kind(first) !== kind(others[0]!) ? { anyOf: [first, ...others] } : first;
    const isRequired = parts.every(({ required }) => required?.includes(name));
    return [row(whole, value, isRequired), ...rows(value, whole)];
  });
}

function row(key: string, schema: SchemaNode, isRequired: boolean): string {
  const standard = ["string", "number", "boolean"].includes(typeof schema.default)
    ? `default: \`${schema.default}\``
    : "";
  const text = [schema.description, standard].filter(Boolean).join("; ");
  return `| ${isRequired ? `**${code(key)}**` : code(key)} | ${cell(kind(schema))} | ${cell(text)} |`;
}

/** Some parts may be written in several ways, such as a short and a long one. */
function variants(schema: SchemaNode): readonly SchemaNode[] {
  return [schema, ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(variants)];
}

function kind(schema: SchemaNode): string {
  const { anyOf = [], oneOf = [], items } = schema;
  const choices = [...anyOf, ...oneOf];
  if (choices.length > 0) return [...new Set(choices.map(kind))].join(" or ");
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(" or ");
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (items) return `list of ${kind(items)}`;
  return (
    [schema.type ?? []]
      .flat()
      .map((type) => KINDS[type] ?? type)
      .join(" or ") || "anything"
  );
}

const KINDS: Readonly<Record<string, string>> = {
  string: "text",
  number: "number",
  integer: "whole number",
  boolean: "`true` or `false`",
  object: "part",
  array: "list",
};
