import { profileJsonSchema } from "../../../service/profile-file.ts";
import { fleetFileJsonSchema } from "../../fleet/fleet-file.ts";
import { jsonText } from "../../fleet/text.ts";
import type { CliContext } from "./cli-context.ts";

/** `fleetkeeper schema [fleet|profile]`: the JSON Schema that editors check and complete files with. */
export async function schemaCommand(
  what: "fleet" | "profile",
  _flags: Readonly<Record<string, never>>,
  cli: CliContext,
): Promise<number> {
  cli.print(jsonText(what === "profile" ? profileJsonSchema() : fleetFileJsonSchema()));
  return 0;
}
