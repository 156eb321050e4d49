/** The parts of a profile that have keys of their own, by their place in it. */
export const PART_NAMES = [
  ...(["auth", "calls", "account", "balance", "launch"] as const),
  ...(["deployments.list", "deployments.get", "deployments.fields", "deployments.states"] as const),
  ...(["offers.list", "offers.fields", "stop", "errors", "failures", "limits"] as const),
] as const;
export type PartName = (typeof PART_NAMES)[number];

/** One key of a part. */
export interface WireEntry {
  /** YAML, without the part's indentation. The first line begins with the key. */
  readonly lines: readonly string[];
  /** A `<...>` stands in it, or only a person may say that it is so: it is written as a comment. */
  readonly isOpen?: true;
}

/** An entry with these lines. It is open if a person has something to fill in. */
export function entryOf(lines: readonly string[]): WireEntry {
  return lines.some((line) => /: \[?<[^>]*>/.test(line)) ? { lines, isOpen: true } : { lines };
}

/** What is known of a profile's parts, by part and key. */
export type Wire = { readonly [Part in PartName]?: Readonly<Record<string, WireEntry>> };

/** What nothing shows yet, and what to do to learn it. */
export interface OpenPoint {
  /** Such as `launch.id`. */
  readonly part: string;
  readonly how: string;
}

/** The entries of one part, and what is still open in it. */
export interface Proposed {
  readonly entries: Readonly<Record<string, WireEntry>>;
  readonly open: readonly OpenPoint[];
}

/** A profile as far as files show it. */
export interface Proposal {
  readonly wire: Wire;
  readonly baseUrl: string | undefined;
  readonly open: readonly OpenPoint[];
  /** Words for states that only a person knows. */
  readonly states: readonly string[];
  /** What was read from which file, one line each. */
  readonly read: readonly string[];
}
