import { STACK_KEYS } from "../account/configuration.ts";
import { nearest } from "../service/text/nearest.ts";

const KEYS: readonly string[] = STACK_KEYS;

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
