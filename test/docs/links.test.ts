import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join, normalize, relative } from "node:path";
import Slugger from "github-slugger";
import MarkdownIt from "markdown-it";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");
const markdown = new MarkdownIt({ html: true });

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .trim()
  .split("\n")
  .filter((file) => existsSync(join(ROOT, file)));

const pages = new Map(
  files.map((file) => [file, markdown.parse(readFileSync(join(ROOT, file), "utf8"), {})]),
);

/** Where links and pictures of a page lead. */
function targetsOf(file: string): readonly string[] {
  const inner = (pages.get(file) ?? []).flatMap(({ children }) => children ?? []);
  return inner.flatMap((token) => token.attrGet("href") ?? token.attrGet("src") ?? []);
}

/** The anchors that a repository gives to the headings of a page. */
function anchorsOf(file: string): ReadonlySet<string> {
  const slugger = new Slugger();
  const tokens = pages.get(file) ?? [];
  return new Set(
    tokens.flatMap((token, index) =>
      token.type === "heading_open" ? [slugger.slug(textOf(tokens[index + 1]?.children ?? []))] : [],
    ),
  );
}

function textOf(children: readonly { readonly type: string; readonly content: string }[]): string {
  return children
    .flatMap(({ type, content }) => (["text", "code_inline"].includes(type) ? [content] : []))
    .join("");
}

function isDead(file: string, target: string): boolean {
  if (/^[a-z]+:/.test(target)) return false;
  const [path = "", anchor] = target.split("#");
  const there = path === "" ? file : relative(ROOT, normalize(join(ROOT, file, "..", decodeURI(path))));
  if (!existsSync(join(ROOT, there))) return true;
  if (anchor === undefined || statSync(join(ROOT, there)).isDirectory()) return false;
  return !anchorsOf(there).has(anchor);
}

test.each(files)("every link of %s leads to a file and a heading that are there", (file) => {
  expect(targetsOf(file).filter((target) => isDead(file, target))).toEqual([]);
});
