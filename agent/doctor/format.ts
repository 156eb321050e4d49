import { styleText } from "node:util";
import { wrapAnsi } from "fast-wrap-ansi";
import {
  type Check,
  count,
  type DoctorReport,
  type Level,
  type Remedy,
  SECTIONS,
  type Section,
} from "./report.ts";

export interface FormatOptions {
  readonly color: boolean;
}

const TITLES: Readonly<Record<Section, string>> = {
  configuration: "Configuration",
  service: "Service",
  operations: "What the profile covers",
  deployments: "Deployments",
  offers: "Offers",
  fleets: "Fleets",
};

const COLORS = { ok: "green", warning: "yellow", problem: "red", skipped: "gray" } as const;
const WIDTH = 100;
const MARGIN = " ".repeat(11);

/** The report for people: one sentence a finding, its remedy below it, and the verdict at the end. */
export function formatDoctor(report: DoctorReport, { color }: FormatOptions): string {
  const paint = (style: Parameters<typeof styleText>[0], text: string): string =>
    color ? styleText(style, text, { validateStream: false }) : text;
  const blocks = SECTIONS.flatMap((section) => {
    const checks = report.checks.filter((check) => check.section === section);
    return checks.length === 0
      ? []
      : [[paint("bold", TITLES[section]), ...checks.flatMap((check) => checkLines(check, paint))].join("\n")];
  });
  return [...blocks, ending(report, paint)].join("\n\n");
}

type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

function checkLines({ level, says, details = [], remedy }: Check, paint: Paint): readonly string[] {
  const [first = "", ...more] = wrap(says, WIDTH - MARGIN.length);
  return [
    `  ${paint(COLORS[level], word(level))}${first}`,
    ...more.map((line) => MARGIN + line),
    ...details.flatMap((detail) => {
      const [head = "", ...tail] = wrap(detail, WIDTH - MARGIN.length - 2);
      return [`${MARGIN}- ${head}`, ...tail.map((line) => `${MARGIN}  ${line}`)];
    }),
    ...(remedy === undefined ? [] : remedyLines(remedy, paint)),
  ];
}

function word(level: Level): string {
  return (level === "skipped" ? "not seen" : level).padEnd(MARGIN.length - 2);
}

function remedyLines({ text, at, lines = [], proposed }: Remedy, paint: Paint): readonly string[] {
  const where = at === undefined ? "" : ` (${at})`;
  const end = lines.length > 0 ? ":" : ".";
  const label = proposed ? "Proposed from what was seen, for you to confirm. " : "";
  const [first = "", ...more] = wrap(
    `${label}${text.replace(/\.$/, "")}${where}${end}`,
    WIDTH - MARGIN.length - 3,
  );
  return [
    `${MARGIN}${paint("cyan", "->")} ${first}`,
    ...more.map((line) => `${MARGIN}   ${line}`),
    ...lines.map((line) => `${MARGIN}   ${paint("cyan", "|")} ${line}`),
  ];
}

function ending({ checks, requests, exitCode }: DoctorReport, paint: Paint): string {
  const number = (level: Level): number => checks.filter((check) => check.level === level).length;
  const problems = number("problem");
  const warnings = number("warning");
  const wrong = checks.filter((check) => check.level === "problem" && check.configuration === true).length;
  const others = problems > wrong ? `, and ${count(problems - wrong, "other problem")}` : "";
  const verdict =
    exitCode === 0
      ? paint("green", "Nothing stops launches.")
      : exitCode === 1
        ? paint("red", `Launches are stopped by ${count(problems, "problem")}.`)
        : paint("red", `The configuration has ${count(wrong, "problem")}${others}.`);
  const also = warnings > 0 ? ` ${count(warnings, "warning")}.` : "";
  const sent =
    requests === 0
      ? "Nothing was sent to the service."
      : `${count(requests, "GET")} ${requests === 1 ? "was" : "were"} sent to the service, and nothing else; the fleet file and the profile are as they were.`;
  return `${verdict}${also}\n${sent}`;
}

/** Breaks at blanks. A word longer than a line stays whole: a path or a pointer can then be copied. */
function wrap(text: string, width: number): readonly string[] {
  return wrapAnsi(text, width).split("\n");
}
