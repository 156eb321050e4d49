import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { pageText } from "../../docs/.vitepress/llms.ts";
import { menu } from "../../docs/.vitepress/pages.ts";

const ROOT = join(import.meta.dirname, "..", "..");

/** A link between pages that leads nowhere, and a page that the menu does not name, end the build. */
test("the site is built, can be searched, and asks no other host for anything", async () => {
  const site = mkdtempSync(join(tmpdir(), "fleetkeeper-site-"));
  onTestFinished(() => rmSync(site, { recursive: true, force: true }));
  const cli = join(ROOT, "node_modules", "vitepress", "bin", "vitepress.js");
  await promisify(execFile)(process.execPath, [cli, "build", join(ROOT, "docs"), "--outDir", site]);

  const files = readdirSync(site, { recursive: true, encoding: "utf8" });
  const read = (name: string): string => readFileSync(join(site, name), "utf8");
  const pages = files.filter((name) => name.endsWith(".html") && name !== "404.html");
  expect(pages).toContain(join("start", "first-machine.html"));

  // What models read is all that people read.
  const full = read("llms-full.txt");
  const index = read("llms.txt");
  for (const { items } of menu())
    for (const { text, link } of items.filter((each) => !each.link.endsWith("/"))) {
      expect(index).toContain(`- [${text}](${link})`);
      expect(full).toContain(`Page: ${link}\n\n${pageText(link)}`);
    }

  const searched = files.find((name) => /localSearchIndex/.test(name));
  expect(read(searched ?? "")).toContain("tasks/lost-ledger");

  const architecture = read(join("how", "architecture.html"));
  expect(architecture.match(/<svg[^>]*viewBox/g)?.length).toBeGreaterThanOrEqual(2);
  expect(architecture).not.toContain("flowchart TB");

  const loaded = /<(?:script|link|img|iframe)[^>]*(?:src|href)="https?:|@import|url\(["']?https?:/;
  const styles = files.filter((name) => name.endsWith(".css"));
  expect([...pages, ...styles].filter((name) => loaded.test(read(name)))).toEqual([]);
});
