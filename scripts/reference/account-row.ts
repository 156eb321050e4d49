import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { cell, code } from "./table.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const ROOMS = ["agent", "account", "launch", "ledger", "provider"];

interface Part {
  readonly name: string;
  readonly about: string;
  readonly rooms: readonly string[];
  readonly fields: readonly string[];
}

/** docs/how/account-row.md: the parts of the row in `ledger/rows.ts`, and who writes each field, read from the sources. */
export function accountRowPage(): string {
  const parts = partsOf(parse("ledger/rows.ts"));
  const writers = writersOf(new Set(parts.flatMap(({ fields }) => fields)));
  const table = parts.map(({ name, about, rooms, fields }) => {
    const rows = fields.map((field) => {
      const files = [...(writers.get(field) ?? [])].sort();
      const stranger = files.find(
        (file) => !rooms.some((room) => file === room || file.startsWith(`${room}/`)),
      );
      if (stranger)
        throw new Error(`${stranger} writes ${field} of ${name}, which is written by ${rooms.join(", ")}`);
      return `| ${code(field)} | ${cell(files.length === 0 ? "the first opening alone" : files.map(code).join(", "))} |`;
    });
    return [`## ${name}`, "", about, "", "| field | written by |", "|---|---|", ...rows, ""].join("\n");
  });
  return `# Who writes what of an account

Made from \`ledger/rows.ts\` and the files that write by \`npm run docs\`. An account is one row of the ledger. It has parts, and
each has the rooms that write it: no other room may, and \`npm test\` says so. Any room may read. Moments that a clock which was
set back left in the future are brought to now by \`launch/list/clock-set-back.ts\`, whosever they are.

${table.join("\n")}`;
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(join(ROOT, file), "utf8"), ts.ScriptTarget.Latest, true);
}

/** The interfaces that the row extends, in its order. */
function partsOf(source: ts.SourceFile): readonly Part[] {
  const all = new Map(
    source.statements.filter(ts.isInterfaceDeclaration).map((each) => [each.name.text, each] as const),
  );
  const names = all.get("AccountRow")?.heritageClauses?.[0]?.types.map((type) => type.getText()) ?? [];
  return names.map((name) => {
    const [comment] = ts.getJSDocCommentsAndTags(all.get(name)!);
    const [about = "", rooms = ""] = String(comment?.comment).split(" Written by: ");
    const fields = all.get(name)!.members.map((member) => member.name!.getText());
    return { name, about, rooms: rooms.replace(/\.$/, "").split(", "), fields };
  });
}

/** By field, the files that put a row of an account with it. */
function writersOf(fields: ReadonlySet<string>): ReadonlyMap<string, ReadonlySet<string>> {
  const writers = new Map<string, Set<string>>();
  for (const room of ROOMS)
    for (const name of readdirSync(join(ROOT, room), { recursive: true, encoding: "utf8" })) {
      const file = `${room}/${name}`;
      // What is played writes to no ledger that stays.
      if (file.startsWith("ledger/memory/") || file.startsWith("agent/whatif/")) continue;
      if (!file.endsWith(".ts") || !/putAccount|AccountRow\b/.test(readFileSync(join(ROOT, file), "utf8")))
        continue;
      for (const field of writtenIn(parse(file), fields))
        writers.set(field, (writers.get(field) ?? new Set()).add(file));
    }
  return writers;
}

/** What object literals set beside the rest of an account, as `{ ...draft.account, list }`. */
function writtenIn(source: ts.SourceFile, fields: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node)) {
      const [first, ...others] = node.properties;
      const set = others.flatMap((each) => (ts.isSpreadAssignment(each) ? insideOf(each) : nameOf(each)));
      const isAccount =
        first &&
        ts.isSpreadAssignment(first) &&
        /^(\w+\.)?(account|rest|row|stored)$/.test(first.expression.getText());
      if (isAccount && set.every((name) => fields.has(name))) for (const name of set) found.add(name);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The names in `...(condition ? { name } : {})`. */
function insideOf(spread: ts.Node): readonly string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isObjectLiteralExpression(node)) names.push(...node.properties.flatMap(nameOf));
    else ts.forEachChild(node, visit);
  };
  visit(spread);
  return names;
}

function nameOf(property: ts.ObjectLiteralElementLike): readonly string[] {
  return property.name ? [property.name.getText()] : [];
}
