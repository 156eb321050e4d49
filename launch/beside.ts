import type { Draft } from "../ledger/draft.ts";
import type { IntentRow } from "../ledger/rows.ts";
import type { Combination } from "../service/contract.ts";
import { inState } from "./candidates.ts";
import type { Context } from "./context.ts";
import { knowledgeOf } from "./context.ts";
import { groupOf, overlap } from "./groups.ts";

/** The group that a launch would be in, by what is known of the profile now. */
export function groupNow(
  draft: Draft,
  launch: Combination & { readonly id: string },
  { wire }: Context,
): Pick<IntentRow, "group" | "profile"> {
  const group = groupOf(launch, wire.abilities, knowledgeOf(draft, wire.profileHash));
  return { group, profile: wire.profileHash };
}

/** An open launch that a list might not tell from one of this group: that one would have to wait for it. */
export function openBeside(draft: Draft, group: Pick<IntentRow, "group" | "profile">): IntentRow | undefined {
  return inState(draft, "open").find((other) => overlap(other, group));
}
