import { STACK_KEYS } from "../../account/configuration.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { nearest } from "../../service/text/nearest.ts";

const KEYS: readonly string[] = [...STACK_KEYS, "labels"];

type Labels = Readonly<Record<string, string>>;

/** `fleetkeeper:labels`, which each resource of the stack has: names and texts, or the JSON of them. Throws for anything else. */
export function stackLabels(given: unknown): Labels {
  let value = given ?? {};
  try {
    if (typeof value === "string") value = JSON.parse(value);
  } catch {
    // What is no JSON is no mapping either.
  }
  const isMapping = typeof value === "object" && value !== null && !Array.isArray(value);
  if (isMapping && Object.values(value).every((each) => typeof each === "string" || Number.isInteger(each)))
    return value as Labels;
  throw new FleetkeeperError(
    "CONFIG",
    "fleetkeeper:labels: expected names with texts: pulumi config set --path fleetkeeper:labels.team vision",
  );
}

/**
 * Why `fleetkeeper:NAME` is no setting, or undefined. If a mistyped one were ignored, a stack without its ledger
 * would know none of its machines and rent them again. A project called fleetkeeper has its own keys with this
 * prefix, so there only keys close to a setting are refused.
 */
export function whyNoSetting(name: string, project: string): string | undefined {
  if (KEYS.includes(name)) return undefined;
  const near = nearest(name, KEYS);
  if (near === undefined && project === "fleetkeeper") return undefined;
  const known = KEYS.join(", ");
  const remedy =
    near === undefined ? `known are ${known}` : `did you mean fleetkeeper:${near}? Known are ${known}`;
  return `fleetkeeper:${name} is no setting: ${remedy}`;
}
