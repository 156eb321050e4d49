import type { Redaction } from "../../service/text/redaction.ts";
import type { Check, DoctorReport, Remedy } from "./report.ts";

const LONGEST_LINE = 1000;
/** Invisible or joining characters. The service's redaction keeps them, as a log is not harmed by them. */
const INVISIBLE =
  /[\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2060-\u2064\u3164\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * The last step before anything is shown: no text of the report carries the secret, a control character or an
 * endless line, whatever a check took from the service.
 */
export function cleanReport(report: DoctorReport, redact: Redaction): DoctorReport {
  const text = (line: string): string =>
    redact
      .text(line, LONGEST_LINE)
      .replace(INVISIBLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
  const remedy = (one: Remedy): Remedy => ({
    ...one,
    text: text(one.text),
    at: one.at && text(one.at),
    lines: one.lines?.map(text),
  });
  const check = (one: Check): Check => ({
    ...one,
    id: text(one.id),
    says: text(one.says),
    details: one.details?.map(text),
    remedy: one.remedy && remedy(one.remedy),
  });
  const { baseUrl, profile, checks } = report;
  return { ...report, baseUrl: text(baseUrl), profile: text(profile), checks: checks.map(check) };
}
