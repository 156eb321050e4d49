import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parse } from "yaml";
import { type WireProfile, wireProfileSchema } from "../service/profile.ts";
import type { Dialect } from "./dialect.ts";
import { handwritten } from "./dialects/handwritten.ts";
import {
  CAMEL_MANNERS,
  DEFAULT_MANNERS,
  LINK_MANNERS,
  type Manners,
  NESTED_MANNERS,
} from "./speak/manners.ts";
import { speak } from "./speak/speak.ts";

export const DIALECT_NAMES = ["plain", "nested", "link", "handwritten", "camel"] as const;
export type DialectName = (typeof DIALECT_NAMES)[number];

const MANNERS: Readonly<Record<Exclude<DialectName, "handwritten">, Manners>> = {
  plain: DEFAULT_MANNERS,
  nested: NESTED_MANNERS,
  link: LINK_MANNERS,
  camel: CAMEL_MANNERS,
};

const PACKAGE_FILE = createRequire(import.meta.url).resolve("fleetkeeper/package.json");

/**
 * The file of a dialect's wire profile, for the client. It stands in the package's `simulator/dialects`: the
 * sources and the compiled files both find it there. Not in `dist`: tsc copies no YAML.
 */
export function dialectProfilePath(name: DialectName): string {
  return join(dirname(PACKAGE_FILE), "simulator", "dialects", `${name}.profile.yaml`);
}

/** The wire profile of a dialect, parsed. */
export function dialectProfile(name: DialectName): WireProfile {
  return wireProfileSchema.parse(parse(readFileSync(dialectProfilePath(name), "utf8")));
}

export function dialectOf(name: DialectName): Dialect {
  return name === "handwritten" ? handwritten : speak(dialectProfile(name), MANNERS[name]);
}
