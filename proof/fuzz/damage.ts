import fc from "fast-check";

/*
 * How a true input is damaged: a few edits, each of which says where and what. They are numbers, so that fast-check
 * shrinks them: fewer edits, and simpler ones.
 */

/** Anything that JSON can hold. */
export type Tree = null | boolean | number | string | readonly Tree[] | { readonly [key: string]: Tree };

export interface Edit {
  /** Which value, or which character: counted round the whole. */
  readonly where: number;
  /** Which kind of damage. */
  readonly how: number;
  /** Which value is put there, how deep, how much is cut. */
  readonly what: number;
}

/** A true input by its number, what is done to its values, and what is done to its text after that. */
export interface Damage {
  readonly of: number;
  readonly values: readonly Edit[];
  readonly text: readonly Edit[];
}

/** How one value is damaged. What it was before is never put elsewhere: a true id in another place would be a lie, and no damage. */
const VALUE_KINDS = ["odd", "odd", "odd", "gone", "twice", "wrapped", "kind", "long", "deep", "key"] as const;
export const TEXT_KINDS = ["cut", "flip", "insert", "repeat", "gone"] as const;

export const edits = (most: number): fc.Arbitrary<readonly Edit[]> =>
  fc.array(fc.record({ where: fc.nat(), how: fc.nat(99), what: fc.nat() }), { maxLength: most });

/** `most`: so many edits of each kind. Text that is cut is mostly no JSON at all, and hides what its values would have done. */
export function damages(most = 3): fc.Arbitrary<Damage> {
  const text = fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: edits(most) });
  return fc.record({ of: fc.nat(), values: edits(most), text });
}

export function chosen<T>(all: readonly T[], number: number): T {
  return all[number % all.length] as T;
}

/** It stands for JSON that no value of JavaScript becomes, such as 1e999. In it ' is written for ". */
const RAW = "raw-json:";
const raw = (text: string): string => `${RAW}${text}`;

/** Values that nobody meant: of another kind, without an end, of a name that objects have by themselves. */
const ODD: readonly Tree[] = [
  ...[null, true, false, 0, -1, 1.5, 2 ** 53, -(2 ** 31), "", " ", "0", "-1", "NaN", "Infinity", "null"],
  ...["1e999", "-1e999", "1e-999", "-0", "9".repeat(400), "0.1e1", "{'__proto__':{'x':1},'a':1,'a':2}"].map(
    raw,
  ),
  ...["1e400", "1e99", "9".repeat(40), "0x10", "1,5", "$3", "__proto__", "constructor", "toString"],
  ...[
    "\u0000",
    "\u001b[2J",
    "\ud800",
    "\u202e",
    "{offer}",
    "{{",
    "../../x",
    "<b>x</b>",
    "%00",
    "a\nb",
    "  x ",
  ],
  ...["2030-02-30T25:61:00Z", "-271821-04-20", "postgres://a:b@c/d", "http://[::1", "x".repeat(5_000)],
  ...[[], {}, [[]], [null], { "": "" }, { length: 1e9 }, { toString: 1 }, { then: "x" }, ["a", "a"]],
];
const ODD_KEYS = ["__proto__", "constructor", "toString", "", "\u0000", "length", "0", "x".repeat(300)];
const DEPTHS = [30, 500, 5_000, 60_000];
const INSERTED = [
  "\u0000",
  "\ufeff",
  ",",
  "}",
  "]",
  '"',
  "NaN",
  "<html>",
  "\ud800",
  "\n---\n",
  "&a [*a, *a]",
  "\t",
];

/** The damaged value as JSON, or what was JSON. */
export function damagedJson(tree: Tree, { values, text }: Omit<Damage, "of">): string {
  const json = JSON.stringify(values.reduce(withEdit, tree)) ?? "null";
  return damagedText(
    json.replace(/"raw-json:([^"]*)"/g, (_, inner: string) => inner.replaceAll("'", '"')),
    text,
  );
}

/** All places in a value, the whole first. */
function placesIn(tree: Tree): readonly (readonly string[])[] {
  if (tree === null || typeof tree !== "object") return [[]];
  return [
    [],
    ...Object.entries(tree).flatMap(([key, each]) => placesIn(each as Tree).map((rest) => [key, ...rest])),
  ];
}

function withEdit(tree: Tree, edit: Edit): Tree {
  const [put] = putAt("", tree, chosen(placesIn(tree), edit.where), edit);
  return put?.[1] ?? null;
}

type Entry = readonly [key: string, value: Tree];

/** What stands in the place of one entry: none, itself, or several. */
function putAt(key: string, value: Tree, [next, ...rest]: readonly string[], edit: Edit): readonly Entry[] {
  if (next === undefined) return damagedEntry(key, value, edit);
  const entries = Object.entries(value as object) as Entry[];
  const put = entries.flatMap((each) => (each[0] === next ? putAt(...each, rest, edit) : [each]));
  return [[key, Array.isArray(value) ? put.map(([, each]) => each) : Object.fromEntries(put)]];
}

function damagedEntry(key: string, value: Tree, { how, what }: Edit): readonly Entry[] {
  const odd = chosen(ODD, what);
  switch (chosen(VALUE_KINDS, how)) {
    case "odd":
      return [[key, odd]];
    case "gone":
      return [];
    case "twice":
      return [
        [key, value],
        [`${key}2`, value],
      ];
    case "wrapped":
      return [[key, what % 2 === 0 ? [value] : { value }]];
    case "kind":
      return [[key, typeof value === "string" ? Number(value) || value.length : `${JSON.stringify(value)}`]];
    case "long":
      return [
        [
          key,
          Array.isArray(value)
            ? Array(50).fill(value).flat()
            : JSON.stringify(value).slice(0, 500).repeat(300),
        ],
      ];
    case "deep":
      return [[key, raw("[".repeat(chosen(DEPTHS, what)) + "]".repeat(chosen(DEPTHS, what)))]];
    case "key":
      return [[chosen(ODD_KEYS, what), value]];
  }
}

export function damagedText(text: string, all: readonly Edit[]): string {
  return all.reduce(withTextEdit, text);
}

function withTextEdit(text: string, { where, how, what }: Edit): string {
  const at = where % (text.length + 1);
  const to = at + 1 + (what % 40);
  switch (chosen(TEXT_KINDS, how)) {
    case "cut":
      return text.slice(0, at);
    case "flip":
      return `${text.slice(0, at)}${String.fromCharCode(text.charCodeAt(at) ^ (1 << (what % 8)))}${text.slice(at + 1)}`;
    case "insert":
      return `${text.slice(0, at)}${chosen(INSERTED, what)}${text.slice(at)}`;
    case "repeat":
      return text.slice(0, to) + text.slice(at);
    case "gone":
      return text.slice(0, at) + text.slice(to);
  }
}

/** As a disk, a copy or a crash damages a file. */
export function damagedBytes(bytes: Buffer, all: readonly Edit[]): Buffer {
  return all.reduce((now, { where, how, what }) => {
    const at = where % (now.length + 1);
    const next = Buffer.from(now);
    const page = Math.floor(at / 4096) * 4096;
    const upTo = (end: number): number => Math.min(end, next.length);
    if (next.length === 0) return next;
    switch (how % 4) {
      case 0:
        return next.subarray(0, at);
      case 1:
        next.fill(what % 256, at, upTo(at + 1 + (what % 64)));
        return next;
      case 2:
        return next.fill(0, page, upTo(page + 4096));
      default:
        // A page of another moment, or of another place.
        return next.fill(next.subarray((what % next.length) & ~4095), page, upTo(page + 4096));
    }
  }, bytes);
}
