import type { Configuration } from "../../../../account/configuration.ts";
import { openKnownKeeper } from "../../../../account/known-keeper.ts";
import { type OpenKeeper, openKeeper, openService } from "../../../../account/open.ts";
import { DEFAULT_SETTINGS } from "../../../../launch/facts/context.ts";
import { settingsFromEnvironment } from "../../../../launch/facts/settings-environment.ts";
import { isPostgresUrl } from "../../../../ledger/postgres/address.ts";
import { systemClock } from "../../../../ledger/system-clock.ts";
import { isDown, isLedgerBusy } from "../../../../service/contract/errors.ts";
import type { Service } from "../../../../service/contract/service.ts";
import { cleanFor } from "../../../fleet/text/text.ts";
import { askedWait, retryWait } from "../../../reconcile/retry-wait.ts";
import type { CliContext } from "./cli-context.ts";
import { type Closable, closing } from "./closing.ts";

/** Works with the service, without a ledger. */
export async function withService<T>(
  configuration: Configuration,
  cli: CliContext,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  const settings = { ...DEFAULT_SETTINGS, ...settingsFromEnvironment(cli.environment) };
  return closing(openService(configuration, cli.environment, settings), ({ service }) => work(service));
}

/** Works with an open keeper. If the service is down, "wait" asks until it answers. `shared`: see `openKeeper`. */
export async function withKeeper<T>(
  configuration: Configuration,
  cli: CliContext,
  work: (keeper: OpenKeeper) => Promise<T>,
  { onOutage = "fail", shared }: { onOutage?: "wait" | "fail"; shared?: OpenKeeper["ledger"] } = {},
): Promise<T> {
  return closing(await open(configuration, cli, { onOutage, shared }), work);
}

interface OpenOptions {
  readonly onOutage: "wait" | "fail";
  /** Whether an account that the ledger knows is opened without the service. */
  readonly byLedger?: boolean | undefined;
  /** Begins what runs while the service is down. */
  readonly whileDown?: (() => Promise<Closable | undefined>) | undefined;
  readonly shared?: OpenKeeper["ledger"] | undefined;
}

/**
 * Works with an open keeper until it is stopped. If the service is down but the ledger knows the
 * account, the work begins with the ledger: an outage must not keep a page from being served, nor people from
 * being told. Else it waits for the service (`onOutage`), and `whileDown` begins what runs meanwhile. A server of the
 * ledger's that is away, starts or is a standby is waited for, too. Gives 0 if it is stopped before both answered.
 */
export async function keepOpen(
  configuration: Configuration,
  cli: CliContext,
  work: (keeper: OpenKeeper) => Promise<number>,
  options: Partial<OpenOptions> = {},
): Promise<number> {
  const asked = { onOutage: "wait", byLedger: true, ...options } as const;
  const once = async (): Promise<number> => {
    const keeper = await open(configuration, cli, asked).catch((error: unknown) => {
      if (cli.signal.aborted) return undefined;
      throw error;
    });
    return keeper ? closing(keeper, work) : 0;
  };
  // A shared ledger is waited for by those who share it.
  return options.shared ? once() : whileAway(configuration.ledger, cli, once, options.whileDown);
}

/**
 * Does it again while a server of the ledger's is away, starts, or is a standby: an agent that ended would keep nothing
 * until somebody starts it. Once the work goes on it waits by itself. `whileDown` begins what runs between two tries.
 */
export async function whileAway<T>(
  ledger: string,
  cli: CliContext,
  work: () => Promise<T>,
  whileDown: OpenOptions["whileDown"],
): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (cli.signal.aborted || !isLedgerBusy(error) || !isPostgresUrl(ledger)) throw error;
      if (failures === 0) cli.tell(`${error.message} Tried again until it answers.`);
      const wait = retryWait(pollOf(cli), failures);
      await closing((await whileDown?.()) ?? { close: () => undefined }, () =>
        systemClock().sleep(wait, cli.signal),
      );
    }
  }
}

function pollOf({ environment }: CliContext): number {
  return settingsFromEnvironment(environment).poll ?? DEFAULT_SETTINGS.poll;
}

function telling(keeper: OpenKeeper, cli: CliContext): OpenKeeper {
  if (keeper.news !== undefined) cli.tell(cleanFor(cli)(keeper.news, 4000));
  return keeper;
}

/** Opens a keeper. Between attempts it waits as the loop does. */
async function open(
  configuration: Configuration,
  cli: CliContext,
  { onOutage, byLedger = false, whileDown, shared }: OpenOptions,
): Promise<OpenKeeper> {
  const settings = settingsFromEnvironment(cli.environment);
  let meanwhile: Closable | undefined;
  try {
    for (let failures = 0; ; failures++) {
      try {
        return telling(await openKeeper(configuration, cli.signal, cli.environment, settings, shared), cli);
      } catch (error) {
        if (cli.signal.aborted || !isDown(error)) throw error;
        const known = byLedger && (await openKnownKeeper(configuration, cli.environment, settings, shared));
        if (known) {
          cli.tell(`${error.message} Going by the ledger until it answers.`);
          return telling(known, cli);
        }
        if (onOutage === "fail") throw error;
        const wait = Math.max(retryWait(pollOf(cli), failures), askedWait(error));
        if (failures === 0) {
          cli.tell(`${error.message} Tried again until it answers.`);
          meanwhile = await whileDown?.();
        }
        await systemClock().sleep(wait, cli.signal);
      }
    }
  } finally {
    await meanwhile?.close();
  }
}
