import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export interface Asset {
  readonly type: string;
  readonly content: Buffer;
  /** For `If-None-Match`. */
  readonly tag: string;
}

const TYPES = {
  "page.css": "text/css; charset=utf-8",
  "page.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
} as const;

/** What the page refers to, by its path. Read once; it stands in the package's sources, since tsc copies no such files. */
export function loadAssets(): ReadonlyMap<string, Asset> {
  const folder = join(packageRoot(import.meta.dirname), "agent", "observe", "http", "assets");
  return new Map(
    Object.entries(TYPES).map(([name, type]) => {
      const content = readFileSync(join(folder, name));
      const tag = `"${createHash("sha256").update(content).digest("base64url").slice(0, 16)}"`;
      return [`/${name}`, { type, content, tag }];
    }),
  );
}

function packageRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (folder === dirname(folder)) throw new Error(`no package.json above ${start}`);
  }
}
