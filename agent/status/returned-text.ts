import { andMore } from "../fleet/text/text.ts";
import type { AccountStatus } from "../json/status.ts";

type Returned = AccountStatus["returned"][number];

/** One entry an owner, however many of its machines came back: a person decides once for all of them. */
export function returnedByOwner(
  returned: readonly Returned[],
): readonly (Pick<Returned, "id" | "owner"> & { readonly text: string })[] {
  return [...Map.groupBy(returned, ({ owner }) => owner).values()].flatMap(([first, ...others]) => {
    if (!first) return [];
    const { id, owner, why } = first;
    const also = others.length > 0 ? `. So did ${andMore(others.map((other) => other.id))}` : "";
    return [{ id, owner, text: `${why}${also}` }];
  });
}
