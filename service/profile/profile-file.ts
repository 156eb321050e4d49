import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { z } from "zod";
import { FleetkeeperError } from "../contract/errors.ts";
import { parseDocument } from "../document/document.ts";
import type { Path } from "../document/document-problem.ts";
import { whyUnreadable } from "../process/unreadable.ts";
import { canonicalJson } from "../text/json.ts";
import { nearest } from "../text/nearest.ts";
import { type WireProfile, wireProfileSchema } from "./profile.ts";
import { aboutUnknownKey, checkProfile } from "./profile-checks.ts";
import { isShipped, shippedNames, shippedPath, shippedText } from "./shipped.ts";

/** A wire profile that was read, checked and frozen. */
export interface LoadedProfile {
  readonly profile: WireProfile;
  /** SHA-256 (hex) of the profile's meaning: layout, comments, order of keys and its `name` do not count. */
  readonly hash: string;
  /** The file's name as given; messages begin with it. */
  readonly file: string;
  /** The name of one that ships, which nobody here edits. */
  readonly shipped?: string;
  /** `acme.profile.yaml:5:11`: where a part stands, or the nearest existing one above it. */
  locate(path: Path): string;
}

/**
 * Reads a wire profile from the text of a YAML or JSON file. `file` is for messages only.
 *
 * @throws FleetkeeperError CONFIG, with one line for each mistake.
 */
export function readProfile(text: string, file: string): LoadedProfile {
  const { value: profile, locate } = parseDocument(
    text,
    file,
    wireProfileSchema,
    checkProfile,
    aboutUnknownKey,
  );
  const { name: _name, ...meaning } = profile;
  return Object.freeze({
    profile,
    hash: createHash("sha256").update(canonicalJson(meaning)).digest("hex"),
    file,
    locate,
  });
}

/** Reads a wire profile from disk, or by the name of one that ships. Nothing else in service/ reads one. */
export function loadProfile(path: string): LoadedProfile {
  if (isShipped(path))
    return {
      ...readProfile(shippedText(path, "profile.yaml"), shippedPath(path, "profile.yaml")),
      shipped: path,
    };
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    const name = basename(path).replace(/\.ya?ml$/, "");
    const near = nearest(name, shippedNames());
    const noName =
      near !== undefined
        ? ` Did you mean ${near}, which ships?`
        : name.includes(".") || name !== basename(path)
          ? ""
          : " No profile of this name ships: fleetkeeper clouds names those that do.";
    const text = `The wire profile ${path} cannot be read: ${whyUnreadable(cause)}.${noName}`;
    throw new FleetkeeperError("CONFIG", text, { cause });
  }
  return readProfile(text, path);
}

/** The JSON Schema of a profile file, for editors. */
export function profileJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(wireProfileSchema, { io: "input" });
}
