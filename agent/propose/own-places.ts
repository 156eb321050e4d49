import { parsePointer } from "../../service/text/pointer.ts";
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

/** What answers have an id of beside the machine's. */
export const OF_ANOTHER =
  /^(operation|job|task|action|request|trace|event|contract|order|invoice|account|user|owner|team|project|offer|plan|image|template|volume|key|host|region|location|zone)s?$/i;
const OF_MACHINE = /^(deployment|instance|machine|server|vm|pod|node|droplet|rental)s?$/;
const ID = /^(u?u?id|guid)s?$/;
export const NO_ID = 6;

/** How likely a place is the new machine's id, by its own name first: a name around it says whose id it is. */
export function idRank({ pointer }: Leaf): number {
  const tokens = parsePointer(pointer).filter((token) => !/^\d+$/.test(token));
  const own = wordsIn(tokens.at(-1) ?? "");
  const around = wordsIn(tokens.at(-2) ?? "");
  const isId = own.some((word) => ID.test(word));
  const others = own.filter((word) => !ID.test(word));
  if (isId && others.length === 0)
    return around.some((word) => OF_MACHINE.test(word))
      ? 0
      : around.some((word) => OF_ANOTHER.test(word))
        ? 4
        : 2;
  if (others.length > 0 && others.every((word) => OF_MACHINE.test(word))) return isId ? 1 : 3;
  return isId ? 5 : NO_ID;
}
