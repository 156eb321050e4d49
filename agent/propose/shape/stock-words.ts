import { AVAILABLE_NAMES } from "./fields.ts";
import type { Leaf, Scalar } from "./leaves.ts";

/** A place that says in words whether an offer can be had. */
export interface StockWords {
  readonly pointer: string;
  /** All that were seen. */
  readonly words: readonly string[];
  /** Those of them that leave no doubt that nothing is left. */
  readonly soldOut: readonly string[];
}

/** Without blanks and signs, in lower case. */
const NOTHING_LEFT = /^(unavailable|notavailable|soldout|outofstock|nostock|outofcapacity|nocapacity)$/;
const SOME_LEFT = /^(available|instock)$/;

/** Said of a stock it leaves no doubt. Said of a state it may mean anything. */
const NONE = /^none$/;

/** How the stock of a thing may be called below its name: `/stock/level`. Alone they may be of anything. */
const STATES = /^(status|state|level|label)$/;

/** A word beside the name of a stock that makes it another thing. */
const OTHER =
  /^(id|name|sku|type|kind|class|unit|units|zone|zones|region|regions|location|locations|country|note|notes|from|until|since|date|at)$/;

/** More different ones, or longer ones, are names or sentences. */
const MOST_WORDS = 8;
const WORD = /^\p{L}[\p{L} _-]{0,29}$/u;

/** The likeliest place of it. Whatever its words mean, only a person knows. */
export function stockWords(leaves: readonly Leaf[]): StockWords | undefined {
  const found = leaves.flatMap((leaf) => {
    const rank = rankOf(leaf);
    const words = [...new Set(leaf.values.map(String))];
    return rank === undefined || words.length > MOST_WORDS ? [] : [{ leaf, words, rank }];
  });
  const [best] = found.sort((one, other) => one.rank - other.rank);
  if (best === undefined) return undefined;
  const { leaf, words } = best;
  return { pointer: leaf.pointer, words, soldOut: words.filter((word) => isNothingLeft(word, leaf)) };
}

/** Words at a place that a profile does not name, though they leave no doubt, or only letter case is between them. */
export function unnamedWords(leaf: Leaf, named: readonly string[]): readonly string[] {
  const likely = new Set(named.map(plain));
  return [...new Set(leaf.values)].flatMap((value) =>
    typeof value === "string" &&
    !named.includes(value) &&
    (likely.has(plain(value)) || isNothingLeft(value, leaf))
      ? value
      : [],
  );
}

/** The likelier the smaller. Undefined: it says something else. */
function rankOf(leaf: Leaf): number | undefined {
  const { names, around, values } = leaf;
  if (values.length === 0 || !values.every(isWord) || names.some((name) => OTHER.test(name)))
    return undefined;
  if (isOfStock(names)) return 0;
  if (!names.some((name) => STATES.test(name))) return undefined;
  if (isOfStock(around)) return 1;
  return values.some((value) => isNothingLeft(String(value), leaf) || SOME_LEFT.test(plain(value)))
    ? 2
    : undefined;
}

function isNothingLeft(word: string, { names, around }: Leaf): boolean {
  return NOTHING_LEFT.test(plain(word)) || (NONE.test(plain(word)) && isOfStock([...names, ...around]));
}

const isOfStock = (names: readonly string[]): boolean =>
  names.some((name) => AVAILABLE_NAMES.includes(name) || /^(shelf|inventory|supply)$/.test(name));

const isWord = (value: Scalar): boolean => typeof value === "string" && WORD.test(value);

const plain = (value: Scalar): string => String(value).toLowerCase().replaceAll(/[ _-]/g, "");
