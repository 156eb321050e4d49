import { profileJsonSchema } from "../../../../service/profile/profile-file.ts";
import { fleetFileJsonSchema } from "../../../fleet/file/fleet-file.ts";
import { jsonText } from "../../../fleet/text/text.ts";
import { type JSON_SCHEMAS, jsonSchemaOf } from "../../../json/index.ts";
import type { CliContext } from "../shared/cli-context.ts";

/** `fleetkeeper schema WHAT`: of a file, for editors; or of what a command prints with `--json`, for programs. */
export async function schemaCommand(
  what: "fleet" | "profile" | keyof typeof JSON_SCHEMAS,
  _flags: Readonly<Record<string, never>>,
  cli: CliContext,
): Promise<number> {
  if (what === "profile") cli.print(jsonText(profileJsonSchema()));
  else cli.print(jsonText(what === "fleet" ? fleetFileJsonSchema() : jsonSchemaOf(what)));
  return 0;
}
