import { FleetkeeperError } from "../../../service/contract/errors.ts";
import type { FleetFile } from "./fleet-file.ts";

/**
 * The file as the agent of one of its services reads it. Throws CONFIG if it has no service of this name.
 * Undefined: as it is.
 */
export function ofService(file: FleetFile, name: string | undefined): FleetFile {
  if (name === undefined) return file;
  const service = file.services.find((each) => each.name === name);
  if (!service) {
    const names = file.services.map((each) => each.name).join(", ");
    throw new FleetkeeperError(
      "CONFIG",
      `${name}: the fleet file has no such service; ${names === "" ? "it has one alone, without a name" : `there are: ${names}`}. ` +
        "An agent that keeps it drains nothing of it: for that, leave the service in the file, and take its fleets out.",
    );
  }
  const others = file.fleets.filter((fleet) => fleet.service !== name);
  return {
    ...file,
    service,
    apiKeyFrom: service.apiKeyFrom,
    budgets: file.budgets.filter((budget) => budget.service === name),
    fleets: file.fleets.filter((fleet) => fleet.service === name),
    leaving: file.leaving.filter((fleet) => fleet.service === name),
    elsewhere: new Map(others.map((fleet) => [fleet.name, fleet.service ?? ""])),
  };
}

/** Each service of a file that is about several; undefined: it is about one. */
export function severalOf(file: FleetFile | undefined): readonly FleetFile[] | undefined {
  if (!file || file.service || file.services.length === 0) return undefined;
  return file.services.map(({ name }) => ofService(file, name));
}
