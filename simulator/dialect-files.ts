import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { type WireProfile, wireProfileSchema } from "../service/profile.ts";
import type { Dialect } from "./dialect.ts";
import { DEFAULT_MANNERS } from "./speak/manners.ts";
import { speak } from "./speak/speak.ts";

export const DIALECT_NAMES = ["plain"] as const;
export type DialectName = (typeof DIALECT_NAMES)[number];

/**
 * The file of a dialect's wire profile, for the client. It stands in the package's own `simulator/dialects`, where both
 * the sources and the compiled files of `dist` find it: tsc copies no YAML.
 */
export function dialectProfilePath(name: DialectName): string {
  return join(packageRoot(import.meta.dirname), "simulator", "dialects", `${name}.profile.yaml`);
}

/** The wire profile of a dialect, parsed. */
export function dialectProfile(name: DialectName): WireProfile {
  return wireProfileSchema.parse(parse(readFileSync(dialectProfilePath(name), "utf8")));
}

export function dialectOf(name: DialectName): Dialect {
  return speak(dialectProfile(name), DEFAULT_MANNERS);
}

function packageRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
    if (folder === dirname(folder)) throw new Error(`no package.json above ${start}`);
  }
}
