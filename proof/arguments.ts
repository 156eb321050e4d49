/** A whole number of at least 1, from a text. Throws an error that names the option and the text. */
export function countOf(option: string, text: string): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(count) && count > 0) return count;
  throw new Error(
    `${option}: expected a whole number of 1 or more, such as 2000, got ${text || "an empty text"}`,
  );
}

/** One of the known names. Throws for any other. */
export function oneOf<T extends string>(option: string, text: string, known: readonly T[]): T {
  const found = known.find((name) => name === text);
  if (found !== undefined) return found;
  throw new Error(`${option}: there is no ${text || "empty name"}; known are ${known.join(", ")}`);
}

/** Several known names, with commas between them; undefined: all. */
export function someOf<T extends string>(
  option: string,
  text: string | undefined,
  known: readonly T[],
): readonly T[] {
  return text === undefined ? known : text.split(",").map((name) => oneOf(option, name, known));
}

/** One of `count` equal shares, counted from 1. */
export interface Share {
  readonly index: number;
  readonly count: number;
}

/** "2/4": the second share of four. */
export function shareOf(option: string, text: string): Share {
  const [, index, count] = (/^(\d+)\/(\d+)$/.exec(text) ?? []).map(Number);
  if (index && count && index <= count) return { index, count };
  throw new Error(
    `${option}: expected a share, such as 2/4 for the second of four, got ${text || "an empty text"}`,
  );
}

/** Shares take turns, so that each gets some of every kind. */
export function isInShare({ index, count }: Share, at: number): boolean {
  return at % count === index - 1;
}
