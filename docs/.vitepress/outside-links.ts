import { join, normalize, relative } from "node:path";
import type { MarkdownRenderer } from "vitepress";
import { DOCS } from "./pages.ts";

/**
 * Pages link to sources, examples and CHANGELOG.md, which are in the repository and not on the site. The site shows
 * their names without a link. test/docs/links.test.ts finds those that lead nowhere in the repository.
 */
export function unlinkWhatIsOutside(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("unlink-outside", ({ tokens, env }) => {
    for (const { children } of tokens) {
      let isOutside = false;
      for (const token of children ?? []) {
        if (token.type === "link_open") isOutside = leadsOutside(String(token.attrGet("href")), env.path);
        else if (token.type !== "link_close") continue;
        if (!isOutside) continue;
        token.tag = "span";
        token.attrs = [];
      }
    }
  });
}

function leadsOutside(href: string, page: string): boolean {
  if (/^[a-z]+:|^[/#]/.test(href)) return false;
  return relative(DOCS, normalize(join(page, "..", href))).startsWith("..");
}
