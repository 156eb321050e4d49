import { launchedWith } from "../../../launch/admit/parameters.ts";
import { wentBadly } from "../../../launch/admit/trial-launch.ts";
import { whyRefusalsHold } from "../../../launch/claim/refused.ts";
import { isFailedLaunch } from "../../../launch/ends/failed-launch.ts";
import type { Context } from "../../../launch/facts/context.ts";
import { believedWait, isForgiven, LONGEST_WAIT_MS } from "../../../launch/facts/cooling.ts";
import { type Hold, hold } from "../../../launch/facts/hold.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { ago, elapsed, type Instant, isBefore, MINUTE_MS } from "../../../ledger/instant.ts";
import type { DeploymentRow, FleetRow, IntentRow, Owner } from "../../../ledger/rows.ts";
import { type Combination, combinationKey, combinationText } from "../../../service/contract/contract.ts";
import type { Wish } from "../../fleet/wish/wish.ts";
import type { Option } from "../mix/mix.ts";
import { type LaunchOutcome, outcomeOf } from "./launch-outcome.ts";

/** The first wait after a launch that failed; doubles with each failure in a row. */
const BACKOFF_MS = 30_000;
/** The first wait after a launch that was not sent: that costs nothing, and says nothing about a combination. */
export const UNSENT_BACKOFF_MS = 5_000;
/** The longest wait where nothing was sent: a network that is back is used again soon. */
const LONGEST_UNSENT_BACKOFF_MS = MINUTE_MS;
const LONGEST_BACKOFF_MS = 15 * MINUTE_MS;
/**
 * How far back failures count: longer than the waits take to grow to the longest one, or they would shrink,
 * and as long as a `Retry-After` is believed. launch/admit/spent-refusals.ts keeps what is read here.
 */
const MEMORY_MS = LONGEST_WAIT_MS;
/** After failures in so many combinations the cause is the key, the balance or the launch body. */
const BREAKER_AT = 3;
/** After so many launches of one combination in a row without an answer, the combination is the cause. */
const LOST_IN_A_ROW = 2;
/** After so many cooldowns of one combination in a row, a short `Retry-After` is not believed any more. */
const COOLED_IN_A_ROW = 3;
/** Failures that are not further apart belong to one round of launches. */
const ROUND_MS = 1_000;
/** Where nothing was refused yet, so many may be together. */
const FIRST_REFUSALS = 8;
/** One refusal in so many launches at most. */
const LAUNCHES_A_REFUSAL = 10;
/** What was granted longer ago says nothing of the room that there is now. */
const GRANTED_MS = 5 * MINUTE_MS;
/** Refusals of so many combinations in a row and one poll, cooldowns among them, make all wait for one poll. */
const STORM_AT = 8;

interface Wait {
  readonly ms: number;
  /** Completes "... for 12 s more". */
  readonly why: string;
}

/** What went wrong lately, asked before anything is tried again. */
export interface LaunchBackoff {
  /** The wait that the failures of this combination ask for. */
  waitFor(combination: Combination): Wait | undefined;
  /** A failure that the profile calls permanent; none from before a change or resume of the fleet. */
  blockOf(combination: Combination): Hold | undefined;
  /** What holds all combinations, where failures are not the fault of one. */
  waitForAll(): Hold | undefined;
  /**
   * How many launches of it may be under way together. Where its last one was refused or failed, one tries it before the others
   * follow. Where no stock is shown, one more than were granted lately, and at most as many as may be refused: nobody knows how much
   * room there is.
   */
  mostAtOnce(option: Combination & Pick<Option, "stock">): number;
}

/**
 * Reads the recent launches of the account for one owner. Failures of a combination make all owners wait for
 * it; failures of one owner in several combinations make that owner wait. Launches under another profile or
 * with other parameters do not count, nor do failures from before a change of the wish or a resume: whoever
 * corrects a mistake must not wait for it. Only what the service itself asked for is still waited for.
 */
export function launchBackoffOf(draft: Draft, owner: Owner, wish: Wish, context: Context): LaunchBackoff {
  const isAlike = launchedWith(wish.parameters, context.wire.abilities);
  const forgiven = fleetOf(draft, owner)?.forgiven;
  const alike = [...draft.intents.values()]
    .reverse()
    .filter(
      (intent) =>
        intent.profile === context.wire.profileHash &&
        ago(intent.stamped, context.now) < 2 * MEMORY_MS &&
        isAlike(intent),
    );
  const recent = alike
    .flatMap((intent) => outcomeOf(draft, intent) ?? [])
    .filter(({ at }) => ago(at, context.now) < MEMORY_MS)
    .filter(
      ({ intent, at }) =>
        !forgiven ||
        !isBefore(at, forgiven, context.now) ||
        askedBy(draft, intent, context) > ago(at, context.now),
    );
  const own = recent.filter(({ intent }) => intent.owner === owner);
  // A launch that was not sent is no failure of its combination, and hides no earlier one.
  const sent = recent.filter(({ outcome }) => outcome !== "unsent");
  const byCombination = Map.groupBy(sent, ({ intent }) => combinationKey(intent));
  const newestFirst = Map.groupBy(alike, combinationKey);
  const mayBeRefused = refusalsLeft(alike, context);
  const blocks = blocksOf(draft, owner, isAlike, context);
  return {
    waitFor: (combination) =>
      byCombination.size === 0
        ? undefined
        : waitAfter(draft, byCombination.get(combinationKey(combination)) ?? [], context),
    blockOf: (combination) =>
      whyRefusalsHold(draft, combination, context) ??
      (blocks.size === 0 ? undefined : blocks.get(combinationKey(combination))),
    waitForAll: () =>
      unsentWait(own, context) ??
      holdAfter(
        draft,
        own.filter(({ outcome }) => outcome !== "unsent"),
        context,
      ),
    mostAtOnce: (option) => {
      const launches = newestFirst.get(combinationKey(option)) ?? [];
      if (launches[0] && wentBadly(draft, launches[0])) return 1;
      if (option.stock !== undefined) return Number.POSITIVE_INFINITY;
      const granted = grantedInARow(draft, launches, context);
      return Math.max(1, Math.min(1 + granted, mayBeRefused));
    },
  };
}

/** How many of the next launches may be refused, so that of those of the last hours no more than a tenth is. */
function refusalsLeft(launches: readonly IntentRow[], context: Context): number {
  const answered = launches.filter(
    ({ state, stamped }) =>
      (state === "claimed" || state === "rejected") && ago(stamped, context.now) < MEMORY_MS,
  );
  const refused = answered.filter(({ state }) => state === "rejected").length;
  const left = Math.floor(answered.length / LAUNCHES_A_REFUSAL) - refused;
  return refused === 0 ? Math.max(FIRST_REFUSALS, left) : left;
}

/** The newest first: those that were granted lately, up to one that was not. */
function grantedInARow(draft: Draft, newestFirst: readonly IntentRow[], context: Context): number {
  const answered = newestFirst.filter(({ state }) => state !== "open");
  const other = answered.findIndex(
    (intent) => wentBadly(draft, intent) || ago(intent.stamped, context.now) >= GRANTED_MS,
  );
  return other === -1 ? answered.length : other;
}

/** Permanent failures, however old they are: they do not pass. */
function blocksOf(
  draft: Draft,
  owner: Owner,
  isAlike: (intent: IntentRow) => boolean,
  context: Context,
): ReadonlyMap<string, Hold> {
  const fleet = fleetOf(draft, owner);
  const blocks = new Map<string, Hold>();
  for (const intent of draft.intents.values()) {
    const row = intent.deployment === null ? undefined : draft.deployments.ever(intent.deployment);
    if (intent.owner !== owner || !row || !isFailedLaunch(row) || row.failureCode === null) continue;
    if (context.wire.isRetryable?.(row.failureCode) !== false) continue;
    if (intent.profile !== context.wire.profileHash || !isAlike(intent)) continue;
    if (fleet?.forgiven && isBefore(intent.stamped, fleet.forgiven, context.now)) continue;
    const numbers = { place: combinationText(intent), why: failureText(row), fleet: fleet?.name ?? "" };
    blocks.set(combinationKey(intent), hold("blocked", numbers));
  }
  return blocks;
}

function fleetOf(draft: Draft, owner: Owner): FleetRow | undefined {
  return draft.fleets.get(owner.replace(/^fleet:/, ""));
}

/**
 * `launches`: the newest first. Where nothing could be sent, all combinations wait for a short while, since
 * none of them is at fault. More failures do not make the wait longer than a network may be away.
 */
function unsentWait(launches: readonly LaunchOutcome[], context: Context): Hold | undefined {
  const sent = launches.findIndex(({ outcome }) => outcome !== "unsent");
  const unsent = sent === -1 ? launches : launches.slice(0, sent);
  const [last] = unsent;
  if (!last) return undefined;
  const ms = Math.min(UNSENT_BACKOFF_MS * 2 ** (rounds(unsent) - 1), LONGEST_UNSENT_BACKOFF_MS);
  const until = endOf(ms, last.at, context);
  return until === undefined ? undefined : hold("unsent", { detail: last.intent.detail }, until);
}

/** Milliseconds that the service asked to wait when it refused this launch; 0 after `fleetkeeper resume`. */
function askedBy(draft: Draft, { retryAfter = 0, resolved, stamped }: IntentRow, context: Context): number {
  return isForgiven(draft, resolved ?? stamped, context.now) ? 0 : believedWait(retryAfter);
}

/** The newest first. */
function waitAfter(draft: Draft, judged: readonly LaunchOutcome[], context: Context): Wait | undefined {
  const heard = judged.filter(({ outcome }) => outcome !== "lost" && outcome !== "granted");
  return waitAfterAnswers(draft, heard, context) ?? waitAfterLost(judged, context);
}

/** The newest first. A lost answer is the network's, unless this combination's are lost one after the other. */
function waitAfterLost(judged: readonly LaunchOutcome[], context: Context): Wait | undefined {
  const lost = lostInARow(judged);
  const [last] = lost;
  if (!last || lost.length < LOST_IN_A_ROW) return undefined;
  const why = `gave no answer ${lost.length} times in a row (${last.intent.detail}) and is left alone`;
  return left(doubled(lost.length - LOST_IN_A_ROW), last.at, why, context);
}

/** The newest first. */
function waitAfterAnswers(
  draft: Draft,
  launches: readonly LaunchOutcome[],
  context: Context,
): Wait | undefined {
  const [newest] = launches;
  if (newest?.outcome === "cooled") {
    // "Retry after 0 seconds", or after 1 again and again, would let launches storm the service.
    const others = launches.findIndex(({ outcome }) => outcome !== "cooled");
    const times = others === -1 ? launches.length : others;
    const isStorm = times >= COOLED_IN_A_ROW || (draft.cooldown(newest.intent)?.seconds ?? 0) < 1;
    return isStorm ? left(context.settings.poll, newest.at, "cools", context) : undefined;
  }
  const failures = launches.filter(({ outcome }) => outcome !== "cooled");
  const since = failures.findIndex(({ outcome }) => outcome === "good");
  const inARow = since === -1 ? failures : failures.slice(0, since);
  const [last] = inARow;
  if (!last) return undefined;
  const why = `failed ${inARow.length === 1 ? "just now" : `${inARow.length} times in a row`} (${whatFailed(draft, last)}) and is left alone`;
  return left(
    Math.max(doubled(inARow.length - 1), askedBy(draft, last.intent, context)),
    last.at,
    why,
    context,
  );
}

/** The newest first. */
function holdAfter(draft: Draft, launches: readonly LaunchOutcome[], context: Context): Hold | undefined {
  const since = launches.findIndex(({ outcome }) => outcome === "good");
  const inARow = since === -1 ? launches : launches.slice(0, since);
  const failed = inARow.filter(({ outcome }) => outcome === "failed");
  const [last] = failed;
  const places = distinct(failed);
  if (last && places >= BREAKER_AT) {
    const until = endOf(doubled(rounds(failed) - 1), last.at, context);
    const numbers = { places, last: combinationText(last.intent), detail: whatFailed(draft, last) };
    return until === undefined ? undefined : hold("failing", numbers, until);
  }
  const lost = lostInARow(launches);
  const [lastLost] = lost;
  if (lastLost && distinct(lost) >= BREAKER_AT) {
    const until = endOf(doubled(rounds(lost) - 1), lastLost.at, context);
    const { intent } = lastLost;
    const numbers = { places: distinct(lost), last: combinationText(intent), detail: intent.detail };
    return until === undefined ? undefined : hold("unanswered", numbers, until);
  }
  const refused = inARow.filter(({ outcome }) => outcome !== "lost");
  const granted = refused.findIndex(({ outcome }) => outcome === "granted");
  const lately = (granted === -1 ? refused : refused.slice(0, granted)).filter(
    ({ at }) => ago(at, context.now) < context.settings.poll,
  );
  const [newest] = lately;
  if (!newest || distinct(lately) < STORM_AT) return undefined;
  const until = endOf(context.settings.poll, newest.at, context);
  return until === undefined ? undefined : hold("refusedAll", { places: distinct(lately) }, until);
}

/** The lost ones that are newer than all others. */
function lostInARow(newestFirst: readonly LaunchOutcome[]): readonly LaunchOutcome[] {
  const other = newestFirst.findIndex(({ outcome }) => outcome !== "lost");
  return other === -1 ? newestFirst : newestFirst.slice(0, other);
}

function distinct(launches: readonly LaunchOutcome[]): number {
  return new Set(launches.map(({ intent }) => combinationKey(intent))).size;
}

function rounds(launches: readonly LaunchOutcome[]): number {
  return launches.filter(({ at }, index) => {
    const later = launches[index - 1]?.at;
    return later === undefined || elapsed(at, later) > ROUND_MS;
  }).length;
}

function doubled(times: number): number {
  return Math.min(BACKOFF_MS * 2 ** times, LONGEST_BACKOFF_MS);
}

function left(ms: number, since: Instant, why: string, context: Context): Wait | undefined {
  const rest = ms - ago(since, context.now);
  return rest > 0 ? { ms: rest, why } : undefined;
}

/** When this wait is over, wall time in ms; undefined: it is over. */
function endOf(ms: number, since: Instant, context: Context): number | undefined {
  const rest = ms - ago(since, context.now);
  return rest > 0 ? context.now.wall + rest : undefined;
}

function whatFailed(draft: Draft, { intent }: LaunchOutcome): string {
  const row = intent.deployment === null ? undefined : draft.deployments.ever(intent.deployment);
  if (!row) return intent.detail;
  return row.ready?.gaveUp === undefined ? failureText(row) : `not ready in time, deployment ${row.id}`;
}

/** With code and id: people look them up, and the service's support asks for them. */
function failureText({ id, failureCode, failureReason }: DeploymentRow): string {
  return `${[failureCode ?? "failed", failureReason].filter(Boolean).join(": ")}, deployment ${id}`;
}
