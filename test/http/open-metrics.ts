/** One line of an exposition. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = `[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\n"])*"`;
const LINE = new RegExp(`^(${NAME})(?:\\{((?:${LABEL})(?:,${LABEL})*)?\\})? (\\S+)$`);
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  gauge: [""],
  counter: ["_total", "_created"],
  histogram: ["_bucket", "_sum", "_count", "_created"],
};

/** What Prometheus asks for. */
export const OPEN_METRICS = {
  accept:
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
};

/**
 * Reads OpenMetrics 1.0 strictly, as a scraper may: every line known, every sample under its family's TYPE with a suffix that
 * this type has, no series twice, the end marked. Throws at the first thing that is not so.
 */
export function parseOpenMetrics(text: string): readonly Sample[] {
  if (!text.endsWith("# EOF\n")) throw new Error("the end is not marked");
  const samples: Sample[] = [];
  const seen = new Set<string>();
  let family = { name: "", type: "" };
  for (const line of text.slice(0, -"# EOF\n".length).split("\n").slice(0, -1)) {
    const [, keyword, name = "", rest = ""] = /^# (HELP|TYPE|UNIT) (\S+) (.+)$/.exec(line) ?? [];
    if (keyword === "TYPE") family = { name, type: rest };
    if (keyword) continue;
    const [, metric = "", labels = "", value = ""] = LINE.exec(line) ?? [];
    if (metric === "") throw new Error(`not a sample: ${line}`);
    const suffixes = SUFFIXES[family.type] ?? [];
    if (!suffixes.some((suffix) => metric === family.name + suffix))
      throw new Error(`${metric} does not belong to ${family.name} (${family.type})`);
    const series = `${metric}{${labels}}`;
    if (seen.has(series)) throw new Error(`twice: ${series}`);
    seen.add(series);
    samples.push({ name: metric, labels: labelsOf(labels), value: numberOf(value) });
  }
  return samples;
}

function labelsOf(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(/([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"/g)].map(([, name = "", value = ""]) => [
      name,
      value.replace(/\\(.)/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped)),
    ]),
  );
}

function numberOf(text: string): number {
  const known: Readonly<Record<string, number>> = { "+Inf": Number.POSITIVE_INFINITY, NaN: Number.NaN };
  const value = known[text] ?? Number(text);
  if (Number.isNaN(value) && text !== "NaN") throw new Error(`not a number: ${text}`);
  return value;
}
