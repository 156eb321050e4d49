import { sentence } from "../../launch/ends/failure-advice.ts";
import type { Context } from "../../launch/facts/context.ts";
import { note } from "../../launch/facts/events.ts";
import { contextOf, type Keeper } from "../../launch/keeper.ts";
import type { Draft } from "../../ledger/draft.ts";
import { elapsed, type Instant, MINUTE_MS } from "../../ledger/instant.ts";
import { accountDraft } from "../../ledger/read-draft.ts";
import type { AccountRow } from "../../ledger/rows.ts";
import { FleetkeeperError, isOfService } from "../../service/contract/errors.ts";
import { duration } from "../fleet/text/format.ts";
import { timeOfDay } from "../fleet/text/text.ts";
import type { Outage } from "../json/status.ts";

/** If lists were asked for, and none was believed for so long, people are told. */
const UNREADABLE_MS = 10 * MINUTE_MS;

/** Why no list is believed now, for people. */
export interface Failure {
  readonly message: string;
  /** The service refused the key. */
  readonly refused: boolean;
}

/** A list came that lacks too much at once to be believed, and no second one has agreed. */
export const DISTRUSTED: Failure = {
  message: "The lists that come lack too much at once to be believed.",
  refused: false,
};

export const NOT_BELIEVED =
  "The newest list lacks half of the machines at once. Until a second one agrees, those that it lacks are shown as before.";

/** Why what is known of the account is older than the newest look, for people. Null: it is not. */
export function whyDistrusted({ list, doubt, outage }: AccountRow): string | null {
  if (doubt) return NOT_BELIEVED;
  return outage?.reason ?? (list ? null : "No list has been read yet.");
}

/** True if the service cannot be read or refuses the key; false if something that was given is wrong. */
export function isOutage(error: unknown): error is FleetkeeperError {
  if (isOfService(error)) return true;
  return error instanceof FleetkeeperError && error.code === "CREDENTIAL" && error.status !== undefined;
}

export function failureOf({ code, message, status }: FleetkeeperError): Failure {
  return { message, refused: code === "CREDENTIAL" && (status === 401 || status === 403) };
}

/**
 * Stores the outcome of a look at the service; `failure` undefined: a list was believed. An outage is told
 * once when it has lasted long enough, and once when it is over; a restart does not end it.
 * @internal Exported for its test.
 */
export function storeOutage(draft: Draft, failure: Failure | undefined, context: Context): void {
  const before = draft.account.outage ?? undefined;
  if (before && (!failure || isOver(draft.account, before))) {
    draft.putAccount({ ...draft.account, outage: null });
    if (before.told) note(draft, context, "readable", overText(before, context));
  }
  if (!failure) return;
  const { now, settings } = context;
  const stored = draft.account.outage ?? { since: now, reason: failure.message };
  const refused = stored.refused ?? (failure.refused ? now : undefined);
  const outage = { ...stored, ...(refused ? { refused } : {}) };
  // A single answer that refuses the key may be a mistake of the service.
  const isRefused = failure.refused && refused && elapsed(refused, now) >= settings.gone;
  const kind = isRefused ? "refused" : elapsed(outage.since, now) >= UNREADABLE_MS ? "unreadable" : undefined;
  const isNews = kind !== undefined && kind !== outage.told && outage.told !== "refused";
  if (!isNews) {
    if (outage.refused !== stored.refused || !draft.account.outage)
      draft.putAccount({ ...draft.account, outage });
    return;
  }
  draft.putAccount({ ...draft.account, outage: { ...outage, reason: failure.message, told: kind } });
  const told = kind === "refused" ? "keyRefused" : kind;
  note(
    draft,
    context,
    told,
    begunText(kind, kind === "refused" && refused ? refused : outage.since, failure),
  );
}

/** Carries out `storeOutage`, without the ledger's lock where nothing is to be written: mostly. */
export async function writeOutage(keeper: Keeper, failure: Failure | undefined): Promise<void> {
  const { ledger, account } = keeper;
  // The usual case: nothing was wrong, and nothing is.
  if (!failure && !(await ledger.read(account)).account.outage) return;
  const draft = await accountDraft(keeper);
  storeOutage(draft, failure, contextOf(keeper));
  if (draft.changes.length > 0)
    await ledger.decide(account, (now) => storeOutage(now, failure, contextOf(keeper)));
}

/** The outage that people were told of, if it is not over. */
export function outageOf(account: AccountRow): Outage | undefined {
  const { outage } = account;
  if (!outage?.told || isOver(account, outage)) return undefined;
  return { kind: outage.told, since: outage.since.wall, reason: outage.reason };
}

/** Over once a list was believed, which another process may have taken. */
function isOver({ list }: AccountRow, { since }: NonNullable<AccountRow["outage"]>): boolean {
  return list !== null && isAfter(list, since);
}

function isAfter(one: Instant, other: Instant): boolean {
  return one.boot === other.boot ? one.mono > other.mono : one.wall > other.wall;
}

/** With the moment, so that the text is another one each time: two outages within an hour are both told. */
function begunText(kind: Outage["kind"], since: Instant, { message }: Failure): string {
  const what = kind === "refused" ? "the service refuses the key" : "no list of the service was believed";
  return `${what} since ${timeOfDay(since.wall)}: ${sentence(message)} Nothing new is launched or stopped meanwhile, and what is shown is old.`;
}

function overText({ since }: NonNullable<AccountRow["outage"]>, { now }: Context): string {
  return `the service is read again; it was not from ${timeOfDay(since.wall)} to ${timeOfDay(now.wall)} (${duration(elapsed(since, now))})`;
}
