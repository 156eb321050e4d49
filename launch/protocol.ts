import type { Draft } from "../ledger/draft.ts";
import { here, type Instant } from "../ledger/instant.ts";
import type { DeploymentRow } from "../ledger/rows.ts";
import { FleetkeeperError, isLedgerBusy } from "../service/contract/errors.ts";
import type { LaunchAnswer, StopAnswer } from "../service/contract/service.ts";
import { admit, mayLeave, stampForSend } from "./admit/admit.ts";
import type { LaunchWish } from "./admit/rule.ts";
import { beat } from "./beat.ts";
import { isMarkerField } from "./claim/groups.ts";
import { beginStop, dueStops, storeStop } from "./ends/stop.ts";
import { followUnserving } from "./ends/unserving.ts";
import type { Context } from "./facts/context.ts";
import { type Hold, hold } from "./facts/hold.ts";
import { contextOf, inLanes, type Keeper, LOOKS_AT_ONCE, lookIfPossible } from "./keeper.ts";
import { archiveEnded } from "./list/archive.ts";
import { bringToNow } from "./list/clock-set-back.ts";
import { type FullList, storeFullList } from "./list/full-list.ts";
import { countNameless } from "./machine/unread.ts";
import { trimSlots } from "./people/slot.ts";
import { judgeLate, judgeRefused } from "./resolve/absence.ts";
import { type Outcome, storeAnswer } from "./resolve/answer.ts";
import { isBelieved, missAll, rememberList, toLookUp } from "./resolve/missing.ts";
import { claimMarked, confirmAllShown, disputeLater, resolveOpen, withdraw } from "./resolve/resolve.ts";
import { followVanished } from "./resolve/vanished.ts";

/*
 * The launch protocol, from a wish to the end of its machine. The service has no idempotency key, and takes
 * the first hour's price when it accepts a launch (specification, sections 1 and 4). So a launch is written
 * down, sent once, and resolved by looking. The numbers below are those of the rules in docs/how/protocol.md.
 *
 * Three flows act: `launch`, `takeList`, `carryOutStops`. Each decision is one transaction of the ledger:
 * pure functions over its rows, one observation and a clock. Nothing else launches or stops. The simulation
 * runs these flows, and the explorer their decisions.
 *
 * Three rules are with the callers: 10 (agent/planning/machines/initial-adoption.ts), 11
 * (agent/status/account-status.ts) and 12 (provider/).
 */

/** `refused`: it was not written down. The hold that matters most stands first. */
export type LaunchResult = Outcome | { readonly kind: "refused"; readonly holds: readonly Hold[] };

/**
 * One launch, which makes one machine or none. `claimed` and `open` count as capacity and money from then on.
 * Throws LEDGER or LEDGER_BUSY if the ledger cannot be used. Then nothing was sent, also if nobody knows whether
 * it was written down, unless it was the answer that could not be recorded. The launch is looked for.
 *
 * The signal holds back what is not sent yet. It does not abort a POST: that would turn a clear answer into
 * an unknown one.
 */
export async function launch(
  keeper: Keeper,
  wish: LaunchWish,
  signal: AbortSignal = never(),
): Promise<LaunchResult> {
  const { ledger, account, newId, clock } = keeper;
  // Before the intent is written: a wait after its last look would make that look worthless.
  if (!(await hasTurn(keeper, signal))) return GIVEN_UP;

  // 1, 2, 7: one transaction checks group, count, cooldown, money and baseline, and writes the intent.
  const admission = await ledger.decide(account, (draft) =>
    admit(draft, wish, contextOf(keeper), { id: newId(), ledger: ledger.id, sender: clock.self }),
  );
  if ("refused" in admission) return { kind: "refused", holds: admission.refused };
  wish.admitted?.();
  const { id, offer, provider, location, marker } = admission.intent;

  // 2: the last look. A launch that was paused or given up meanwhile is not sent.
  const send = await ledger.decide(account, (draft) => {
    const ended = signal.aborted ? "nobody waits for it any more" : undefined;
    if (stampForSend(draft, id, contextOf(keeper), wish, ended)) return { stamped: here(clock) };
    return { refused: draft.intents.ever(id)?.detail ?? "given up before sending" };
  });
  if ("refused" in send) return { kind: "notSent", reason: send.refused };

  // 3: the only POST. Nothing here or below sends it again.
  let answer: LaunchAnswer;
  try {
    answer = await keeper.service.launch(
      {
        ...{ offer, provider, location, marker, parameters: wish.parameters, extra: wish.extra },
        // 2: asked when the first byte is about to leave; no pause can come after that.
        mayLeave: () => !signal.aborted && mayLeave(send.stamped, here(clock), keeper.settings),
      },
      never(),
    );
  } catch (error) {
    // A service returns its outcomes. What it throws is a bug, and may come after the POST has left.
    const reason = error instanceof Error ? error.message : String(error);
    const unknown = { kind: "unknown", reason } as const;
    await recordSurely(keeper, (draft) => storeAnswer(draft, id, unknown, contextOf(keeper)));
    throw error;
  }

  // 3, 4, 7: accepted, rejected, cooling, not sent or unknown. An id counts once the profile is proven.
  return recordSurely(keeper, (draft) => storeAnswer(draft, id, answer, contextOf(keeper)));
}

/** How often recording an answer is retried while the ledger is locked or the disk is full. */
const RECORD_RETRY_MS = 1_000;
const RECORD_RETRIES = 600;

/**
 * Only this process knows the answer, and a list can only suggest it. So it is not lost because the ledger
 * cannot be written for a moment. It may have been stored all the same, if a server was lost in the commit:
 * the second time changes nothing. After the last retry the launch is looked for, as if the process had died.
 */
async function recordSurely<T>(keeper: Keeper, decision: (draft: Draft) => T): Promise<T> {
  const { ledger, account, clock } = keeper;
  for (let retries = 0; ; retries++) {
    try {
      return await ledger.decide(account, decision);
    } catch (error) {
      if (!isLedgerBusy(error) || retries === RECORD_RETRIES) throw error;
      await clock.sleep(RECORD_RETRY_MS, never());
    }
  }
}

/** False: the launch was given up before its turn came. */
async function hasTurn({ service }: Keeper, signal: AbortSignal): Promise<boolean> {
  await service.turn(signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return !signal.aborted;
}

const GIVEN_UP: LaunchResult = { kind: "refused", holds: [hold("ending", {})] };

function never(): AbortSignal {
  return new AbortController().signal;
}

/**
 * Takes one full list, stores what follows, and asks by id for the machines that it lacks. False: the list
 * was distrusted. Throws a `FleetkeeperError` if no whole list can be had; nothing is concluded then.
 */
export async function takeList(keeper: Keeper, signal: AbortSignal): Promise<boolean> {
  return withLooks(keeper, await list(keeper, trimSlots, signal), signal);
}

/** {@link takeList} for a preview: it must not ask for a stop that somebody else carries out. */
export async function glance(keeper: Keeper, signal: AbortSignal): Promise<boolean> {
  return withLooks(keeper, await list(keeper, () => undefined, signal), signal);
}

/** What a full list came to. */
export interface Listed {
  /** False: it was distrusted. */
  readonly believed: boolean;
  /** The machines to ask for by their ids. */
  readonly lacking: readonly string[];
}

/**
 * Leaves the GETs by id to the caller: a launch needs a list that is fresh. `also`: what the caller wants to know
 * of the rows then. A transaction of its own would cost as much as this one.
 */
export async function takeListAlone<T>(
  keeper: Keeper,
  signal: AbortSignal,
  also: (draft: Draft, context: Context) => T,
): Promise<Listed & { readonly concluded: T }> {
  const conclude = (draft: Draft, context: Context): T => {
    trimSlots(draft, context);
    return also(draft, context);
  };
  return list(keeper, conclude, signal);
}

async function list<T>(
  keeper: Keeper,
  conclude: (draft: Draft, context: Context) => T,
  signal: AbortSignal,
): Promise<Listed & { readonly concluded: T }> {
  const { ledger, account, service, clock } = keeper;
  const begun = clock.now();
  const listed = await service.deployments(signal);
  return ledger.decide(account, (draft) => {
    const context = contextOf(keeper);
    if (listed === null) demandNoneLives(draft);
    const believed = observe(draft, { begun, deployments: listed ?? [] }, context);
    const concluded = conclude(draft, context);
    beat(draft, keeper);
    return { believed, lacking: service.abilities.get ? toLookUp(draft) : [], concluded };
  });
}

function demandNoneLives(draft: Draft): void {
  const known = draft.deployments.of("life", "living").find(({ claim }) => claim !== "foreign");
  if (!known) return;
  const text =
    `The list of deployments is null, with a total of 0, and ${known.id} is known to be there: nothing is concluded from that. ` +
    `If it is over by the service's dashboard: fleetkeeper disown ${known.id}.`;
  throw new FleetkeeperError("LIST_INCOMPLETE", text);
}

async function withLooks(
  keeper: Keeper,
  { believed, lacking }: Listed,
  signal: AbortSignal,
): Promise<boolean> {
  await inLanes(lacking, LOOKS_AT_ONCE, (id) => lookIfPossible(keeper, id, signal));
  return believed;
}

/**
 * Writes down what a full list shows, and what follows: ends, claims, absences. Agent, provider and CLI do
 * this with each full list. False: it is distrusted, and nothing is concluded from what it lacks.
 */
export function observe(draft: Draft, list: FullList, context: Context): boolean {
  const { begun } = list;
  bringToNow(draft, context);
  const { nameless, lacking } = storeFullList(draft, list, context);
  countNameless(draft, nameless, begun);
  // 9: a list that lacks half of an owner's machines at once waits for a second one that agrees.
  if (!isBelieved(draft, begun, lacking, context)) return false;
  rememberList(draft, begun, context);
  // 9: machines that vanished together are the service's mistake, until a person or an hour of lists says otherwise.
  followVanished(draft, begun, context);
  // 9: an absence is an anomaly. It is believed when a second list and the id agree.
  missAll(draft, lacking, begun, context);
  resolve(draft, begun, context);
  // 8: a stop of what did not serve is proven by what serves in its place.
  followUnserving(draft, context);
  archiveEnded(draft, list, context);
  return true;
}

/**
 * Resolves the account's launches by a full list that was just written down. A launch whose sender lives and
 * waits for the answer is left alone, and so is a machine that may be that launch's.
 */
function resolve(draft: Draft, begun: Instant, context: Context): void {
  // 4: the id of a launch's answer is shown.
  confirmAllShown(draft, context);
  // 5: a machine that was taken by looking alone and now shows that it is another's is let go.
  for (const row of draft.deployments.of("maker", "open")) withdraw(draft, row, context);
  // 5: what carries our marker is ours.
  for (const row of draft.deployments.of("maker", "open")) claimMarked(draft, row, context);
  // 5, 6: an open one takes a machine that it can explain, or waits for the settle time and is absent.
  for (const intent of [...draft.intents.of("state", "open")]) resolveOpen(draft, intent, begun, context);
  // 5: one machine too many, soon after a claim by looking alone, puts that claim in doubt.
  for (const intent of [...draft.intents.of("claimedBy", "looking")]) disputeLater(draft, intent, context);
  // 6: for 24 hours an absent one explains a machine that comes late.
  for (const intent of [...draft.intents.of("state", "absent")]) judgeLate(draft, intent, context);
  if (draft.account.tenure === "exclusive")
    for (const intent of [...draft.intents.of("state", "absent")])
      judgeLate(draft, intent, context, isMarkerField);
  // 3, 6: so does one that was refused, if the service made its machine all the same.
  judgeRefused(draft, context);
}

/** Stop calls under way at a time. One that hangs must not let the other machines bill on. */
const STOPS_AT_ONCE = 8;

/**
 * 8: sends the stop calls that are due, each after a last look at the machine. A failed call throws nothing:
 * it is due again, for ever. A stop is over when a list or a GET shows the end.
 */
export async function carryOutStops(keeper: Keeper, signal: AbortSignal): Promise<void> {
  const { ledger, account } = keeper;
  const due = await ledger.decide(account, (draft) => dueStops(draft, contextOf(keeper)));
  await inLanes(due, STOPS_AT_ONCE, (row) => stopOne(keeper, row, signal));
}

async function stopOne(keeper: Keeper, { id }: DeploymentRow, signal: AbortSignal): Promise<void> {
  const { ledger, account, service, clock, settings } = keeper;
  const record = (answer: StopAnswer, looked?: Instant): Promise<void> =>
    ledger.decide(account, (draft) => storeStop(draft, id, answer, contextOf(keeper), looked));
  if (!service.abilities.stop) {
    await record({ kind: "failed", reason: "the profile maps no stop: stop it in the service's dashboard" });
    return;
  }
  // If the look fails, list and claim must do: a machine whose GET never answers would bill for ever.
  const looked = service.abilities.get ? await lookIfPossible(keeper, id, signal) : undefined;
  // Waits before the last check: whoever disowns the machine or pauses its fleet now is obeyed.
  if (!(await hasTurn(keeper, signal))) return;
  const begun = await ledger.decide(account, (draft) =>
    beginStop(draft, id, contextOf(keeper)) ? here(clock) : undefined,
  );
  // The look showed that nothing is left to stop, or somebody took the stop back.
  if (begun === undefined) return;
  // As for a POST: a process that stood still does not send when it wakes, and what was sent is waited for.
  const answer = await service.stop({ id, mayLeave: () => mayLeave(begun, here(clock), settings) }, never());
  await record(answer, looked);
}
