/* What was played, batch by batch, of which commit. */

export type BatchKind = "worlds" | "several";

/** One line of the record. */
export interface Batch {
  /** With a + where files were changed. */
  readonly commit: string;
  readonly kind: BatchKind;
  readonly from: number;
  readonly seeds: number;
  readonly failed: readonly { readonly seed: string; readonly rule: string }[];
}

/** The first seed of a kind that no version has played here. */
export function nextFrom(batches: readonly Batch[], kind: BatchKind, base: number): number {
  const ends = batches.filter((each) => each.kind === kind).map(({ from, seeds }) => from + seeds);
  return ends.length === 0 ? base : Math.max(...ends);
}

/** For people: what this commit has behind it, and how many fresh seeds have held since one broke. */
export function standing(batches: readonly Batch[], commit: string): string {
  const here = batches.filter((each) => each.commit === commit);
  const count = (of: readonly Batch[]): number => of.reduce((sum, { seeds }) => sum + seeds, 0);
  const of = (kind: BatchKind): string => number(count(here.filter((each) => each.kind === kind)));
  const broken = here.flatMap(({ failed }) => failed);
  const last = batches.findLastIndex(({ failed }) => failed.length > 0);
  const since = number(count(batches.slice(last + 1)));
  const how =
    broken.length === 0
      ? "none broke"
      : `${broken.length} broke: ${broken.map(({ seed, rule }) => `${seed} (${rule})`).join(", ")}`;
  const held = last < 0 ? `${since} in all, and none ever broke` : `${since} since the last one that broke`;
  return `${commit}: ${of("worlds")} worlds and ${of("several")} with several services, ${how}. Of all versions here: ${held}.`;
}

function number(value: number): string {
  return value.toLocaleString("en-US");
}
