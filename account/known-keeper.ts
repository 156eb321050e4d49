import { DEFAULT_SETTINGS, type ProtocolSettings } from "../launch/facts/context.ts";
import { FleetkeeperError } from "../service/contract/errors.ts";
import type { Service } from "../service/contract/service.ts";
import type { Environment } from "../service/http/proxied-agent.ts";
import { opens } from "./account-of-key.ts";
import type { Configuration } from "./configuration.ts";
import { keeperOn, type OpenKeeper, openService } from "./open.ts";
import { openLedgerIfThere } from "./open-ledger.ts";

/**
 * A keeper of the account that the ledger knows at this address, before the service says whose the key is:
 * orders must not wait for the end of an outage. Nothing else is asked before that is checked. Undefined: the
 * ledger knows none there, or several, and only the service can say which one the key opens. `shared`: as for `openKeeper`.
 */
export async function openKnownKeeper(
  configuration: Configuration,
  environment: Environment,
  settings: Partial<ProtocolSettings> = {},
  shared?: OpenKeeper["ledger"],
): Promise<OpenKeeper | undefined> {
  const ledger = shared ?? (await openLedgerIfThere(configuration.ledger, Date.now()));
  if (!ledger) return undefined;
  const merged = Object.freeze({ ...DEFAULT_SETTINGS, ...settings });
  const { close: closeService, ...of } = openService(configuration, environment, merged);
  const { service } = of;
  const close = async (): Promise<void> => {
    if (!shared) ledger.close();
    await closeService();
  };
  try {
    const here = (await ledger.accounts()).filter(({ baseUrl }) => baseUrl === service.baseUrl);
    const [row, ...others] = here;
    if (!row || others.length > 0) {
      await close();
      return undefined;
    }
    const accountInfo = { id: row.accountId, email: row.email, display_name: row.email, created_at: "" };
    const keeper = await keeperOn(ledger, accountInfo, of, configuration);
    return { ...keeper, service: provenService(service, row, row.email), settings: merged, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * A service that answers nothing until the key is proven to open this account: another one's lists
 * would show all machines as gone. Throws WRONG_ACCOUNT if it does not. A launch is `notSent` then, and a stop
 * `failed`.
 * @internal Exported for the proof.
 */
export function provenService(service: Service, row: Parameters<typeof opens>[0], email: string): Service {
  let proof: Promise<void> | undefined;
  const prove = (signal: AbortSignal): Promise<void> => {
    proof ??= service.account(signal).then(({ id, email: other }) => {
      if (opens(row, id)) return;
      throw new FleetkeeperError(
        "WRONG_ACCOUNT",
        `The key opens the account of ${other}, and the ledger knows that of ${email} at ${service.baseUrl}: nothing was done. ` +
          "Start again to keep the other one, or use the key and the settings of this one.",
      );
    });
    proof.catch(() => {
      proof = undefined;
    });
    return proof;
  };
  return {
    ...service,
    isTerminal: (status) => service.isTerminal(status),
    isUnserving: (status) => service.isUnserving(status),
    isRetryable: (code) => service.isRetryable(code),
    turn: (signal) => service.turn(signal),
    account: (signal) => service.account(signal),
    balance: (signal) => prove(signal).then(() => service.balance(signal)),
    deployments: (signal) => prove(signal).then(() => service.deployments(signal)),
    deployment: (id, signal, living) => prove(signal).then(() => service.deployment(id, signal, living)),
    offers: (signal) => prove(signal).then(() => service.offers(signal)),
    launch: async (request, signal) => {
      // A launch follows a fresh list, so this is known already.
      try {
        await prove(signal);
      } catch (error) {
        return { kind: "notSent", reason: reasonOf(error) };
      }
      return service.launch(request, signal);
    },
    stop: async (request, signal) => {
      try {
        await prove(signal);
      } catch (error) {
        return { kind: "failed", reason: reasonOf(error) };
      }
      return service.stop(request, signal);
    },
  };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
