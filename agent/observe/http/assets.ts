import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const TYPES = {
  "page.css": "text/css; charset=utf-8",
  "page.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
} as const;

const PACKAGE = dirname(createRequire(import.meta.url).resolve("fleetkeeper/package.json"));

/** The page's files. They are read from the package's sources: tsc does not copy them. */
export const ASSETS = Object.entries(TYPES).map(([name, type]) => ({
  path: `/${name}`,
  type,
  content: readFileSync(join(PACKAGE, "agent", "observe", "http", "assets", name)),
}));
