import type { DoctorInput } from "../doctor-input.ts";
import type { Check } from "../report.ts";
import { fieldChecks, presentCheck } from "./deployment-fields.ts";
import { listChecks, oneCheck } from "./deployment-list.ts";
import { stateChecks } from "./deployment-states.ts";

/** What the list of deployments says, and how much of each deployment the profile can read. */
export function deploymentChecks(input: DoctorInput): readonly Check[] {
  const rest = input.seen?.rest;
  if (rest === undefined) return [];
  return [
    ...listChecks(input, rest),
    ...stateChecks(input, rest),
    ...oneCheck(input, rest),
    ...fieldChecks(input, rest),
    ...presentCheck(input, rest),
  ];
}
