import type { Draft } from "../../ledger/draft.ts";
import { age, elapsed, HOUR_MS, type Instant } from "../../ledger/instant.ts";
import type { AccountRow } from "../../ledger/rows.ts";
import { durationOf } from "../../service/text/duration.ts";
import type { Context, ProtocolSettings } from "../facts/context.ts";
import { note } from "../facts/events.ts";
import { type Hold, hold } from "../facts/hold.ts";
import { PROTOCOL_ENVIRONMENT } from "../facts/settings-environment.ts";

/** Why the newest full list is no baseline for a launch; undefined if it is one. */
export function whyStale({ list }: AccountRow, { now, settings }: Context): Hold | undefined {
  const old = list ? age(list, now) : Number.POSITIVE_INFINITY;
  if (old <= settings.poll) return undefined;
  const numbers = { poll: Math.ceil(settings.poll / 1000), slow: "" };
  if (!list) return hold("unlisted", numbers);
  return hold("stale", {
    ...numbers,
    ago: Number.isFinite(old) ? `${seconds(old)} ago` : "before this machine started",
  });
}

/**
 * What to do if a list takes so long that it is too old for a launch when it ends. Without this nothing would
 * be launched, and nobody would know why. Undefined: the list was quick enough.
 */
export function slowList(took: number, { poll }: ProtocolSettings): string | undefined {
  return took <= poll ? undefined : `the list itself took ${seconds(took)}: ${advice(took)}`;
}

/**
 * Writes down that a list is under way for longer than one poll interval: one that trickles may take minutes,
 * and nobody would know why nothing is decided. Told when it begins, at most once an hour.
 */
export function storeSlowList(draft: Draft, begun: Instant, context: Context): void {
  const { slow } = draft.account;
  if (slow?.since) return;
  const isNews = !slow || elapsed(slow.told, context.now) >= HOUR_MS;
  draft.putAccount({ ...draft.account, slow: { since: begun, told: isNews ? context.now : slow.told } });
  if (isNews) note(draft, context, "slowList", slowListText(context.settings));
}

/** Writes down that a list came within one poll interval. */
export function storeQuickList(draft: Draft): void {
  const { slow } = draft.account;
  if (slow?.since) draft.putAccount({ ...draft.account, slow: { ...slow, since: null } });
}

/** Why nothing is decided while such a list is under way, and what to do. For people. */
export function slowListText({ poll }: ProtocolSettings): string {
  return (
    `a list of the service takes longer than ${seconds(poll)} (one poll interval): nothing new is decided before it ends, and then it ` +
    `is too old for a launch. If lists go on like that: ${advice(2 * poll)}`
  );
}

function advice(took: number): string {
  const longer = durationOf(2 * Math.ceil(took / 1000) * 1000);
  return (
    "let the profile ask for larger pages or more often (pagination, limits.requestsPerSecond), or poll more rarely, such as " +
    `${PROTOCOL_ENVIRONMENT}='{"poll": "${longer}"}'`
  );
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
