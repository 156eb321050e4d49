import { readDecimal, readInteger } from "../../../service/text/json.ts";
import { type Leaf, plainNames, type Scalar } from "./leaves.ts";
import { isToken } from "./lists.ts";

/** How a field of the profile usually looks in services. */
export interface FieldShape {
  readonly field: string;
  /** Its usual names, the likeliest first. */
  readonly names: readonly string[];
  /** Whole names, at the top of a record, that may mean it and much else. Such a guess says so. */
  readonly short?: readonly string[];
  /** Words in a name that speak against it. */
  readonly not?: readonly string[];
  /** Words in its name, or in one around it, that make it the same of another thing, such as the price of a disk. */
  readonly of?: readonly string[];
  /** Whether a place is another thing by all its words, or by what a document says of it. */
  readonly isOther?: (leaf: Leaf) => boolean;
  /** Whether it can have this value. */
  readonly fits: (value: Scalar) => boolean;
  /** Whether a value leaves no doubt, whatever its name is. */
  readonly looks?: (value: Scalar) => boolean;
  /** What another part calls it: see {@link plainNames}. */
  readonly called?: ReadonlySet<string> | undefined;
  /** What a launch sends, whatever it is: of two that may be it, the one that is sent is likelier. */
  readonly sent?: ReadonlySet<string> | undefined;
  /** Values known from elsewhere, such as the ids of the offers. A match counts more than any name. */
  readonly known?: ReadonlySet<string>;
}

/** A pointer that may be the right one. A person must confirm it. */
export interface Guess {
  readonly field: string;
  readonly pointer: string;
  readonly why: "value" | "name";
  /** Up to three different values. Empty if there was none. */
  readonly samples: readonly Scalar[];
  /** Other pointers that may be the right one, the likelier first. */
  readonly others: readonly string[];
  /** Only a {@link FieldShape.short} name speaks for it. */
  readonly isShort?: true;
  /** Only a name around it speaks for it, and for others beside it. */
  readonly isNear?: true;
  /** Its values are cents, by what. */
  readonly cents?: "name" | "description";
  /** Its values are words. Those of them that leave no doubt that nothing is left; empty: only a person knows. */
  readonly soldOut?: readonly string[];
  /** What speaks for it, beyond a name or a value. */
  readonly proof?: string;
}

const KNOWN_VALUE = 20;
const OWN_NAME = 10;
const OWN_LOOK = 5;
const NAME_AROUND = 3;
const SHORT_NAME = 1;
/** More than any name of its own: `size` is what `/sizes` lists, whatever else is called a plan. */
const CALLED = 12;
const ALSO_WHOLE = 2.5;
const SENT = 6;
const MAX_OTHERS = 2;

/** The best pointer for each field. Each pointer is used once. A field without any sign is left out. */
export function guessFields(leaves: readonly Leaf[], shapes: readonly FieldShape[]): readonly Guess[] {
  const ranked = shapes
    .flatMap((shape) => leaves.map((leaf) => ({ shape, leaf, score: score(shape, leaf) })))
    .filter((each) => each.score > 0)
    .sort((a, b) => b.score - a.score);
  const taken = new Set<string>();
  const best = new Map<string, (typeof ranked)[number]>();
  for (const each of ranked) {
    if (best.has(each.shape.field) || taken.has(each.leaf.pointer)) continue;
    best.set(each.shape.field, each);
    taken.add(each.leaf.pointer);
  }
  return shapes.flatMap(({ field }): readonly Guess[] => {
    const winner = best.get(field);
    if (winner === undefined) return [];
    const { shape, leaf } = winner;
    const others = ranked
      .filter((each) => each.shape === shape && !taken.has(each.leaf.pointer))
      .slice(0, MAX_OTHERS)
      .map((each) => each.leaf.pointer);
    const samples = [...new Set(leaf.values)].slice(0, 3);
    const why = isKnown(shape, leaf) ? "value" : "name";
    const short = why === "name" && hasShortName(shape, leaf) ? ({ isShort: true } as const) : {};
    const isNear = winner.score < NAME_AROUND + 1 && others.length > 0 && short.isShort !== true;
    return [
      { field, pointer: leaf.pointer, why, samples, others, ...short, ...(isNear && { isNear }) } as const,
    ];
  });
}

function score(shape: FieldShape, leaf: Leaf): number {
  const { names, around, values } = leaf;
  if (shape.not?.some((word) => names.includes(word)) || shape.isOther?.(leaf)) return 0;
  if (shape.of?.some((word) => names.includes(word) || around.includes(word))) return 0;
  if (!values.every(shape.fits)) return 0;
  const best = shape.names.findIndex((word) => names.includes(word));
  const near = shape.names.findIndex((word) => around.includes(word));
  // A likelier word counts more, and a short pointer counts more than a deep one.
  const byName =
    best >= 0
      ? OWN_NAME - best / shape.names.length
      : near >= 0
        ? NAME_AROUND - near / shape.names.length
        : hasShortName(shape, leaf)
          ? SHORT_NAME
          : 0;
  const [bare = "", whole = ""] = plainNames(names);
  const isCalled =
    (shape.called?.has(bare) ? CALLED : 0) +
    (shape.called?.has(whole) ? ALSO_WHOLE : 0) +
    (byName > 0 && shape.sent?.has(bare) ? SENT : 0);
  const isSeen = values.length > 0 && shape.looks !== undefined && values.every(shape.looks);
  const byValue = isKnown(shape, leaf) ? KNOWN_VALUE : isSeen ? OWN_LOOK : 0;
  if (byName + byValue + isCalled === 0) return 0;
  // An empty field with the right name may be it. One that has a value is likelier.
  // A slug names a place to a machine, and a name beside it to people.
  const slug = /^(slug|code)$/.test(names.at(-1) ?? "") ? 0.05 : 0;
  return (
    byName + byValue + isCalled + slug + (values.length > 0 ? 1 : 0) - leaf.pointer.split("/").length / 100
  );
}

function hasShortName({ short = [] }: FieldShape, { names, around, values }: Leaf): boolean {
  return (
    names.length === 1 &&
    around.length === 0 &&
    short.some((word) => word === names[0]) &&
    values.length > 0 &&
    values.every((value) => typeof value === "string" && !isTime(value))
  );
}

function isKnown({ known }: FieldShape, { values }: Leaf): boolean {
  return known !== undefined && values.length > 0 && values.every((value) => known.has(String(value)));
}

// How values look.

export const isSomeText = (value: unknown): boolean =>
  (typeof value === "string" && isToken(value.replaceAll(/[(),+]/g, ""))) || typeof value === "number";

export const isSentence = (value: unknown): boolean => typeof value === "string" && /\S\s+\S/.test(value);

export const isWord = (value: unknown): boolean =>
  typeof value === "string" && /^[\w.:/-]{2,80}$/.test(value);

export const isTime = (value: unknown): boolean =>
  typeof value === "string" &&
  /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(value) &&
  !Number.isNaN(Date.parse(value));

export const isPrice = (value: Scalar): boolean => {
  const number = Number(readDecimal(value));
  return number >= 0 && number < 100_000;
};

export const isGpuCount = (value: Scalar): boolean => {
  const number = readInteger(value) ?? -1;
  return number >= 0 && number <= 1024;
};

export const isAvailability = (value: unknown): boolean =>
  typeof value === "boolean" ||
  value === "true" ||
  value === "false" ||
  (typeof value === "number" && value >= 0);

export const isGpuModel = (value: unknown): boolean =>
  typeof value === "string" &&
  /^(nvidia |amd |geforce |tesla |instinct )*(rtx|gtx|quadro|titan|[abhlptv]\d{1,3}s?|gh\d{3}|gb\d{3}|mi\d{3}x?)\b/i.test(
    value,
  );

export const isModelName = (value: unknown): boolean =>
  typeof value === "string" &&
  isToken(value.replaceAll(/[()+]/g, "")) &&
  /\p{L}/u.test(value) &&
  /\d/.test(value);
