import { parsePointer } from "../../service/text/pointer.ts";
import { type Leaf, wordsIn } from "./shape/leaves.ts";

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
