import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";

/** What a fleet file is refused for; `nothing` where it is not. */
export function said(content: string): string {
  try {
    parseFleetFile(content, "fleet.yaml");
  } catch (error) {
    return (error as Error).message;
  }
  return "nothing";
}
