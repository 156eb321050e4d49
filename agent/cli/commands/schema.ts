import { profileJsonSchema } from "../../../service/profile-file.ts";
import { fleetFileJsonSchema } from "../../fleet/fleet-file.ts";
import { jsonText } from "../../fleet/text.ts";
import type { Edge } from "./edge.ts";

/** `fleetkeeper schema [fleet|profile]`: what editors complete and check fleet files and wire profiles by. */
export async function schemaCommand(
  what: "fleet" | "profile",
  _flags: Readonly<Record<string, never>>,
  edge: Edge,
): Promise<number> {
  edge.print(jsonText(what === "profile" ? profileJsonSchema() : fleetFileJsonSchema()));
  return 0;
}
