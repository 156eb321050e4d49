import type { Draft } from "../../ledger/draft.ts";
import type { IntentRow } from "../../ledger/rows.ts";
import type { Combination } from "../../service/contract/contract.ts";
import { type Context, knowledgeOf } from "../facts/context.ts";
import { isLookedFor } from "./candidates.ts";
import { groupOf, overlap } from "./groups.ts";

/** The group that a launch would be in, by what is known of the profile now. */
export function groupNow(
  draft: Draft,
  launch: Combination & { readonly id: string },
  { wire }: Context,
): Group {
  const group = groupOf(launch, wire.abilities, knowledgeOf(draft, wire.profileHash));
  return { group, profile: wire.profileHash };
}

type Group = Pick<IntentRow, "group" | "profile">;

/** An open launch that a list might not tell from one of this group: that one would have to wait for it. */
export function openInGroup(draft: Draft, group: Group): IntentRow | undefined {
  return draft.intents.of("state", "open").find((other) => overlap(other, group));
}

/** One of them that is looked for, which takes minutes. One that is on its way is answered in a moment. */
export function lookedForInGroup(draft: Draft, group: Group, context: Context): IntentRow | undefined {
  return draft.intents
    .of("state", "open")
    .find((other) => overlap(other, group) && isLookedFor(other, context));
}
