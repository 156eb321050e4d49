import { parameterIn, placeholdersOf } from "../../../service/text/template.ts";
import type { FleetDeclaration } from "../../fleet/declare/fleets.ts";
import type { DoctorInput } from "../doctor-input.ts";
import type { Check } from "../report.ts";
import { about, inFleet } from "./fleet-words.ts";

/** Compares the free parameters that the launch body needs with those that the fleet gives. */
export function parameterChecks({ loaded }: DoctorInput, fleet: FleetDeclaration): readonly Check[] {
  const { launch } = loaded.profile;
  if (launch === undefined) return [];
  const needed = placeholdersOf(launch.body).flatMap((name) => parameterIn(name) ?? []);
  const given = Object.keys(fleet.wish.parameters);
  const missing = needed.filter((name) => !given.includes(name));
  const unused = given.filter((name) => !needed.includes(name));
  const at = loaded.locate(["launch", "body"]);
  const checks: Check[] = [];
  if (missing.length > 0) {
    const holes = missing.map((name) => `{parameters.${name}}`).join(", ");
    const lines = ["parameters:", ...missing.map((name) => `  ${name}: <what the service expects>`)];
    checks.push(
      about(fleet, "parameters").problem(
        `the launch body needs ${holes} (${at}), which the fleet does not give.`,
        inFleet(fleet, "Add to the fleet", lines),
      ),
    );
  }
  if (unused.length > 0) {
    const holes = unused.map((name) => `"{parameters.${name}}"`).join(", ");
    checks.push(
      about(fleet, "parameters.unused").warning(
        `it gives ${unused.join(", ")}, which the launch body does not use, so the service never sees it.`,
        { text: `Put ${holes} where the body should carry it, or take it out of the fleet`, at },
      ),
    );
  }
  return checks;
}
