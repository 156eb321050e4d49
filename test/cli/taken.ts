/** For each block of a profile: what the user writes in the place of a line. Undefined: the line is deleted. */
type Fills = {
  readonly [Block in "list" | "offers" | "states"]?: Readonly<Record<string, string | undefined>>;
};

/** Where each block stands, commented out. */
const HEADS = { list: "#   list:", offers: "# offers:", states: "#   states:" } as const;

/**
 * Edits a profile as a user does: takes the # away from a block that is commented out, writes what is known,
 * and deletes the lines that still have a gap. A line is named by how it begins.
 */
export function take(profile: string, fills: Fills): string {
  let lines = profile.split("\n");
  for (const [block, known] of Object.entries(fills)) {
    const head = HEADS[block as keyof typeof HEADS];
    const start = lines.indexOf(head);
    if (start < 0) throw new Error(`nothing is commented out as ${head}`);
    const depth = indentOf(head);
    const after = lines.findIndex(
      (line, at) => at > start && !(line.startsWith("# ") && indentOf(line) > depth),
    );
    const taken = lines.slice(start, after).flatMap((line) => {
      const text = line.replace(/^# /, "");
      const fill = Object.entries(known).find(([begins]) => text.trimStart().startsWith(begins));
      if (fill !== undefined) return fill[1] === undefined ? [] : [" ".repeat(indentOf(line)) + fill[1]];
      return /<.*>/.test(text.split("  # ")[0] ?? "") ? [] : [text];
    });
    lines = [...lines.slice(0, start), ...withoutEmpty(taken), ...lines.slice(after)];
  }
  return lines.join("\n");
}

function indentOf(line: string): number {
  return line.replace(/^# /, "").search(/\S/);
}

/** A key whose lines were all deleted goes, too. */
function withoutEmpty(lines: readonly string[]): readonly string[] {
  return lines.filter((line, at) => {
    const next = lines[at + 1];
    return !/^\s*\w+:$/.test(line) || (next !== undefined && indentOf(next) > indentOf(line));
  });
}
