import { readFileSync } from "node:fs";
import type { Configuration } from "../../../launch/configuration.ts";
import type { FleetFile } from "../../fleet/fleet-file.ts";

const SETTINGS = ["baseUrl", "apiKey", "ledger", "account", "profile"] as const;

/** What a running agent is bound to: another service, key or profile is another agent. */
export function restartNeeded(
  begun: Configuration,
  now: (file: FleetFile | undefined) => Configuration,
): (file: FleetFile | undefined) => string | undefined {
  const profile = textOf(begun.profile);
  return (file) => {
    const current = now(file);
    const changed: string[] = SETTINGS.filter((key) => current[key] !== begun[key]);
    // One that cannot be read just now is being swapped, and matters at the next start.
    const text = textOf(begun.profile);
    if (text !== undefined && text !== profile) changed.push("the wire profile");
    if (changed.length === 0) return undefined;
    return `changed since this agent began, and used only after a restart: ${[...new Set(changed)].join(", ")}`;
  };
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
