import { packageFile } from "../../../service/process/package-file.ts";

const TYPES = {
  "page.css": "text/css; charset=utf-8",
  "page.js": "text/javascript; charset=utf-8",
  "share.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
} as const;

/** The page's files. */
export const ASSETS = Object.entries(TYPES).map(([name, type]) => ({
  path: `/${name}`,
  type,
  content: packageFile(`agent/tell/http/assets/${name}`),
}));
