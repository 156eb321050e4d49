import type { Json } from "../../../service/contract/service.ts";
import { counted } from "../../../service/text/counted.ts";
import { type FoundList, type JsonObject, listsIn } from "./lists.ts";
import { yamlText } from "./texts.ts";

/** A list of the service, and the part of the profile that says how to read it. */
export type Part = "deployments" | "offers";

/** The array with the most records. */
export function bestList(part: Part, json: Json | undefined): FoundList | undefined {
  const [best] = listsIn(json)
    .filter((list) => recordsIn(part, list).length > 0)
    .sort((one, other) => recordsIn(part, other).length - recordsIn(part, one).length);
  return best;
}

/** The specification shows that a deployment has id and status. It shows no field of an offer. */
export function recordsIn(part: Part, { deployments, objects }: FoundList): readonly JsonObject[] {
  return part === "deployments" ? deployments : objects;
}

/** The array with the most records. Before the first one an empty array may be the list, if it is the only array. */
export function listIn(part: Part, json: Json | undefined): FoundList | undefined {
  const [only, ...others] = listsIn(json);
  return bestList(part, json) ?? (others.length === 0 && only?.length === 0 ? only : undefined);
}

/** Where a list has its items. `where`: such as "list.json: ". */
export function itemsLine(part: Part, list: FoundList, where = ""): string {
  const items = recordsIn(part, list).length;
  const why =
    items === 0
      ? "the only array in the answer; it is empty, so look again once there is a machine"
      : `${counted(items, "object")}${part === "offers" ? "" : " with id and status"}`;
  return `items: ${yamlText(list.pointer)}  # ${where}${why}`;
}

export function at({ pointer }: Pick<FoundList, "pointer">): string {
  return pointer === "" ? "the top of the answer" : pointer;
}
