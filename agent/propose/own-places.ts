import { parsePointer } from "../../service/text/pointer.ts";
import { idRank } from "./id-rank.ts";
import { leavesIn, type Records } from "./proposal-input.ts";
import { type Leaf, SHOWN, wordsIn } from "./shape/leaves.ts";

/** Where a machine of a service that is not the specification's has what every machine there has. */
export interface OwnPlaces {
  readonly id: string;
  readonly status: string;
  /** Further places that may be its state. */
  readonly others: readonly string[];
  /** All of these: no other field stands there. */
  readonly all: ReadonlySet<string>;
}

const STATE = /^(status|state)$/;
/** Beside a state: its words for people, or the state of something else. */
const BESIDE =
  /^(msg|message|detail|details|text|code|description|reason|next|intended|target|desired|installation|power|port|ip|health|green|network)$/;

const isBeside = (pointer: string): boolean =>
  wordsIn(parsePointer(pointer).at(-1) ?? "").some((word) => BESIDE.test(word));

export function ownPlaces(records: Records): OwnPlaces {
  if (records.at === undefined) return { id: "/id", status: "/status", others: [], all: SHOWN };
  const leaves = leavesIn(records, new Set());
  const depth = ({ pointer }: Leaf): number => parsePointer(pointer).length;
  const inOrder = (rank: (leaf: Leaf) => number): readonly Leaf[] =>
    leaves
      .filter((leaf) => !/\/\d/.test(leaf.pointer) && Number.isFinite(rank(leaf)))
      .sort((one, other) => depth(one) - depth(other) || rank(one) - rank(other));
  const isBare = ({ pointer }: Leaf): boolean => /^\/u?u?id$/i.test(pointer);
  const rank = (leaf: Leaf): number =>
    isBare(leaf) ? -1 : idRank(leaf) < 5 ? idRank(leaf) : Number.POSITIVE_INFINITY;
  const id = inOrder(rank)[0]?.pointer ?? "/id";
  const states = inOrder(({ pointer, values, note }) => {
    const words = wordsIn(parsePointer(pointer).at(-1) ?? "");
    const isOne = words.some((word) => STATE.test(word)) && typeof values[0] !== "boolean";
    if (!isOne) return Number.POSITIVE_INFINITY;
    return words.length + (isBeside(pointer) ? 4 : 0) - (note?.words.length ? 1 : 0);
  });
  const [status = "/status", ...others] = states
    .filter((leaf, _index, [first]) => first !== undefined && depth(leaf) === depth(first))
    .map(({ pointer }) => pointer);
  return { id, status, others: others.filter((each) => !isBeside(each)), all: new Set([id, status]) };
}
