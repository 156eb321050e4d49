import type { Draft } from "../../ledger/draft.ts";
import { elapsed, HOUR_MS, type Instant, isBefore } from "../../ledger/instant.ts";
import { ownerParts } from "../../ledger/owner.ts";
import type { AccountRow, DeploymentRow, Owner } from "../../ledger/rows.ts";
import type { Context } from "../facts/context.ts";
import { note } from "../facts/events.ts";
import { type Hold, hold } from "../facts/hold.ts";
import { livingOf, unresolvedOf } from "../facts/occupancy.ts";
import { neverShownFor } from "./never-shown.ts";

/*
 * Machines that vanish together (rule 9 of docs/how/protocol.md). The service filters nothing and keeps what ended,
 * so most of an owner's or of the account's machines without an end are the service's mistake, and bill. One counts as
 * gone: the machine in its place is the probe of whether the service is itself. The others stay as they were shown.
 */

/** What vanished so shortly before another machine belongs to it; an hour more if that is how long it was looked for. */
const SPELL_MS = HOUR_MS;
/** So long must a new machine be listed beside them before they are believed to be gone. */
const LISTED_MS = HOUR_MS;

type Lost = DeploymentRow & { readonly missing: NonNullable<DeploymentRow["missing"]> };

/** What vanished without an end: half of an owner's or of the account's (`whole`), and at least two. */
export function crowdOf(draft: Draft, context: Context): { rows: readonly Lost[]; whole: boolean } {
  const { now } = context;
  const lost = lostIn(draft, context);
  if (!context.wire.abilities.endedUnlisted) return crowdIn(draft, lost, now);
  // An end looks like an absence there, and ends come one by one. What one list lacks for the first time is a crowd, and
  // so is what lists lack one after the other within an hour, once it is more than that hour may cost.
  const lists = Map.groupBy(lost, ({ missing: { since } }) => `${since.boot} ${since.mono}`);
  const crowds = [...lists.values()].map((each) => crowdIn(draft, each, now));
  crowds.push(crowdIn(draft, lost, now, isBeyondAnHour));
  const rows = [...new Set(crowds.flatMap((each) => each.rows))];
  // Where others are hidden, so may be what was launched since.
  const unshown = rows.length === 0 ? [] : lost.filter((row) => row.lastSeen === null && !rows.includes(row));
  return { rows: [...rows, ...unshown], whole: crowds.some(({ whole }) => whole) };
}

type Most = (gone: readonly Lost[], there: readonly DeploymentRow[]) => boolean;

const isHalf: Most = (gone, there) => gone.length >= 2 && gone.length >= there.length;

/** An hour may cost two machines of an owner or of the account, or half of them: each may run on and bill, and is rented anew. */
const isBeyondAnHour: Most = (gone, there) => gone.length > 2 && gone.length > there.length;

function crowdIn(
  draft: Draft,
  lost: readonly Lost[],
  now: Instant,
  isMost = isHalf,
): { rows: readonly Lost[]; whole: boolean } {
  if (lost.length < 2) return { rows: [], whole: false };
  const others = [...draft.deployments.of("life", "living")].filter(
    (row) => isWanted(row) && row.missing === null && row.lastSeen !== null && !isNewcomer(row, lost, now),
  );
  if (isMost(lost, others)) return { rows: lost, whole: true };
  const there = Map.groupBy(others, householdOf);
  const rows = [...Map.groupBy(lost, householdOf)].flatMap(([who, gone]) =>
    who !== null && isMost(gone, there.get(who) ?? []) ? gone : [],
  );
  return { rows, whole: false };
}

/** Living ones that lists lack, and what was believed gone shortly before. Nobody has settled either. */
function lostIn(draft: Draft, context: Context): readonly Lost[] {
  const { now } = context;
  const { settled } = draft.account.vanished ?? {};
  const isLost = (row: DeploymentRow): row is Lost =>
    row.missing !== null && isWanted(row) && (!settled || isBefore(settled, row.missing.since, now));
  const living = [...draft.deployments.of("presence", "doubted")].filter(isLost);
  if (living.length === 0) return [];
  const gone = [...draft.deployments.of("life", "over")]
    .filter((row): row is Lost => row.end === "gone" && isLost(row))
    .filter(({ missing, lastSeen }) => {
      const spell = SPELL_MS + (lastSeen === null ? neverShownFor(context) : 0);
      return living.some((each) => elapsed(missing.since, each.missing.since) < spell);
    });
  return [...living, ...gone];
}

/** What is being stopped may leave the list: some services keep no record of it. */
function isWanted({ claim, stop, status }: DeploymentRow): boolean {
  return claim !== "foreign" && stop === null && status !== "stopping";
}

/** It came after the first of them had vanished: it says nothing of the others. */
function isNewcomer({ claimed }: DeploymentRow, lost: readonly Lost[], now: Instant): boolean {
  return claimed !== null && lost.some(({ missing }) => isBefore(missing.since, claimed, now));
}

/** Slots have one machine each, so all slots are judged together. */
export function householdOf({ owner }: DeploymentRow): string | null {
  return owner !== null && ownerParts(owner).kind === "slot" ? "slots" : owner;
}

/** True if it vanished with others of which one counts as gone already. It stays as it was, and people are told. */
export function isHeldBack(
  draft: Draft,
  { id }: DeploymentRow,
  context: Context,
  crowd: readonly DeploymentRow[] = crowdOf(draft, context).rows,
): boolean {
  if (!crowd.some((row) => row.id === id)) return false;
  const rows = crowd.flatMap((row) => draft.deployments.get(row.id) ?? []);
  if (!rows.some(({ end }) => end === "gone")) return false;
  const { vanished } = draft.account;
  if (vanished?.why) return true;
  const living = rows.filter(({ end }) => end === null).map((row) => row.id);
  const replaced = rows.length - living.length;
  const many = living.length === 1 ? "1 more machine" : `${living.length} more machines`;
  const text =
    `${many} vanished without an end (${living.join(", ")}), ${context.wire.abilities.endedUnlisted ? "half of what was there at once, or more than half within an hour" : "though the service says that it filters nothing and keeps what ended"}. ` +
    `They may run and bill, so they count on, and only ${replaced === 1 ? "one was" : `${replaced} were`} replaced, to see whether the service is itself. Look in the service's ` +
    "dashboard. If they are gone: fleetkeeper resume";
  draft.putAccount({ ...draft.account, vanished: { ...vanished, why: text } });
  note(draft, context, "halted", text);
  return true;
}

/** Why this owner gets no other machine in the place of what vanished: one is the probe, however small it is. */
export function whyVanishedHolds(draft: Draft, owner: Owner, context: Context): Hold | undefined {
  if (!draft.account.vanished?.why) return undefined;
  const lost = crowdOf(draft, context).rows.filter((row) => row.owner === owner && row.end === "gone");
  if (lost.length === 0) return undefined;
  const probe = livingOf(draft, owner).find((row) => isNewcomer(row, lost, context.now));
  if (!probe && unresolvedOf(draft, owner).length === 0) return undefined;
  return hold("vanished", { probe: probe ? `${probe.id} was` : "a machine is being" });
}

/** What a list says of machines that are held back, before it is asked what else it lacks. */
export function followVanished(draft: Draft, begun: Instant, context: Context): void {
  const { vanished } = draft.account;
  if (!vanished?.why) return;
  const { rows } = crowdOf(draft, context);
  const living = rows.filter(({ end }) => end === null);
  if (living.length === 0) {
    // The service is itself again. What it still does not show is asked for as if it had vanished just now.
    for (const row of [...draft.deployments.of("presence", "doubted")])
      if (row.missing) draft.putDeployment({ ...row, missing: { since: begun, lists: 1, notFound: false } });
    settle(draft, vanished.settled);
    note(draft, context, "resumed", "what had vanished is shown again, or has ended");
    return;
  }
  const fresh = [...draft.deployments.of("life", "living")].find(
    (row) =>
      row.owner !== null &&
      row.missing === null &&
      row.lastSeen !== null &&
      isNewcomer(row, rows, context.now),
  );
  const { listed, ...before } = vanished;
  if (!fresh) {
    if (listed) draft.putAccount({ ...draft.account, vanished: before });
  } else if (!listed) {
    const why =
      `${fresh.id}, which is new, is listed, and ${living.map(({ id }) => id).join(", ")} ${living.length === 1 ? "is" : "are"} still missing without an end. ` +
      "They count on for an hour of such lists, and are replaced then. If they are gone: fleetkeeper resume";
    draft.putAccount({ ...draft.account, vanished: { ...vanished, listed: begun, why } });
    note(draft, context, "halted", why);
  } else if (elapsed(listed, begun) >= LISTED_MS) {
    settle(draft, begun);
    note(draft, context, "resumed", `${fresh.id} was listed for an hour beside what is missing: it is gone`);
  }
}

/** A person has looked: what vanished is gone. False: nothing was held back. */
export function settleVanished(draft: Draft, context: Context): boolean {
  if (!draft.account.vanished?.why) return false;
  settle(draft, context.now);
  note(draft, context, "resumed", "what vanished is gone: an operator looked");
  return true;
}

function settle(draft: Draft, settled: Instant | undefined): void {
  const { vanished: _before, ...account } = draft.account;
  draft.putAccount({ ...account, ...(settled ? { vanished: { settled } } : {}) } satisfies AccountRow);
}
