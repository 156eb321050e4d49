import type { Draft } from "../../ledger/draft.ts";
import { type Instant, isLater } from "../../ledger/instant.ts";
import type { AccountRow, DeploymentRow, IntentRow } from "../../ledger/rows.ts";
import type { Combination } from "../../service/contract/contract.ts";
import { UNREADABLE, type Unread } from "../../service/contract/unread.ts";
import { isMarked } from "../claim/groups.ts";
import { groupNow } from "../claim/open-in-group.ts";
import type { Context } from "../facts/context.ts";
import { note } from "../facts/events.ts";
import { type Hold, hold, holdText } from "../facts/hold.ts";
import { newMachineRow } from "./new-machine.ts";
import { haveSameFacts, isAsNew } from "./store-observation.ts";

/*
 * Records of a list that nobody can read. They make no machine less. One with a readable id was seen, and
 * stays as it was shown last. One without may be any machine: until a person disowns it, no machine counts as
 * gone, no launch that may have made it as absent, and no fleet is born beside it.
 */

/** Records a machine of which only the id can be read. A new one is nobody's, and may be an open launch's. */
export function sightUnread(
  draft: Draft,
  { id, unread, contradicts }: Unread & { readonly id: string },
  begun: Instant,
  context: Context,
): void {
  const before = draft.deployments.ever(id);
  if (before?.lastSeen && !isAsNew(begun, before.lastSeen)) return;
  const fresh = before ?? { ...newMachineRow(draft, id, context), status: UNREADABLE };
  const row = {
    ...fresh,
    lastSeen: begun,
    missing: null,
    // It was gone because lists lacked it. Now it is there.
    ...(fresh.end === "gone" ? { end: null, ended: null } : {}),
    flaw: { why: unread, setAside: true, ...(contradicts && { contradicts }) },
  };
  if (!haveSameFacts(before, row)) draft.putDeployment(row);
}

/** Remembers how many records of this list have no readable id, and why the first has none. */
export function countNameless(draft: Draft, unread: readonly Unread[], begun: Instant): void {
  const { list, nameless } = draft.account;
  if (list && !isLater(begun, list)) return;
  const count = unread.length;
  const [first] = unread;
  const next = first && {
    count,
    // The count fell below what a person disowned: the next record is not one of those.
    disowned: Math.min(nameless?.disowned ?? 0, count),
    why: `${first.where}: ${first.unread}`,
  };
  if (JSON.stringify(next) === JSON.stringify(nameless)) return;
  const { nameless: _before, ...account } = draft.account;
  draft.putAccount({ ...account, ...(next ? { nameless: next } : {}) });
  for (const intent of [...draft.intents.of("state", "open")])
    if ((intent.nameless ?? 0) > count) draft.putIntent({ ...intent, nameless: count });
}

/** The machines that live or may live and cannot be read in full, and what that means. For people. */
export function badRecordsOf(
  draft: Draft,
): readonly { readonly id: string; readonly owner: DeploymentRow["owner"]; readonly text: string }[] {
  return [...draft.deployments.of("flaw", "some")].flatMap(({ id, owner, claim, flaw }) => {
    if (flaw === undefined || claim === "foreign") return [];
    const means = flaw.setAside
      ? "its record cannot be read, and it counts as it was shown last"
      : "not all of its record can be read, and the rest counts";
    return [{ id, owner, text: `${means}: ${flaw.why}` }];
  });
}

/** Records without an id that nobody has disowned. */
export function namelessLeft({ nameless }: AccountRow): number {
  return nameless ? nameless.count - nameless.disowned : 0;
}

/** True if one of them came after this launch, and may be its machine. */
export function mayBeNameless({ nameless }: AccountRow, intent: IntentRow): boolean {
  return nameless !== undefined && nameless.count > Math.max(nameless.disowned, intent.nameless ?? 0);
}

/** What they are and what to do about them, for people. Undefined: there are none. */
export function namelessText(account: AccountRow): string | undefined {
  const nameless = namelessOf(account);
  return nameless && holdText(nameless);
}

function namelessOf(account: AccountRow): Hold | undefined {
  const left = namelessLeft(account);
  const many = left === 1 ? "1 record of the list has" : `${left} records of the list have`;
  return left === 0 ? undefined : hold("nameless", { many, why: account.nameless?.why ?? "" });
}

/**
 * Why a list with such records is no baseline for this launch; undefined if it is. Readable one day, a record
 * would look like its machine. With a marker only its own does; on an exclusive account each is ours.
 */
export function whyNoBaseline(
  draft: Draft,
  launch: Combination & { readonly id: string },
  context: Context,
): Hold | undefined {
  const { account } = draft;
  if (account.tenure === "exclusive" || isMarked(groupNow(draft, launch, context).group)) return undefined;
  return namelessOf(account);
}

/** A person has looked: the newest list's records without an id are not ours. Returns their number. */
export function disownNameless(draft: Draft, context: Context): number {
  const { nameless } = draft.account;
  const left = namelessLeft(draft.account);
  if (!nameless || left === 0) return 0;
  draft.putAccount({ ...draft.account, nameless: { ...nameless, disowned: nameless.count } });
  const many = left === 1 ? "1 record" : `${left} records`;
  note(draft, context, "disowned", `${many} of the list without an id that can be read: disowned`);
  return left;
}
