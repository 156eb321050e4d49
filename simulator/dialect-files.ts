import { parse } from "yaml";
import { packageFile, packagePath } from "../service/process/package-file.ts";
import { type WireProfile, wireProfileSchema } from "../service/profile/profile.ts";
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

export const DIALECT_NAMES = ["plain", "nested", "link", "handwritten", "camel", "elsewhere"] as const;
export type DialectName = (typeof DIALECT_NAMES)[number];

const MANNERS: Readonly<Record<Exclude<DialectName, "handwritten">, Manners>> = {
  plain: DEFAULT_MANNERS,
  nested: NESTED_MANNERS,
  link: LINK_MANNERS,
  camel: CAMEL_MANNERS,
  elsewhere: DEFAULT_MANNERS,
};

/** The file of a dialect's wire profile, for the client. */
export function dialectProfilePath(name: DialectName): string {
  return packagePath(fileOf(name));
}

/** The wire profile of a dialect, parsed. */
export function dialectProfile(name: DialectName): WireProfile {
  return wireProfileSchema.parse(parse(packageFile(fileOf(name)).toString()));
}

export function dialectOf(name: DialectName): Dialect {
  return name === "handwritten" ? handwritten : speak(dialectProfile(name), MANNERS[name]);
}

function fileOf(name: DialectName): string {
  return `profiles/simulated-${name}/profile.yaml`;
}
