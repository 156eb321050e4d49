import type { Draft } from "../../ledger/draft.ts";
import { elapsed, HOUR_MS, type Instant, isBefore } from "../../ledger/instant.ts";
import type { CooldownRow, IntentRow } from "../../ledger/rows.ts";
import { type Combination, combinationKey } from "../../service/contract/contract.ts";
import type { Context } from "./context.ts";
import { type Hold, hold } from "./hold.ts";

/** The first pause after a cooldown. It doubles with each further one, up to one poll interval. */
const FIRST_PAUSE_MS = 1_000;

/** A service's clock or digit may be wrong: a `Retry-After` must not block a combination for years. */
export const LONGEST_WAIT_MS = 4 * HOUR_MS;

/** How long a `Retry-After` is believed, in ms. */
export function believedWait(seconds: number): number {
  return Math.min(seconds * 1000, LONGEST_WAIT_MS);
}

/** How long this combination still cools, in ms: at most its `Retry-After`, as far as that is believed. */
export function coolingFor(cooldown: CooldownRow | undefined, context: Context): number {
  return cooldown ? Math.max(0, believedWait(cooldown.seconds) - elapsed(cooldown.since, context.now)) : 0;
}

/** True if an operator said since then that launches go on. */
export function isForgiven({ account }: Draft, since: Instant, now: Instant): boolean {
  return account.forgiven !== undefined && isBefore(since, account.forgiven, now);
}

/** True if it was refused because its combination cools. A row of an older version does not say so. */
export function wasCooled({ state, refusal }: IntentRow): boolean {
  return state === "rejected" && (refusal?.kind === "cooling" || refusal?.kind === "soldOut");
}

/**
 * What is left, in ms, of the pause after cooldowns in a row, whoever launched. A service may say "retry
 * after 0 seconds", or name a date that has passed. Without a pause it would be asked as fast as it answers,
 * and each answer leaves rows in the ledger.
 */
export function pauseAfterCooldowns(draft: Draft, combination: Combination, context: Context): number {
  let times = 0;
  let newest: IntentRow["resolved"] = null;
  for (const intent of draft.intents.newest("combination", combinationKey(combination))) {
    if (intent.state === "open" || intent.state === "notSent") continue;
    if (!wasCooled(intent)) break;
    if (times === 0) newest = intent.resolved;
    times += 1;
  }
  if (newest === null) return 0;
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** (times - 1), context.settings.poll);
  return Math.max(0, pause - elapsed(newest, context.now));
}

/**
 * Why this launch waits after the account's newest one, where the profile says how far apart they must be. What other
 * processes sent counts: it stands in the ledger.
 */
export function whyPaced(draft: Draft, { now, wire }: Context): Hold | undefined {
  const { launchEvery = 0 } = wire.abilities;
  const last = launchEvery > 0 && [...draft.intents.values()].findLast(({ state }) => state !== "notSent");
  const ms = last ? launchEvery - elapsed(last.stamped, now) : 0;
  return ms > 0 ? hold("paced", { every: launchEvery / 1000 }, now.wall + ms) : undefined;
}

/**
 * What is left, in ms, of the wait that the newest "too many requests" asked for. It is the account's: nobody
 * launches anything before it is over.
 */
export function whyTooMany(draft: Draft, { now, settings }: Context): Hold | undefined {
  const last = [...draft.intents.of("refusal", "tooMany")].findLast(
    ({ retryAfter }) => retryAfter !== undefined,
  );
  if (!last?.resolved || isForgiven(draft, last.resolved, now)) return undefined;
  const { retryAfter: seconds = 0 } = last;
  // "Retry after 0 seconds", again and again, would be a storm.
  const asked = seconds < 1 ? settings.poll : believedWait(seconds);
  const ms = asked - elapsed(last.resolved, now);
  return ms > 0 ? hold("tooMany", { detail: last.detail }, now.wall + ms) : undefined;
}
