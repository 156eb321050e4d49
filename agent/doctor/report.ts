import type { Check, DoctorReport, Remedy } from "../json/doctor.ts";

export type { Check, DoctorReport, Remedy };

export type Level = Check["level"];

/** In the order of the report, with their titles. */
export const SECTIONS = {
  configuration: "Configuration",
  service: "Service",
  operations: "What the profile covers",
  deployments: "Deployments",
  offers: "Offers",
  fleets: "Fleets",
} as const satisfies Record<Check["section"], string>;

type Finding = (says: string, remedy?: Remedy, more?: Pick<Check, "details" | "configuration">) => Check;

/** Makes the findings of one check, by level: `finding("service", "clock").ok("It agrees.")`. */
export function finding(
  section: Check["section"],
  id: string,
  subject = "",
): Readonly<Record<Level, Finding>> {
  const at =
    (level: Level): Finding =>
    (says, remedy, more) => ({ id, section, level, says: subject + says, remedy, ...more });
  return { ok: at("ok"), warning: at("warning"), problem: at("problem"), skipped: at("skipped") };
}

export function exitCodeOf(checks: readonly Check[]): DoctorReport["exitCode"] {
  const problems = checks.filter(({ level }) => level === "problem");
  if (problems.some(({ configuration }) => configuration === true)) return 2;
  return problems.length > 0 ? 1 : 0;
}
