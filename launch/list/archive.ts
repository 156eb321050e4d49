import type { Draft } from "../../ledger/draft.ts";
import { DAY_MS, elapsed, isBefore } from "../../ledger/instant.ts";
import { ownerParts } from "../../ledger/owner.ts";
import type { Archived, DeploymentRow, IntentRow } from "../../ledger/rows.ts";
import { unsound } from "../../ledger/unsound.ts";
import { combinationKey } from "../../service/contract/contract.ts";
import { ZERO_USD } from "../../service/contract/money.ts";
import { isUnread } from "../../service/contract/unread.ts";
import { explainsLate } from "../claim/candidates.ts";
import { madeAllTheSame } from "../claim/refused.ts";
import { isFailedLaunch } from "../ends/failed-launch.ts";
import { stayOf } from "../ends/stay.ts";
import type { Context } from "../facts/context.ts";
import { labelled, labelsOf } from "../facts/labels.ts";
import { digestOf } from "../machine/archived-record.ts";
import { isJudged } from "../machine/unchanged.ts";
import { isDoubtedByBalance } from "../money/price.ts";
import { isOutOfBalance } from "../money/price-balance.ts";
import { billOf, costOf, unpricedOf } from "../money/spend.ts";
import type { FullList } from "./full-list.ts";

/*
 * An account only grows: its list shows every machine that ever was. A machine that ended long ago, and that
 * no rule would treat otherwise if it were not there, is archived with its launch. Nothing goes through it any
 * more, so a decision costs what lives and what ended lately. Its id stays known: a list that shows it shows
 * nothing new, and whatever changes of it after all brings it back first.
 */

/** So many go at a time, so that no transaction is long. */
const AT_ONCE = 500;

/** Archives what may go there, after this list was written down. */
export function archiveEnded(draft: Draft, { deployments: items }: FullList, context: Context): void {
  const { settings } = context;
  const ended = [...draft.deployments.of("life", "over")];
  const counts = new Map<DeploymentRow["owner"], number>();
  for (const { owner } of ended) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  // Most that stay do so for their own reasons: then no other row is looked at.
  let named: Named | undefined;
  const going: DeploymentRow[] = [];
  for (const row of ended) {
    const { owner } = row;
    const count = counts.get(owner) ?? 0;
    if ((owner !== null && count <= settings.archiveKept) || !isOverForGood(row, context)) continue;
    if (!isAccountedFor(draft, row, context)) continue;
    named ??= namedBy(draft, context);
    if (!isAlone(row, named)) continue;
    going.push(row);
    counts.set(owner, count - 1);
    if (going.length === AT_ONCE) break;
  }
  if (going.length === 0) return;
  const shown = byId(items);
  const archived = going.map((row) => archivedOf(draft, row, shown.get(row.id), context));
  for (const [index, row] of going.entries()) draft.archiveMachine(row, archived[index] as Archived);
}

type Item = FullList["deployments"][number];

function byId(items: readonly Item[]): ReadonlyMap<string, Item> {
  return new Map(items.flatMap((each) => (each.id === undefined ? [] : [[each.id, each]])));
}

/** What the machine's own row says. */
function isOverForGood(row: DeploymentRow, { now, settings }: Context): boolean {
  const { end, ended, claim, stop, stopReason } = row;
  if (end === null || ended === null || elapsed(ended, now) < settings.archive) return false;
  // A person must still decide, or a list may still show it otherwise.
  if (claim === "disputed" || row.returned || row.flaw || row.reused) return false;
  // Only its state made it an end, and that state may turn out to be none: see ends/unnamed-state.ts.
  return end !== "stopped" || stop?.accepted === true || row.stoppingSeen === true || stopReason !== null;
}

/** True if its launch failed for good, or may have: it blocks its combination. See agent/planning/choices/launch-backoff.ts. */
function mayBlock(row: DeploymentRow, intent: IntentRow | undefined, { wire }: Context): boolean {
  if (!isFailedLaunch(row) || row.failureCode === null) return false;
  return intent?.profile !== wire.profileHash || wire.isRetryable?.(row.failureCode) === false;
}

/** What the account's launches say of machines. */
interface Named {
  /** By id: the launches that name it as their machine, as their answer, or as reported for them. */
  readonly ids: ReadonlyMap<string, number>;
  /** By launch: the machines that it made, or may have. */
  readonly made: ReadonlyMap<string, number>;
  /** Nobody's machine with a higher sequence number may still be what a launch made. */
  readonly baseline: number;
  /**
   * By owner: the sequence number of the newest machine that was ready once. How many in a row never were is
   * counted from there on: see agent/planning/machines/readiness.ts.
   */
  readonly ready: ReadonlyMap<string, number>;
}

function namedBy(draft: Draft, context: Context): Named {
  const ids = new Map<string, number>();
  let baseline = Number.POSITIVE_INFINITY;
  const name = (id: string | null | undefined): void => {
    if (id) ids.set(id, (ids.get(id) ?? 0) + 1);
  };
  for (const intent of draft.intents.values()) {
    const { deployment, answer, reported } = intent;
    name(deployment);
    for (const id of [answer?.id, answer?.unshown, reported]) if (id !== deployment) name(id);
    if (mayExplain(intent, context)) baseline = Math.min(baseline, intent.baseline);
  }
  for (const { halted } of Object.values(draft.account.profiles))
    if (halted?.id) ids.set(halted.id, Number.POSITIVE_INFINITY);
  const made = new Map<string, number>();
  const ready = new Map<string, number>();
  for (const row of draft.deployments.values()) {
    if (row.intent !== null) made.set(row.intent, (made.get(row.intent) ?? 0) + 1);
    if (row.ready?.ever && row.owner !== null)
      ready.set(row.owner, Math.max(row.sequence, ready.get(row.owner) ?? 0));
  }
  return { ids, made, baseline, ready };
}

/** True if this launch may still take a machine that is nobody's. */
function mayExplain(intent: IntentRow, context: Context): boolean {
  const { state, resolved } = intent;
  if (state === "open" || state === "disputed") return true;
  if (state === "absent") return explainsLate(intent, context);
  return state === "claimed" && resolved !== null && elapsed(resolved, context.now) < context.settings.settle;
}

/** What its launch, its owner and its price say. */
function isAccountedFor(draft: Draft, row: DeploymentRow, context: Context): boolean {
  const { owner } = row;
  const intent = row.intent === null ? undefined : draft.intents.ever(row.intent);
  if (row.intent !== null && !(intent && isResolved(draft, intent, row, context))) return false;
  if (intent && madeAllTheSame(draft, intent, context)) return false;
  // What it cost may be in what another launch seems to have cost.
  if (row.ended !== null && !isOutOfBalance(draft, row.ended, context)) return false;
  if (owner === null) return true;
  if (mayBlock(row, intent, context) || (intent && isDoubtedByBalance(draft, intent))) return false;
  const { kind, name } = ownerParts(owner);
  // Its hours are asked of its row.
  const work = kind === "fleet" ? draft.fleets.get(name)?.work : undefined;
  if (work && row.ended !== null && !isBefore(row.ended, work.since, context.now)) return false;
  if (kind === "slot" && draft.slots.get(name)?.closing === false) return false;
  // What it cost each day is kept. Limits on churn count the single machines of a day.
  return unpricedOf([billOf(draft, row, context)]).length === 0;
}

/** True if nothing else in the account says something of the machine. */
function isAlone({ id, intent, claim, owner, ready, sequence }: DeploymentRow, named: Named): boolean {
  if ((named.ids.get(id) ?? 0) > (intent === null ? 0 : 1)) return false;
  if (intent !== null && (named.made.get(intent) ?? 0) > 1) return false;
  if (claim === null) return sequence <= named.baseline;
  return (
    !ready || owner === null || ownerParts(owner).kind === "slot" || sequence < (named.ready.get(owner) ?? 0)
  );
}

/** True if its launch made this machine, long ago. */
function isResolved(
  draft: Draft,
  intent: IntentRow,
  row: DeploymentRow,
  { now, settings }: Context,
): boolean {
  const { deployment, resolved } = intent;
  if (deployment !== row.id || resolved === null || isNewest(draft, intent)) return false;
  const { balance } = draft.account;
  // The balance may not show yet what it took: see money/budget.ts.
  const isPaid = balance === null || elapsed(resolved, balance.begun) >= settings.settle;
  return isPaid && elapsed(resolved, now) >= settings.archive;
}

/** True if it is the newest launch of its combination that is resolved: it says if the next one is a trial. */
function isNewest(draft: Draft, intent: IntentRow): boolean {
  for (const { id, state } of draft.intents.newest("combination", combinationKey(intent)))
    if (state !== "open") return id === intent.id;
  return false;
}

function archivedOf(draft: Draft, row: DeploymentRow, shown: Item | undefined, context: Context): Archived {
  const { owner, end } = row;
  const isKnown = shown !== undefined && !isUnread(shown) && isJudged(draft, row, shown, context);
  const record = isKnown ? digestOf(shown, context) : null;
  if (owner === null) return { owner, record, spent: {} };
  const code = (end === "failed" ? row.failureCode : row.stopReason) ?? "";
  const stay = stayOf(draft, row, context.now);
  return {
    owner,
    record,
    spent: spentOn(draft, row, context),
    ...labelled(labelsOf(draft, row)),
    ...(end === null || end === "stopped" ? {} : { loss: { kind: end, code } }),
    ...(stay && { stay }),
  };
}

/** USD by the day of UTC. An hour counts on the day on which it begins. Days beside each other add up to the whole: see `costOf`. */
function spentOn(draft: Draft, row: DeploymentRow, context: Context): Record<string, string> {
  const bill = billOf(draft, row, context);
  const spent: Record<string, string> = {};
  const last = Math.floor((bill.from + bill.lasted) / DAY_MS);
  for (let day = Math.floor(bill.from / DAY_MS); day <= last; day++) {
    const usd = costOf(bill, day * DAY_MS, (day + 1) * DAY_MS);
    if (!usd.eq(0)) spent[day] = usd.toFixed();
  }
  const [sum, all] = [Object.values(spent).reduce((total, usd) => total.plus(usd), ZERO_USD), costOf(bill)];
  if (!sum.eq(all))
    unsound("archive", `${row.id} would be archived with a cost of ${sum}, and it cost ${all}`);
  return spent;
}
