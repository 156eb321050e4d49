import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DOCS, menu } from "./pages.ts";

const ABOUT =
  "# fleetkeeper\n\n> The GPUs you asked for, and nothing you did not ask to pay for: a Pulumi provider and an agent that rent GPU machines by a " +
  "service's API, keep their count, and never pay twice for one.\n";

/** Of a page as a model reads it. Comments say how the tests run it. */
export function pageText(link: string): string {
  return readFileSync(join(DOCS, `${link}.md`), "utf8").replace(/<!--[\s\S]*?-->\n*/g, "");
}

/** `llms.txt`: each page, and the begin of what it says. */
export function llmsIndex(): string {
  const parts = written().map(
    ({ text, items }) =>
      `## ${text}\n\n${items.map((each) => `- [${each.text}](${each.link})${beginOf(each.link).replace(/^(?=.)/, ": ")}`).join("\n")}\n`,
  );
  return [ABOUT, "All of it as one text: [llms-full.txt](/llms-full.txt)\n", ...parts].join("\n");
}

/** `llms-full.txt`: all pages. */
export function llmsFull(): string {
  const pages = written().flatMap(({ items }) =>
    items.map(({ link }) => `Page: ${link}\n\n${pageText(link)}`),
  );
  return [ABOUT, ...pages].join("\n");
}

/** Where the site is built. */
export function writeLlms({ outDir }: { readonly outDir: string }): void {
  writeFileSync(join(outDir, "llms.txt"), llmsIndex());
  writeFileSync(join(outDir, "llms-full.txt"), llmsFull());
}

/** Without what typedoc makes: its pages are no files here. */
function written(): ReturnType<typeof menu> {
  return menu().map(({ text, items }) => ({ text, items: items.filter(({ link }) => !link.endsWith("/")) }));
}

/** The first sentence of its introduction, beside code, tables and what only leads to them. Empty: it has none. */
function beginOf(link: string): string {
  const [, body = ""] = /^# .*\n([\s\S]*)/.exec(pageText(link)) ?? [];
  const [intro = ""] = body.replace(/^```[\s\S]*?^```$/gm, "").split(/^## /m);
  const blocks = intro.split(/\n{2,}/);
  const text = blocks.find((block) => /^[\w`*[]/.test(block) && !block.trim().endsWith(":")) ?? "";
  const plain = text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/\s+/g, " ");
  return /^.+?[.](?= |$)/.exec(plain)?.[0] ?? plain;
}
