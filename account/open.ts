import { DEFAULT_SETTINGS, type ProtocolSettings } from "../launch/facts/context.ts";
import type { Keeper } from "../launch/keeper.ts";
import type { History } from "../ledger/chart-history.ts";
import type { Clock } from "../ledger/instant.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { systemClock } from "../ledger/system-clock.ts";
import { createService } from "../service/client.ts";
import type { Account } from "../service/contract/contract.ts";
import { FleetkeeperError } from "../service/contract/errors.ts";
import type { Service } from "../service/contract/service.ts";
import type { Environment } from "../service/http/proxied-agent.ts";
import { createUndiciTransport } from "../service/http/undici-transport.ts";
import { type LoadedProfile, loadProfile } from "../service/profile/profile-file.ts";
import { accountInLedger } from "./account-of-key.ts";
import type { Configuration } from "./configuration.ts";
import { newId, openLedger } from "./open-ledger.ts";
import { changeOfShipped } from "./shipped-profile.ts";

/** A keeper with what it owns. Close it when done. */
export interface OpenKeeper extends Keeper {
  readonly ledger: Ledger & History;
  readonly accountInfo: Account;
  /** What people are told before anything is done. */
  readonly news?: string | undefined;
  close(): Promise<void>;
}

/** The service without a ledger, enough to ask it something. Close it when done. */
export interface OpenService {
  readonly service: Service;
  readonly clock: Clock;
  readonly loaded: LoadedProfile;
  close(): Promise<void>;
}

/** Opens profile and client. Nothing is sent yet. */
export function openService(
  { baseUrl, apiKey, profile, settings }: Pick<Configuration, "baseUrl" | "apiKey" | "profile" | "settings">,
  environment: Environment,
  { postTimeout }: Pick<ProtocolSettings, "postTimeout"> = DEFAULT_SETTINGS,
): OpenService {
  const clock = systemClock();
  const loaded = loadProfile(profile);
  const { transport, close } = createUndiciTransport({ environment, wholeTimeout: postTimeout });
  const service = createService({
    baseUrl,
    secret: apiKey,
    profile: loaded,
    settings,
    transport,
    clock: { now: () => clock.now().wall, sleep: clock.sleep },
  });
  return { service, clock, loaded, close };
}

/**
 * Opens what a process needs to act on an account: profile, client, ledger, clock. The first request asks the
 * service which account the credential opens. `environment`: it may name proxies. `shared`: a ledger that is open already, and that closing the
 * keeper leaves open; without it the ledger of the configuration is opened.
 */
export async function openKeeper(
  configuration: Configuration,
  signal: AbortSignal,
  environment: Environment,
  settings: Partial<ProtocolSettings> = {},
  shared?: OpenKeeper["ledger"],
): Promise<OpenKeeper> {
  const merged = Object.freeze({ ...DEFAULT_SETTINGS, ...settings });
  const { close: closeService, ...of } = openService(configuration, environment, merged);
  let ledger: OpenKeeper["ledger"] | undefined;
  try {
    const shown = await of.service.account(signal);
    const opened = shared ?? (await openLedger(configuration.ledger, of.clock.now().wall));
    ledger = opened;
    const accountInfo = await accountInLedger(of.service, opened, shown, signal);
    const close = async (): Promise<void> => {
      if (!shared) opened.close();
      await closeService();
    };
    return { ...(await keeperOn(ledger, accountInfo, of, configuration)), settings: merged, close };
  } catch (error) {
    if (!shared) ledger?.close();
    await closeService();
    throw error;
  }
}

/** Opens the account in the ledger. */
export async function keeperOn(
  ledger: OpenKeeper["ledger"],
  accountInfo: Account,
  { service, clock, loaded }: Omit<OpenService, "close">,
  { account: tenure, accountBy: tenureBy }: Pick<Configuration, "account" | "accountBy">,
): Promise<Omit<OpenKeeper, "settings" | "close">> {
  const { baseUrl, abilities } = service;
  const { currency, billing } = abilities;
  const said = { tenure, tenureBy, currency, billing };
  const account = await ledger.openAccount({ baseUrl, account: accountInfo, ...said });
  const news = await changeOfShipped(ledger, account, loaded, clock.now().wall);
  return { ledger, account, service, clock: ledger.clockOn(clock), newId, accountInfo, news };
}

/** Throws WRONG_ACCOUNT if the key opens another account than the one that owns `what`. */
export function sameAccount(keeper: Keeper, owner: string | undefined, what: string): void {
  if (owner !== undefined && owner !== keeper.account) {
    const [madeAt, id] = owner.split(" ");
    const { baseUrl } = keeper.service;
    throw new FleetkeeperError(
      "WRONG_ACCOUNT",
      keeper.account === `${baseUrl} ${id}`
        ? `${what} was made with fleetkeeper:baseUrl ${madeAt}, and it is ${baseUrl} now: nothing tells that both are the same ` +
            "service. Set it to what it was made with."
        : `${what} belongs to another account (${owner}) than the one this key opens (${keeper.account}). ` +
            "Use the key it was made with.",
    );
  }
}
