import { readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { REFUSED_BY_ALL } from "../stack/pair.ts";
import { names } from "./names.ts";

const OPTIONS = [...Object.keys(REFUSED_BY_ALL), "customTimeouts", "retainOnDelete", "ignoreChanges"];

/**
 * Writes names as the program does: Python's SDK has `per_hour` for the schema's `perHour`. An engine does not tell a
 * plugin the language, but starts it in the program's folder. `fleetkeeper:baseUrl` is a setting, and stays.
 */
export function spellingOf(folder: string): (text: string) => string {
  const spelled = [...names(), ...OPTIONS].filter((name) => /[A-Z]/.test(name));
  const pattern = new RegExp(`(?<![\\w:])(${spelled.join("|")})(?!\\w)`, "g");
  let python: boolean | undefined;
  return (text) =>
    text.replace(pattern, (name) => {
      python ??= isPython(folder);
      return python ? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : name;
    });
}

function isPython(folder: string): boolean {
  for (const name of ["Pulumi.yaml", "Pulumi.yml", "Pulumi.json"]) {
    try {
      const { runtime } = parse(readFileSync(path.join(folder, name), "utf8"));
      return (runtime?.name ?? runtime) === "python";
    } catch {}
  }
  const above = path.dirname(folder);
  return above !== folder && isPython(above);
}
