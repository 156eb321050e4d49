import { placeholdersOf } from "../../../service/template.ts";
import type { FleetDeclaration } from "../../fleet/fleets.ts";
import type { DoctorInput } from "../doctor-input.ts";
import type { Check } from "../report.ts";
import { placeOf, said } from "./fleet-words.ts";

/** Compares the free parameters that the launch body needs with those that the fleet gives. */
export function parameterChecks({ loaded }: DoctorInput, fleet: FleetDeclaration): readonly Check[] {
  const { launch } = loaded.profile;
  if (launch === undefined) return [];
  const needed = placeholdersOf(launch.body).flatMap((name) => /^parameters\.(.+)$/.exec(name)?.[1] ?? []);
  const given = Object.keys(fleet.wish.parameters);
  const missing = needed.filter((name) => !given.includes(name));
  const unused = given.filter((name) => !needed.includes(name));
  const checks: Check[] = [];
  if (missing.length > 0) {
    checks.push({
      ...said(
        fleet,
        "problem",
        `the launch body needs ${missing.map((name) => `{parameters.${name}}`).join(", ")} (${loaded.locate(["launch", "body"])}), which the fleet does not give.`,
        {
          text: "Add to the fleet",
          at: placeOf(fleet),
          lines: ["parameters:", ...missing.map((name) => `  ${name}: <what the service expects>`)],
        },
      ),
      id: `fleet.${fleet.name}.parameters`,
    });
  }
  if (unused.length > 0) {
    checks.push({
      ...said(
        fleet,
        "warning",
        `it gives ${unused.join(", ")}, which the launch body does not use, so the service never sees it.`,
        {
          text: `Put ${unused.map((name) => `"{parameters.${name}}"`).join(", ")} where the body should carry it, or take it out of the fleet`,
          at: loaded.locate(["launch", "body"]),
        },
      ),
      id: `fleet.${fleet.name}.parameters.unused`,
    });
  }
  return checks;
}
