import { createHash } from "node:crypto";
import { z } from "zod";
import { FleetkeeperError } from "../contract/errors.ts";
import type { Json } from "../contract/service.ts";
import type { Path } from "../document/document-problem.ts";
import { canonicalJson } from "../text/json.ts";
import { type Lookup, placeholdersIn } from "../text/template.ts";
import { callOf } from "./calls.ts";
import type { WireProfile } from "./profile.ts";
import type { LoadedProfile } from "./profile-file.ts";

/** What a user says beside a profile 2 for its `{settings.NAME}`, such as a project. No secret stands there. */
export const profileSettingsSchema = z
  .record(
    z.string().regex(/^[A-Za-z_][\w-]*$/, "expected a name of letters, digits, _ and -"),
    z.string('expected a text; quotes make one of a number: "123"').min(1),
  )
  .describe("values for {settings.NAME} in the wire profile; texts, and no secrets");

export type Settings = z.output<typeof profileSettingsSchema>;

const SETTING = /^settings\.(.+)$/;

/** Where each setting is used in this part of a profile. */
function usesIn(part: unknown, path: Path): readonly (readonly [name: string, path: Path])[] {
  if (typeof part === "string")
    return placeholdersIn(part).flatMap((name) => {
      const setting = SETTING.exec(name)?.[1];
      return setting === undefined ? [] : [[setting, path] as const];
    });
  if (part === null || typeof part !== "object") return [];
  return Object.entries(part).flatMap(([key, inner]) => usesIn(inner, [...path, key]));
}

const usesOf = ({ calls, launch, auth }: WireProfile) => usesIn({ calls, launch, auth }, []);

/** @throws FleetkeeperError CONFIG for a setting that the profile uses and nobody gives: at once, not at the first call. */
export function demandSettings({ profile, file, locate }: LoadedProfile, settings: Settings): void {
  const missing = new Map(usesOf(profile).filter(([name]) => !Object.hasOwn(settings, name)));
  if (missing.size === 0) return;
  const places = [...missing].map(([name, path]) => `${locate(path)} uses {settings.${name}}`).join("; ");
  const names = [...missing.keys()].map((name) => `${name}: ...`).join(", ");
  const given = Object.keys(settings).join(", ") || "none";
  throw new FleetkeeperError(
    "CONFIG",
    `The profile ${file} needs settings that nobody gives: ${places}. Given are ${given}. Write settings: { ${names} } beside ` +
      '"profile" in the fleet file, or fleetkeeper:settings in the stack.',
  );
}

export function withSettings(settings: Settings, lookup: Lookup): Lookup {
  return (name) => {
    const setting = SETTING.exec(name)?.[1];
    if (setting === undefined) return lookup(name);
    return Object.hasOwn(settings, setting) ? settings[setting] : undefined;
  };
}

/** A digest of the given settings that these parts use; undefined: they use none. */
function digestOf(uses: ReturnType<typeof usesIn>, settings: Settings): string | undefined {
  if (uses.length === 0) return undefined;
  const used = Object.fromEntries(uses.map(([name]) => [name, settings[name]]));
  return createHash("sha256").update(canonicalJson(used)).digest("hex");
}

/** The profile's hash, with the settings that it uses: other ones make other calls. */
export function hashWith({ profile, hash }: LoadedProfile, settings: Settings): string {
  const digest = digestOf(usesOf(profile), settings);
  return digest === undefined
    ? hash
    : createHash("sha256")
        .update(hash + digest)
        .digest("hex");
}

/** Which machines the calls reach, as far as settings choose them: a project in a path. Undefined: they choose none. */
export function reachOf(profile: WireProfile, settings: Settings): string | undefined {
  const calls = [callOf(profile, "list"), callOf(profile, "get"), callOf(profile, "stop")];
  return digestOf(usesIn(calls as unknown as Json, []), settings);
}
