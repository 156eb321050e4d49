import { readFileSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

const root = path.resolve(import.meta.dirname, "../..");

/** The files whose declarations a program in TypeScript sees, and the settings. */
const FILES = [
  "provider/deployment.ts",
  "provider/fleet.ts",
  "provider/functions.ts",
  "account/configuration.ts",
];

export type Declaration =
  | ts.InterfaceDeclaration
  | ts.ClassDeclaration
  | ts.FunctionDeclaration
  | ts.TypeAliasDeclaration;

/** All declarations of these files, by their names. */
export function declarations(): ReadonlyMap<string, Declaration> {
  const found = new Map<string, Declaration>();
  for (const name of FILES) {
    const source = ts.createSourceFile(
      name,
      readFileSync(path.join(root, name), "utf8"),
      ts.ScriptTarget.Latest,
      true,
    );
    for (const each of source.statements)
      if (
        (ts.isInterfaceDeclaration(each) ||
          ts.isClassDeclaration(each) ||
          ts.isFunctionDeclaration(each) ||
          ts.isTypeAliasDeclaration(each)) &&
        each.name
      )
        found.set(each.name.text, each);
  }
  return found;
}

/** The comment above a declaration, as one paragraph a paragraph, without its tags: examples are TypeScript. */
export function commentOf(node: ts.Node): string | undefined {
  const [comment] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const text = ts.getTextOfJSDocComment(comment?.comment);
  return text
    ?.trim()
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/\s*\n\s*/g, " "))
    .join("\n\n");
}
