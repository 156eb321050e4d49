import { statSync } from "node:fs";
import { ENVIRONMENT } from "./configuration.ts";

const OTHERS_READ = 0o004;

/**
 * Warns if every user of this machine may read the file of the credential; else undefined. A group may be
 * meant to read it, as in a container. `variable`: by which the credential is given.
 */
export function keyFileWarning(
  environment: Readonly<Record<string, string | undefined>>,
  variable: string = ENVIRONMENT.apiKey,
): string | undefined {
  const name = `${variable}_FILE`;
  const file = environment[variable] ? undefined : environment[name];
  // Windows keeps rights elsewhere and shows the same mode for each file.
  if (!file || process.platform === "win32") return undefined;
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & OTHERS_READ) === 0) return undefined;
  return `${name}: every user of this machine may read ${file} (mode ${(mode & 0o777).toString(8)}). Take that right away: chmod o-rwx ${file}`;
}
