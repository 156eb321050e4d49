import type { LoadedProfile } from "../../service/profile/profile-file.ts";
import type { Remedy } from "./report.ts";

type Keys = readonly string[];

/**
 * The lines that give the profile `lines` at `path`, with the parents that are missing. `announced`: an
 * earlier remedy adds the first key. It is not added again: a key may stand in a file only once.
 */
export function addition(
  loaded: LoadedProfile,
  path: Keys,
  lines: readonly string[],
  announced: "announced" | "first" = "first",
): Remedy {
  let depth = 0;
  while (depth < path.length && isWritten(loaded, path.slice(0, depth + 1))) depth++;
  const isAnnounced = depth === 0 && announced === "announced";
  if (isAnnounced) depth = 1;
  const under = path.slice(0, depth);
  const yaml = [
    ...path.slice(depth).map((key, index) => `${indent(depth + index)}${key}:`),
    ...lines.map((line) => indent(path.length) + line),
  ];
  if (isAnnounced)
    return { text: `Add below the lines for "${under.join(".")}:" that stand further up`, lines: yaml };
  return {
    text: depth === 0 ? "Add at the end of the profile" : `Add to the profile, under "${under.join(".")}:"`,
    at: depth === 0 ? loaded.file : loaded.locate(under),
    lines: yaml,
  };
}

/** Lines instead of what stands at `path`. */
export function replacement(loaded: LoadedProfile, path: Keys, ...lines: readonly string[]): Remedy {
  return {
    text: `Write in the profile, instead of what stands at "${path.join(".")}"`,
    at: loaded.locate(path),
    lines: lines.map((line) => indent(path.length - 1) + line),
  };
}

/** A remedy whose lines are guesses: a person has to confirm them. */
export function proposed(remedy: Remedy): Remedy {
  return { ...remedy, proposed: true };
}

/** Whether the file itself holds this part. Parsing adds defaults that nobody wrote. */
export function isWritten(loaded: LoadedProfile, path: Keys): boolean {
  let value: unknown = loaded.profile;
  for (const key of path) value = (value as Readonly<Record<string, unknown>> | undefined)?.[key];
  if (value === undefined) return false;
  return path.length === 1 || loaded.locate(path) !== loaded.locate(path.slice(0, -1));
}

function indent(depth: number): string {
  return "  ".repeat(depth);
}
