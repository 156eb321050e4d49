import { type Keeper, takeBalance } from "../../../launch/keeper.ts";
import { elapsed, MINUTE_MS } from "../../../ledger/instant.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";

/** How often the balance is read. No fleet's count depends on it, so it is read seldom. */
export const BALANCE_MS = 5 * MINUTE_MS;

/** Reads the balance if it is older than `ms`, where the service gives it. True: it was read. */
export async function readBalance(keeper: Keeper, ms: number, signal: AbortSignal): Promise<boolean> {
  const { ledger, account, clock } = keeper;
  const { balance } = (await ledger.read(account)).account;
  if (balance && elapsed(balance.begun, clock.now()) < ms) return false;
  try {
    await takeBalance(keeper, signal);
    return true;
  } catch (error) {
    if (signal.aborted || error instanceof FleetkeeperError) return false;
    throw error;
  }
}
