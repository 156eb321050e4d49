import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The folder of the pages. */
export const DOCS = join(import.meta.dirname, "..");

interface Part {
  readonly title: string;
  readonly folder: string;
  /** Names of pages in the order of the menu, without `.md`; from the top of docs/ where they begin with `/`. */
  readonly pages: readonly string[];
}

const PARTS: readonly Part[] = [
  { title: "Start", folder: "start", pages: ["demo", "first-machine", "first-fleet"] },
  {
    title: "Tasks",
    folder: "tasks",
    pages: [
      "new-api",
      "budget",
      "teams",
      "services",
      "ci",
      "service",
      "alerts",
      "runbook",
      "upgrade",
      "nobodys-machine",
      "lost-launch",
      "lost-ledger",
      "changed-key",
      "move",
      "leave",
    ],
  },
  {
    title: "Reference",
    folder: "reference",
    pages: [
      "cli",
      "flags",
      "fleet-file",
      "keys",
      "clouds",
      "wire-profile",
      "agent",
      "agent-api",
      "autoscaler",
      "pulumi",
      "plugin",
      "policies",
      "ledgers",
      "api",
    ],
  },
  {
    title: "How it works",
    folder: "how",
    pages: [
      "architecture",
      "protocol",
      "foreign-states",
      "machine-life",
      "several-services",
      "size",
      "improve",
      "update",
      "places",
      "whatif",
      "waiting",
      "work",
      "orders",
      "mcp",
      "tasks",
      "autoscaler",
      "pulumi-by-agent",
      "labels",
      "lives",
      "account-row",
      "scope",
      "limits",
      "proof",
      "arena",
      "model",
      "assertions",
      "spec-coverage",
      "decisions",
      "newcomers",
      "performance",
      "scale",
      "glossary",
      "/contributing",
    ],
  },
];

export interface MenuGroup {
  readonly text: string;
  readonly items: readonly { readonly text: string; readonly link: string }[];
}

/**
 * The menu of the site: every page by its first heading. A page that no part names, or a name without a page, is an
 * error: a page that no menu shows is found by nobody.
 */
export function menu(): readonly MenuGroup[] {
  return PARTS.map(({ title, folder, pages }) => {
    const there = readdirSync(join(DOCS, folder)).flatMap((name) =>
      name.endsWith(".md") ? [name.slice(0, -3)] : [],
    );
    const forgotten = there.filter((name) => !pages.includes(name));
    if (forgotten.length > 0)
      throw new Error(`docs/${folder}: ${forgotten.join(", ")} is not named in docs/.vitepress/pages.ts`);
    return { text: title, items: pages.flatMap((name) => item(folder, name)) };
  });
}

function item(folder: string, name: string): { text: string; link: string }[] {
  // typedoc makes it for the site; a clone has it after `npm run docs`.
  if (name === "api")
    return existsSync(join(DOCS, folder, name)) ? [{ text: "TypeScript API", link: "/reference/api/" }] : [];
  const link = name.startsWith("/") ? name : `/${folder}/${name}`;
  const [, text] = /^# (.+)$/m.exec(readFileSync(join(DOCS, `${link}.md`), "utf8")) ?? [];
  if (text === undefined) throw new Error(`docs${link}.md has no heading of its own`);
  return [{ text, link }];
}
