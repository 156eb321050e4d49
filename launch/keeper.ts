import type { Draft } from "../ledger/draft.ts";
import type { Clock } from "../ledger/instant.ts";
import { isLater } from "../ledger/instant.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { DeploymentRow } from "../ledger/rows.ts";
import { FleetkeeperError } from "../service/errors.ts";
import type { LaunchAnswer, Service, StopAnswer } from "../service/service.ts";
import type { LaunchWish, Refusal } from "./admit.ts";
import { admit, mayLeave, stampForSend } from "./admit.ts";
import type { Outcome } from "./answer.ts";
import { recordAnswer } from "./answer.ts";
import type { Context, ProtocolSettings } from "./context.ts";
import { observe, recordLook, toLookUp } from "./observe.ts";
import { trimSlots } from "./slot.ts";
import { beginStop, dueStops, recordStop } from "./stop.ts";

/** One account, with all that is needed to act on it: the edge makes it, everything else is given it. */
export interface Keeper {
  readonly ledger: Ledger;
  /** Key of the account's row. */
  readonly account: string;
  readonly service: Service;
  readonly clock: Clock;
  readonly settings: ProtocolSettings;
  /** A new random id: lower-case letters and digits, at least 12. */
  readonly newId: () => string;
}

export type LaunchResult = Outcome | { readonly kind: "refused"; readonly refusal: Refusal };

/** This moment's context for a decision. */
export function contextOf({ clock, service, settings }: Keeper): Context {
  return { now: clock.now(), isAlive: (process) => clock.isAlive(process), wire: service, settings };
}

/**
 * Takes one full list and stores what follows from it; asks by id for what it lacks. False: the list was distrusted.
 * Throws a `FleetkeeperError` if there is no whole list to be had: then nothing was concluded.
 */
export async function takeList(keeper: Keeper, signal: AbortSignal): Promise<boolean> {
  return withLooks(keeper, await takeListAlone(keeper, signal), signal);
}

/** The same for whoever only wants to see: a preview must not ask for a stop that somebody else carries out. */
export async function glance(keeper: Keeper, signal: AbortSignal): Promise<boolean> {
  return withLooks(keeper, await list(keeper, () => undefined, signal), signal);
}

/** What a full list came to. */
export interface Listed {
  /** False: it was distrusted. */
  readonly believed: boolean;
  /** The machines to be asked about by their ids. */
  readonly lacking: readonly string[];
}

/** Leaves it to the caller to ask for what the list lacks: a launch needs a list that is fresh. */
export function takeListAlone(keeper: Keeper, signal: AbortSignal): Promise<Listed> {
  return list(keeper, trimSlots, signal);
}

async function list(
  keeper: Keeper,
  conclude: (draft: Draft, context: Context) => void,
  signal: AbortSignal,
): Promise<Listed> {
  const { ledger, account, service, clock } = keeper;
  const begun = clock.now();
  const deployments = await service.deployments(signal);
  return ledger.decide(account, (draft) => {
    const context = contextOf(keeper);
    const believed = observe(draft, { begun, deployments }, context);
    conclude(draft, context);
    return { believed, lacking: service.abilities.get ? toLookUp(draft) : [] };
  });
}

async function withLooks(
  keeper: Keeper,
  { believed, lacking }: Listed,
  signal: AbortSignal,
): Promise<boolean> {
  await inLanes(lacking, LOOKS_AT_ONCE, (id) => lookIfPossible(keeper, id, signal));
  return believed;
}

/** Asks for one deployment by its id and stores what follows. */
export async function look(keeper: Keeper, id: string, signal: AbortSignal): Promise<void> {
  const { ledger, account, service, clock } = keeper;
  const asked = clock.now();
  const shown = await service.deployment(id, signal);
  await ledger.decide(account, (draft) => recordLook(draft, id, shown, asked, contextOf(keeper)));
}

/** GETs by id under way at a time. One that hangs must not keep the others from being asked. */
export const LOOKS_AT_ONCE = 4;

/** A machine whose GET fails is not gone, and must not keep everything else from being looked after. */
export async function lookIfPossible(keeper: Keeper, id: string, signal: AbortSignal): Promise<void> {
  try {
    await look(keeper, id, signal);
  } catch (error) {
    if (signal.aborted || !(error instanceof FleetkeeperError) || error.code === "LEDGER") throw error;
  }
}

/** Reads the balance and stores it with the moment it was asked for. */
export async function takeBalance(keeper: Keeper, signal: AbortSignal): Promise<void> {
  const { ledger, account, service, clock } = keeper;
  const begun = clock.now();
  const { balance: amount } = await service.balance(signal);
  await ledger.decide(account, (draft) => {
    const { balance } = draft.account;
    if (!balance || isLater(begun, balance.begun)) {
      draft.putAccount({ ...draft.account, balance: { amount, begun } });
    }
  });
}

/**
 * One launch: write the intent, confirm it, POST once, store the answer. Nothing here or below sends a POST again; what
 * is not known stays open until lists resolve it. The signal ends the wait for a turn, and nothing after it: to abort the
 * POST would turn a clear answer into an unknown one.
 */
export async function launch(
  keeper: Keeper,
  wish: LaunchWish,
  signal: AbortSignal = never(),
): Promise<LaunchResult> {
  const { ledger, account, service, clock, newId } = keeper;
  // Before the intent is written: a wait between its last look and its POST would make the look worthless.
  await service.turn(signal).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  if (signal.aborted)
    return { kind: "refused", refusal: { why: "ending", text: "given up while it waited for its turn" } };
  const admission = await ledger.decide(account, (draft) =>
    admit(draft, wish, contextOf(keeper), { id: newId(), ledger: ledger.id, sender: clock.self }),
  );
  if ("refused" in admission) return { kind: "refused", refusal: admission.refused };
  const { id, offer, provider, location, marker } = admission.intent;
  const send = await ledger.decide(account, (draft) => {
    const context = contextOf(keeper);
    if (stampForSend(draft, id, context, wish.closed)) return { stamped: context.now };
    return { refused: draft.intents.get(id)?.detail ?? "given up before sending" };
  });
  if ("refused" in send) return { kind: "notSent", reason: send.refused };
  const request = {
    ...{ offer, provider, location, marker, parameters: wish.parameters },
    mayLeave: () => mayLeave(send.stamped, contextOf(keeper)),
  };
  let answer: LaunchAnswer;
  try {
    answer = await service.launch(request, never());
  } catch (error) {
    // Thrown on purpose before anything was sent, or by mistake at any time: then it is not known.
    const kind = error instanceof FleetkeeperError ? "notSent" : "unknown";
    const reason = error instanceof Error ? error.message : String(error);
    await ledger.decide(account, (draft) => recordAnswer(draft, id, { kind, reason }, contextOf(keeper)));
    throw error;
  }
  return ledger.decide(account, (draft) => recordAnswer(draft, id, answer, contextOf(keeper)));
}

function never(): AbortSignal {
  return new AbortController().signal;
}

/** Stop calls under way at a time. One that hangs must not let the other machines bill meanwhile. */
const STOPS_AT_ONCE = 8;

/** Sends the stop calls that are due, each after a last look at the machine. Never throws for one of them. */
export async function carryOutStops(keeper: Keeper, signal: AbortSignal): Promise<void> {
  const { ledger, account } = keeper;
  const due = await ledger.decide(account, (draft) => dueStops(draft, contextOf(keeper)));
  await inLanes(due, STOPS_AT_ONCE, (row) => stopOne(keeper, row, signal));
}

/** One after the other, in so many lanes. */
export async function inLanes<T>(
  items: readonly T[],
  most: number,
  act: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const lane = async (): Promise<void> => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, lane));
}

async function stopOne(keeper: Keeper, { id }: DeploymentRow, signal: AbortSignal): Promise<void> {
  const { ledger, account } = keeper;
  const answer = await tryStop(keeper, id, signal);
  if (answer) await ledger.decide(account, (draft) => recordStop(draft, id, answer, contextOf(keeper)));
}

/** Undefined: the last look showed that there is nothing to stop any more. */
async function tryStop(keeper: Keeper, id: string, signal: AbortSignal): Promise<StopAnswer | undefined> {
  const { ledger, account, service } = keeper;
  if (!service.abilities.stop) {
    return { kind: "failed", reason: "the profile maps no stop: stop it in the service's dashboard" };
  }
  // Where that fails, the newest list and the claim must do: a machine whose GET never answers would bill for ever.
  if (service.abilities.get) await lookIfPossible(keeper, id, signal);
  const may = await ledger.decide(account, (draft) => beginStop(draft, id));
  return may ? service.stop(id, signal) : undefined;
}
