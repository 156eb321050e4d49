import { randomBytes } from "node:crypto";
import type { History } from "../ledger/history.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { openSqliteLedger } from "../ledger/sqlite.ts";
import { systemClock } from "../ledger/system-clock.ts";
import { createService } from "../service/client.ts";
import type { Account } from "../service/contract.ts";
import { FleetkeeperError } from "../service/errors.ts";
import { loadProfile } from "../service/profile-file.ts";
import { createUndiciTransport } from "../service/undici-transport.ts";
import type { Configuration } from "./configuration.ts";
import type { ProtocolSettings } from "./context.ts";
import { DEFAULT_SETTINGS } from "./context.ts";
import type { Keeper } from "./keeper.ts";

/** A keeper with what it owns; close it when done. */
export interface OpenKeeper extends Keeper {
  readonly ledger: Ledger & History;
  readonly accountInfo: Account;
  close(): Promise<void>;
}

/**
 * Opens everything one process needs to act on an account: profile, client, ledger, clock. The first request asks the
 * service which account the credential opens.
 */
export async function openKeeper(
  configuration: Configuration,
  signal: AbortSignal,
  settings: Partial<ProtocolSettings> = {},
): Promise<OpenKeeper> {
  const merged = Object.freeze({ ...DEFAULT_SETTINGS, ...settings });
  const clock = systemClock();
  const { transport, close: closeTransport } = createUndiciTransport({ wholeTimeout: merged.postTimeout });
  try {
    const service = createService({
      baseUrl: configuration.baseUrl,
      secret: configuration.apiKey,
      profile: loadProfile(configuration.profile),
      transport,
      clock: { now: () => clock.now().wall, sleep: clock.sleep },
    });
    const accountInfo = await service.account(signal);
    const ledger = openSqliteLedger({ path: configuration.ledger, newId: newId(), now: clock.now().wall });
    const account = await ledger.openAccount({
      baseUrl: service.baseUrl,
      account: accountInfo,
      tenure: configuration.account,
    });
    const close = async (): Promise<void> => {
      ledger.close();
      await closeTransport();
    };
    return { ledger, account, service, clock, settings: merged, newId, accountInfo, close };
  } catch (error) {
    await closeTransport();
    throw error;
  }
}

/** 80 random bits in lower-case letters and digits. */
export function newId(): string {
  return BigInt(`0x${randomBytes(10).toString("hex")}`)
    .toString(36)
    .padStart(16, "0");
}

/** The account that owns a name must be the one that the key opens. */
export function sameAccount(keeper: Keeper, owner: string | undefined, what: string): void {
  if (owner !== undefined && owner !== keeper.account) {
    throw new FleetkeeperError(
      "WRONG_ACCOUNT",
      `${what} belongs to another account (${owner}) than the one this key opens (${keeper.account}). ` +
        "Use the key it was made with.",
    );
  }
}
