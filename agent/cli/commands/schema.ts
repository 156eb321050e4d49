import { profileJsonSchema } from "../../../service/profile-file.ts";
import { fleetFileJsonSchema } from "../../fleet/fleet-file.ts";
import { jsonText } from "../../fleet/text.ts";
import type { CliContext } from "./cli-context.ts";

/** `fleetkeeper schema [fleet|profile]`: what editors complete and check fleet files and wire profiles by. */
export async function schemaCommand(
  what: "fleet" | "profile",
  _flags: Readonly<Record<string, never>>,
  cli: CliContext,
): Promise<number> {
  cli.print(jsonText(what === "profile" ? profileJsonSchema() : fleetFileJsonSchema()));
  return 0;
}
