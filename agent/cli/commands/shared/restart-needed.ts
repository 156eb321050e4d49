import { readFileSync } from "node:fs";
import type { Configuration } from "../../../../account/configuration.ts";
import type { FleetFile } from "../../../fleet/file/fleet-file.ts";

const SETTINGS = ["baseUrl", "apiKey", "ledger", "account", "profile", "settings"] as const;

/** What a running agent cannot change: another service, key or profile needs a restart. */
export function restartNeeded(
  begun: Configuration,
  now: (file: FleetFile | undefined) => Configuration,
): (file: FleetFile | undefined) => string | undefined {
  const profile = textOf(begun.profile);
  return (file) => {
    const current = now(file);
    const changed: string[] = SETTINGS.filter(
      (key) => JSON.stringify(current[key]) !== JSON.stringify(begun[key]),
    );
    // A profile that cannot be read is just being replaced. It matters at the next start.
    const text = textOf(begun.profile);
    if (text !== undefined && text !== profile) changed.push("the wire profile");
    if (changed.length === 0) return undefined;
    return `changed since this agent began, and used only after a restart: ${[...new Set(changed)].join(", ")}`;
  };
}

/** Undefined: it cannot be read. */
export function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
