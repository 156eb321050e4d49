import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export interface Asset {
  readonly type: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

const TYPES = {
  "page.css": "text/css; charset=utf-8",
  "page.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
} as const;

/** The page's files, by their path. They are read from the package's sources: tsc does not copy them. */
export function loadAssets(): ReadonlyMap<string, Asset> {
  const root = dirname(createRequire(import.meta.url).resolve("fleetkeeper/package.json"));
  const folder = join(root, "agent", "observe", "http", "assets");
  return new Map(
    Object.entries(TYPES).map(([name, type]) => [
      `/${name}`,
      { type, content: readFileSync(join(folder, name)) },
    ]),
  );
}
