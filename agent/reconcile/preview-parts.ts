import type { Draft } from "../../ledger/draft.ts";
import { USD } from "../../service/contract/money.ts";
import { forgetGiven, take, wholeOf } from "../fleet/phase/part.ts";
import { partsByWhole, type SeenPart } from "../fleet/phase/whole-parts.ts";
import { storeSize, wakePart } from "../fleet/size/whole-size.ts";
import { offeredBy } from "../planning/parts/offered.ts";
import { give } from "../planning/parts/part-held.ts";
import { choiceAmong, choose, nextOf } from "./move-portions.ts";
import type { PreviewInput } from "./preview.ts";

/** What is known of an account, and of what its service offers. */
export type KnownAccount = Pick<PreviewInput, "draft" | "inputs" | "believed" | "context">;

/**
 * As if all agents had come round: each part says what it could have, and what the whole lacks is chosen among them and
 * moved there, on drafts that are never stored. `unread`: accounts that could not be asked just now, as the ledger knows them.
 */
export function previewParts(
  looked: ReadonlyMap<string, PreviewInput>,
  unread: ReadonlyMap<string, Draft>,
): void {
  const drafts = new Map([...unread, ...[...looked].map(([key, { draft }]) => [key, draft] as const)]);
  for (const parts of partsByWhole(drafts).values()) choosePreviewed(drafts, parts, looked);
}

/** Chooses among the parts of one fleet. `drafts`: of all its accounts. Those that are not in `looked` are as the ledger knows them. */
export function previewWhole(
  name: string,
  drafts: ReadonlyMap<string, Draft>,
  looked: ReadonlyMap<string, KnownAccount>,
): void {
  choosePreviewed(drafts, partsByWhole(drafts).get(name) ?? [], looked);
}

function choosePreviewed(
  drafts: ReadonlyMap<string, Draft>,
  before: readonly SeenPart[],
  looked: ReadonlyMap<string, KnownAccount>,
): void {
  const [first] = before;
  const [context] = [...looked.values()].map((each) => each.context);
  if (!first || !context || first.fleet.name !== first.part.of) return;
  const draftOf = new Map(before.map(({ draft, fleet }) => [fleet.name, draft]));
  const deliver = (from: string): void => {
    for (const grant of draftOf.get(from)?.fleets.get(from)?.part?.given ?? []) {
      const taker = draftOf.get(grant.to);
      if (!taker) continue;
      take(taker, from, grant);
      const giver = draftOf.get(from);
      if (giver) forgetGiven(giver, from, grant.to, grant.sequence);
    }
  };
  for (const { fleet } of before) deliver(fleet.name);
  const now = (): readonly SeenPart[] => partsByWhole(drafts).get(first.part.of) ?? [];
  storeSize(first.draft, first.fleet.name, context);
  const sized = now()[0] ?? first;
  const fell = Math.max(0, wholeOf(first.part).gpus - wholeOf(sized.part).gpus);
  for (const { draft, fleet } of now()) wakePart(draft, fleet.name, sized.part, context);
  const chosen = () => choiceAmong(now()[0] ?? first, now(), context, fell);
  const { short } = chosen();
  for (const { account, draft, fleet, part } of now()) {
    const from = looked.get(account);
    if (!from) continue;
    const lacking = { ...part, ...(short > 0 ? { short } : {}) };
    const nothing = { at: context.now.wall, costs: [], sizes: [] };
    const offered = from.believed
      ? offeredBy(draft, { ...fleet, part: lacking }, from.inputs, from.context)
      : nothing;
    draft.putFleet({ ...fleet, part: { ...lacking, offered } });
  }
  if (new Set(now().map(({ draft }) => draft.account.currency ?? USD)).size > 1) return;
  const { moves, extra, ahead, keeps } = chosen();
  for (const { from, to, amount, evenHeld } of moves) {
    const giver = draftOf.get(from);
    if (giver && give(giver, from, { to, amount }, context, evenHeld)) deliver(from);
  }
  for (const { draft, fleet, part } of now()) {
    const at = extra.has(fleet.name) ? context.now.wall : undefined;
    choose(draft, fleet.name, nextOf(fleet, part, { ahead, keeps }), at);
  }
}
