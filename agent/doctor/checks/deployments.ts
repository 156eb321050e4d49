import type { Patient } from "../patient.ts";
import type { Check } from "../report.ts";
import { fieldChecks, presentCheck } from "./deployment-fields.ts";
import { listChecks, oneCheck } from "./deployment-list.ts";
import { stateChecks } from "./deployment-states.ts";

/** What the list of deployments says, and how much of each deployment the profile can read. */
export function deploymentChecks(patient: Patient): readonly Check[] {
  const rest = patient.seen?.rest;
  if (rest === undefined) return [];
  return [
    ...listChecks(patient, rest),
    ...stateChecks(patient, rest),
    ...oneCheck(patient, rest),
    ...fieldChecks(patient, rest),
    ...presentCheck(patient, rest),
  ];
}
