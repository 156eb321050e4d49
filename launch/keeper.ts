import { type Clock, type Instant, isLater } from "../ledger/instant.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { endsAll, type FleetkeeperError } from "../service/contract/errors.ts";
import type { Service } from "../service/contract/service.ts";
import type { Context, ProtocolSettings } from "./facts/context.ts";
import { holdBalance } from "./money/price-balance.ts";
import { storeLook, storeNoLook, witnessOf } from "./resolve/missing.ts";

/** One account with all that is needed to act on it. The edge makes it and passes it on. */
export interface Keeper {
  readonly ledger: Ledger;
  /** Key of the account's row. */
  readonly account: string;
  readonly service: Service;
  readonly clock: Clock;
  readonly settings: ProtocolSettings;
  /** A new random id: lower-case letters and digits, at least 12. */
  readonly newId: () => string;
  /** Who decides by it, if that is a program: see `Context`. What lists show was decided by nobody, so they are taken without it. */
  readonly actor?: string | undefined;
}

/** This moment's context for a decision. */
export function contextOf({ ledger, clock, service, settings, actor }: Keeper): Context {
  const isAlive: Context["isAlive"] = (process) => clock.isAlive(process);
  const by = actor === undefined ? {} : { actor };
  return { ledger: ledger.id, now: clock.now(), isAlive, wire: service, settings, ...by };
}

/** Asks for one deployment by its id and stores what follows. */
export async function look(keeper: Keeper, id: string, signal: AbortSignal): Promise<void> {
  const { ledger, account, service, clock } = keeper;
  const asked = clock.now();
  let witness: string | undefined;
  const shown = await service.deployment(id, signal, async () => {
    witness = await ledger.decide(account, (draft) => witnessOf(draft, id));
    return witness;
  });
  const isProven = !service.abilities.missing || witness !== undefined;
  await ledger.decide(account, (draft) => storeLook(draft, id, shown, asked, contextOf(keeper), isProven));
}

/** GETs by id under way at a time. One that hangs must not keep the others from being asked. */
export const LOOKS_AT_ONCE = 4;

/**
 * When the GET was asked for. Undefined: no answer. A machine whose GET fails is not gone, and must not hold
 * up the others.
 */
export async function lookIfPossible(
  keeper: Keeper,
  id: string,
  signal: AbortSignal,
): Promise<Instant | undefined> {
  const asked = keeper.clock.now();
  try {
    await look(keeper, id, signal);
    return asked;
  } catch (error) {
    if (signal.aborted || endsAll(error)) throw error;
    await keeper.ledger.decide(keeper.account, (draft) =>
      storeNoLook(draft, id, error as FleetkeeperError, contextOf(keeper)),
    );
    return undefined;
  }
}

/** Reads the balance and stores it with the moment at which it was asked for. Where none is shown it does nothing. */
export async function takeBalance(keeper: Keeper, signal: AbortSignal): Promise<void> {
  const { ledger, account, service, clock } = keeper;
  if (service.abilities.balance === false) return;
  const begun = clock.now();
  const { balance: amount } = await service.balance(signal);
  await ledger.decide(account, (draft) => {
    const { balance } = draft.account;
    if (!balance || isLater(begun, balance.begun)) {
      draft.putAccount({ ...draft.account, balance: { amount, begun } });
      holdBalance(draft, contextOf(keeper));
    }
  });
}

/** Works through the items in at most `most` lanes, each one after the other. */
export async function inLanes<T>(
  items: readonly T[],
  most: number,
  act: (item: T) => Promise<unknown>,
): Promise<void> {
  const left = items.values();
  const lane = async (): Promise<void> => {
    for (const item of left) await act(item);
  };
  await allOf(Array.from({ length: Math.min(most, items.length) }, lane));
}

/** As `Promise.all`, but a failure waits for the others: no request in flight loses its reader. */
export async function allOf<T>(work: readonly Promise<T>[]): Promise<readonly T[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
