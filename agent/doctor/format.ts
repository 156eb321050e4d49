import { wrapAnsi } from "fast-wrap-ansi";
import { counted } from "../../service/text/counted.ts";
import { type Paint, paintIf } from "../fleet/text/text.ts";
import { type Check, type DoctorReport, type Level, type Remedy, SECTIONS } from "./report.ts";

const COLORS = { ok: "green", warning: "yellow", problem: "red", skipped: "gray" } as const;
const WIDTH = 100;
const MARGIN = " ".repeat(11);

/** The report for people: one sentence a finding, its remedy below it, and the verdict at the end. */
export function formatDoctor(report: DoctorReport, { color }: { readonly color: boolean }): string {
  const paint = paintIf(color);
  const blocks = Object.entries(SECTIONS).flatMap(([section, title]) => {
    const lines = report.checks
      .filter((check) => check.section === section)
      .flatMap((check) => checkLines(check, paint));
    return lines.length === 0 ? [] : [[paint("bold", title), ...lines].join("\n")];
  });
  return [...blocks, ending(report, paint)].join("\n\n");
}

function checkLines({ level, says, details = [], remedy }: Check, paint: Paint): readonly string[] {
  const word = (level === "skipped" ? "not seen" : level).padEnd(MARGIN.length - 2);
  return [
    ...hanging(`  ${paint(COLORS[level], word)}`, MARGIN, says),
    ...details.flatMap((detail) => hanging(`${MARGIN}- `, `${MARGIN}  `, detail)),
    ...(remedy === undefined ? [] : remedyLines(remedy, paint)),
  ];
}

function remedyLines({ text, at, lines = [], proposed }: Remedy, paint: Paint): readonly string[] {
  const where = at === undefined ? "" : ` (${at})`;
  const end = lines.length > 0 ? ":" : ".";
  const label = proposed ? "Proposed from what was seen, for you to confirm. " : "";
  const sentence = `${label}${text.replace(/\.$/, "")}${where}${end}`;
  return [
    ...hanging(`${MARGIN}${paint("cyan", "->")} `, `${MARGIN}   `, sentence),
    ...lines.map((line) => `${MARGIN}   ${paint("cyan", "|")} ${line}`),
  ];
}

function ending({ checks, requests, exitCode }: DoctorReport, paint: Paint): string {
  const number = (level: Level): number => checks.filter((check) => check.level === level).length;
  const problems = number("problem");
  const warnings = number("warning");
  const wrong = checks.filter((check) => check.level === "problem" && check.configuration === true).length;
  const others = problems > wrong ? `, and ${counted(problems - wrong, "other problem")}` : "";
  const verdict =
    exitCode === 0
      ? paint("green", "Nothing stops launches.")
      : exitCode === 1
        ? paint("red", `Launches are stopped by ${counted(problems, "problem")}.`)
        : paint("red", `The configuration has ${counted(wrong, "problem")}${others}.`);
  const also = warnings > 0 ? ` ${counted(warnings, "warning")}.` : "";
  const sent =
    requests === 0
      ? "Nothing was sent to the service."
      : `${counted(requests, "request")} ${requests === 1 ? "was" : "were"} sent to the service, to read and nothing else; the fleet file and the profile are as they were.`;
  return `${verdict}${also}\n${sent}`;
}

/**
 * The text after its head, and below it, indented. It breaks at blanks. A word longer than a line stays
 * whole: a path or a pointer can then be copied.
 */
function hanging(head: string, indent: string, text: string): readonly string[] {
  const lines = wrapAnsi(text, WIDTH - indent.length).split("\n");
  return lines.map((line, index) => (index === 0 ? head : indent) + line);
}
