/*
 * A page shows what was printed once. Ids, times, ports and folders are others each time, so they are no part of the
 * comparison, nor is a line that comes or not by when somebody looked; every other word is.
 */

const VARIABLE: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "ID"],
  [/\b(?=[0-9a-f]*\d)[0-9a-f]{8}\b/g, "ID"],
  [/\bprocess \d+ on \S+/g, "PROCESS"],
  [/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "MOMENT"],
  [/\b\d{4}-\d\d-\d\d\b/g, "DAY"],
  [/\b\d\d:\d\d(:\d\d)?\b/g, "TIME"],
  // As Pulumi writes it: 8s, 0.01s, 1m5s.
  [/\b(\d+m)?\d+(\.\d+)?s\b/g, "DURATION"],
  [/\b\d+(\.\d+)? (ms|s|min|h)\b( \d+ (s|min)\b)?/g, "DURATION"],
  // On a busy machine what was just now is seconds ago.
  [/\b(?:just now|DURATION ago)\b/g, "AGO"],
];

/** What a wait, Pulumi's too, tells of a machine on its way: whether a look falls into it is decided by the moment. */
const ON_THE_WAY = /^( +\S+: )?ID is (initializing|provisioning|connecting|stopping)\b.*\n/gm;

/** A state on the way to running, in a table. The machine may be further when somebody looks. */
const PASSING = /\bID (?:initializing|provisioning|connecting)\b/g;

/** One word after another: how a table is aligned and where a line is broken follows from what is variable. */
function words(text: string): string {
  const fixed = VARIABLE.reduce((sum, [pattern, name]) => sum.replaceAll(pattern, name), text);
  return fixed.replaceAll(ON_THE_WAY, "").replaceAll(/\s+/g, " ").trim();
}

/** Whether the output is what the page shows. `...` on the page stands for anything, in a line or of lines. */
export function isSameOutput(shown: string, printed: string): boolean {
  const parts = words(shown).split("...");
  const pattern = parts
    .map((part) =>
      part
        .trim()
        .split(PASSING)
        .map(RegExp.escape)
        .join("ID (?:initializing|provisioning|connecting|running)"),
    )
    .join(".*");
  return new RegExp(`^${pattern}$`).test(words(printed));
}
