import * as pulumi from "@pulumi/pulumi";
import { ENVIRONMENT } from "../launch/configuration.ts";
import { nearest } from "../service/nearest.ts";
import { mistakeIn } from "./arguments.ts";

const PREFIX = "fleetkeeper:";
const KEYS = Object.keys(ENVIRONMENT);

/**
 * Refuses mistyped settings. If they were ignored, a stack without its ledger would know none of its machines
 * and rent them again. A project called fleetkeeper has its own keys with this prefix, so there only keys
 * close to a setting are refused.
 */
export function checkStackSettings(resource: string): void {
  for (const key of Object.keys(pulumi.runtime.allConfig())) {
    const name = key.slice(PREFIX.length);
    if (!key.startsWith(PREFIX) || KEYS.includes(name)) continue;
    const near = nearest(name, KEYS);
    const remedy =
      near === undefined
        ? `known are ${KEYS.join(", ")}`
        : `did you mean ${PREFIX}${near}? Known are ${KEYS.join(", ")}`;
    if (near !== undefined || pulumi.getProject() !== "fleetkeeper")
      throw mistakeIn(resource, `${key} is no setting: ${remedy}`);
  }
}
