import ts from "typescript";
import type { Declaration } from "./declarations.ts";
import { commentOf } from "./declarations.ts";

/** A type as a Pulumi schema says it. */
export type TypeSpec = Readonly<Record<string, unknown>>;

const ANY: TypeSpec = { $ref: "pulumi.json#/Any" };
/** Wrappers that every language has its own of, or that say nothing outside TypeScript. */
const TRANSPARENT = ["Input", "Output", "Readonly", "Promise"];
/** What a type is called in the schema, where its own name would collide with a resource or a function's result. */
const RENAMED: Readonly<Record<string, string>> = {
  OfferResult: "FoundOffer",
  DeploymentResult: "FoundDeployment",
};

/** Turns types of the public interfaces into those of the schema, and collects the ones that have names. */
export class Types {
  readonly named: Record<string, TypeSpec> = {};
  readonly #declared: ReadonlyMap<string, Declaration>;

  constructor(declared: ReadonlyMap<string, Declaration>) {
    this.#declared = declared;
  }

  /** The properties of an interface, a class or a type literal, and the names of those that are always there. */
  properties(
    members: ts.NodeArray<ts.TypeElement | ts.ClassElement>,
    owner: string,
    leftOut: readonly string[] = [],
  ): { readonly properties: Record<string, TypeSpec>; readonly required: readonly string[] } {
    const properties: Record<string, TypeSpec> = {};
    const required: string[] = [];
    for (const member of members) {
      if (!(ts.isPropertySignature(member) || ts.isPropertyDeclaration(member)) || !member.type) continue;
      const name = member.name.getText();
      if (leftOut.includes(name)) continue;
      const description = commentOf(member);
      const type = this.of(member.type, owner + name[0]?.toUpperCase() + name.slice(1));
      properties[name] = { ...type, ...(description === undefined ? {} : { description }) };
      if (!member.questionToken && !isOptional(member.type)) required.push(name);
    }
    return { properties, required };
  }

  /** `called`: the name of a type that has none of its own. */
  of(node: ts.TypeNode, called: string): TypeSpec {
    if (ts.isParenthesizedTypeNode(node)) return this.of(node.type, called);
    if (ts.isTypeOperatorNode(node)) return this.of(node.type, called);
    if (ts.isArrayTypeNode(node)) return { type: "array", items: this.of(node.elementType, called) };
    if (ts.isTypeLiteralNode(node)) return this.#object(called, node.members, undefined);
    if (ts.isUnionTypeNode(node)) return this.#union(node, called);
    if (ts.isTypeReferenceNode(node)) return this.#reference(node, called);
    switch (node.kind) {
      case ts.SyntaxKind.StringKeyword:
        return { type: "string" };
      // Every number here is a count or a port; money is a text.
      case ts.SyntaxKind.NumberKeyword:
        return { type: "integer" };
      case ts.SyntaxKind.BooleanKeyword:
        return { type: "boolean" };
      case ts.SyntaxKind.UnknownKeyword:
        return ANY;
      default:
        if (ts.isLiteralTypeNode(node)) return { type: "string" };
        throw new Error(`the schema has no type for ${node.getText()} (${called})`);
    }
  }

  #union(node: ts.UnionTypeNode, called: string): TypeSpec {
    const parts = node.types.filter(
      (each) => each.kind !== ts.SyntaxKind.UndefinedKeyword && each.getText() !== "Date",
    );
    const [first] = parts;
    if (parts.length === 1 && first) return this.of(first, called);
    const texts = parts.filter(isText);
    if (texts.length === parts.length) return this.#enum(called, texts);
    const others = parts.filter((each) => !isText(each));
    const text = texts.length > 0 ? [{ type: "string" }] : [];
    return { oneOf: [...text, ...others.map((each) => this.of(each, called))] };
  }

  #enum(name: string, texts: readonly ts.LiteralTypeNode[]): TypeSpec {
    const values = texts.map(({ literal }) => ({ value: literal.getText().slice(1, -1) }));
    this.named[token(name)] = { type: "string", enum: values };
    return textOr(name);
  }

  #reference(node: ts.TypeReferenceNode, called: string): TypeSpec {
    const name = node.typeName.getText().replace(/^pulumi\./, "");
    const [first, second] = node.typeArguments ?? [];
    if (TRANSPARENT.includes(name) && first) return this.of(first, called);
    if (name === "Record" && second) return { type: "object", additionalProperties: this.of(second, called) };
    if (name === "JsonValue") return ANY;
    const found = this.#declared.get(name);
    if (found && ts.isTypeAliasDeclaration(found)) return this.of(found.type, name);
    if (found && ts.isInterfaceDeclaration(found))
      return this.#object(RENAMED[name] ?? name, found.members, found);
    throw new Error(`the schema does not know ${name} (${called})`);
  }

  #object(name: string, members: ts.NodeArray<ts.TypeElement>, from: ts.Node | undefined): TypeSpec {
    const description = from && commentOf(from);
    this.named[token(name)] ??= {
      type: "object",
      ...(description === undefined ? {} : { description }),
      ...this.properties(members, name),
    };
    return { $ref: `#/types/${token(name)}` };
  }
}

/** A member of the enum, or its text: without the second a checker of types refuses what every page writes. */
export function textOr(name: string): TypeSpec {
  return { type: "string", oneOf: [{ type: "string" }, { $ref: `#/types/${token(name)}` }] };
}

export function token(name: string): string {
  return `fleetkeeper:index:${name}`;
}

function isText(node: ts.TypeNode): node is ts.LiteralTypeNode {
  return ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal);
}

function isOptional(node: ts.TypeNode): boolean {
  return /\| undefined>?$/.test(node.getText());
}
