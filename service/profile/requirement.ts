import { FleetkeeperError } from "../contract/errors.ts";
import { callOf } from "./calls.ts";
import type { WireProfile } from "./profile.ts";
import type { LoadedProfile } from "./profile-file.ts";

/** A part of a profile that an operation needs, and the lines to add if it is missing. */
interface Requirement<T> {
  /** What the operation does, to complete "to ...". */
  readonly operation: string;
  readonly part: readonly string[];
  readonly read: (profile: WireProfile) => T | undefined;
  /** YAML below the part's key. `<...>` is for what only the user knows; a profile with it is refused. */
  readonly lines: readonly string[];
}

const PAGINATION = ["pagination:", "  kind: <none, page, offset, cursor or link>"] as const;

export const REQUIREMENTS = {
  auth: requirement({
    operation: "send the credential",
    part: ["auth"],
    read: (profile) => profile.auth,
    lines: [
      "header: <the name of the header that carries the credential>",
      "value: <the header's value, with {secret} in it>",
    ],
  }),
  launch: requirement({
    operation: "launch a deployment",
    part: ["launch"],
    read: (profile) => profile.launch,
    lines: [
      "body:",
      '  <the field for the offer>: "{offer}"',
      '  <the field for the provider>: "{provider}"',
      '  <the field for the location>: "{location}"',
      "id: <JSON Pointer to the new deployment's id in the answer>",
    ],
  }),
  list: requirement({
    operation: "list the deployments",
    part: ["deployments", "list"],
    read: (profile) => profile.deployments?.list,
    lines: [
      'items: <JSON Pointer to the array of deployments, "" if the answer is the array>',
      ...PAGINATION,
    ],
  }),
  get: requirement({
    operation: "read one deployment",
    part: ["deployments", "get"],
    read: (profile) => profile.deployments?.get,
    lines: ['item: <JSON Pointer to the deployment, "" if the answer is the deployment>'],
  }),
  offers: requirement({
    operation: "list the offers",
    part: ["offers"],
    read: (profile) => profile.offers,
    lines: [
      "list:",
      '  items: <JSON Pointer to the array of offers, "" if the answer is the array>',
      ...PAGINATION.map((line) => `  ${line}`),
      "fields:",
      "  id: <JSON Pointer in one offer to its id>",
      "  provider: <JSON Pointer in one offer to its provider>",
      "  location: <JSON Pointer in one offer to its location>",
      "  gpus: <JSON Pointer in one offer to its number of GPUs>",
    ],
  }),
  stop: requirement({
    operation: "stop a deployment",
    part: ["stop"],
    read: (profile) => callOf(profile, "stop"),
    lines: ["method: <POST, DELETE, PUT or PATCH>", "path: <the path of the call, with {id} in it>"],
  }),
} as const;

/** Returns the part, or throws an error with the lines to add. All other operations work without it. */
export function requirePart<T>(loaded: LoadedProfile, { operation, part, read, lines }: Requirement<T>): T {
  const found = read(loaded.profile);
  if (found !== undefined) return found;
  const parents = part.slice(0, -1);
  const present = parents.filter((_, depth) => hasPart(loaded.profile, parents.slice(0, depth + 1)));
  const missing = part.slice(present.length);
  const indent = (depth: number): string => "  ".repeat(depth);
  const yaml = [
    ...missing.map((key, depth) => `${indent(present.length + depth)}${key}:`),
    ...lines.map((line) => `${indent(part.length)}${line}`),
  ];
  const where =
    present.length === 0
      ? `${loaded.file}: add at the end`
      : `${loaded.locate(present)}: add under "${present.join(".")}:"`;
  throw new FleetkeeperError(
    "PROFILE_PART_MISSING",
    `To ${operation}, the profile needs the part "${part.join(".")}", which it does not have: the specification does not show it, so only you can say it. ${where}, with your values in place of <...>:\n${yaml.join("\n")}`,
  );
}

function hasPart(profile: WireProfile, path: readonly string[]): boolean {
  let value: unknown = profile;
  for (const key of path) value = (value as Record<string, unknown> | undefined)?.[key];
  return value !== undefined;
}

function requirement<T>(value: Requirement<T>): Requirement<T> {
  return Object.freeze(value);
}
