/**
 * Text for a terminal. Whatever the service says may hold control characters, markup or megabytes: it is made harmless
 * here, and nowhere else is it printed.
 */
export function clean(text: string, most = 300): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  const harmless = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, "·");
  return harmless.length > most ? `${harmless.slice(0, most - 1)}…` : harmless;
}

/** Columns under their headings, as wide as they need; the last one is not padded. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [headings, ...rows.map((row) => row.map((cell) => clean(cell, 120)))];
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Every line moved to the right. */
export function indent(text: string, by = "  "): string {
  return text
    .split("\n")
    .map((line) => (line === "" ? line : by + line))
    .join("\n");
}

/** 21:04:37, in local time. */
export function timeOfDay(wall: number): string {
  return new Date(wall).toTimeString().slice(0, 8);
}

/** `8 GPUs`, `1 GPU`. */
export function gpus(count: number): string {
  return `${count} GPU${count === 1 ? "" : "s"}`;
}
