import type { Configuration } from "../../../launch/configuration.ts";
import { DEFAULT_SETTINGS } from "../../../launch/context.ts";
import { openKnownKeeper } from "../../../launch/known-keeper.ts";
import type { OpenKeeper } from "../../../launch/open.ts";
import { openKeeper, openService } from "../../../launch/open.ts";
import { settingsFromEnvironment } from "../../../launch/settings-environment.ts";
import { systemClock } from "../../../ledger/system-clock.ts";
import { isDown } from "../../../service/errors.ts";
import type { Service } from "../../../service/service.ts";
import { askedWait, retryWait } from "../../reconcile/loop.ts";
import type { CliContext } from "./cli-context.ts";
import type { Closable } from "./closing.ts";
import { closing } from "./closing.ts";

/** Works with the service, without a ledger. */
export async function withService<T>(
  configuration: Configuration,
  cli: CliContext,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  const settings = { ...DEFAULT_SETTINGS, ...settingsFromEnvironment(cli.environment) };
  return closing(openService(configuration, settings), ({ service }) => work(service));
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
 * The same for commands that run until they are stopped. If the service is down but the ledger knows the
 * account, the work begins with the ledger: an outage must not keep a page from being served, nor people from
 * being told. Else it waits for the service (`onOutage`), and `whileDown` begins what runs meanwhile. Gives 0 if it is
 * stopped before the service answered.
 */
export async function keepOpen(
  configuration: Configuration,
  cli: CliContext,
  work: (keeper: OpenKeeper) => Promise<number>,
  options: Partial<OpenOptions> = {},
): Promise<number> {
  const asked = { onOutage: "wait", byLedger: true, ...options } as const;
  const keeper = await open(configuration, cli, asked).catch((error: unknown) => {
    if (cli.signal.aborted) return undefined;
    throw error;
  });
  return keeper ? closing(keeper, work) : 0;
}

/** Opens a keeper. Between attempts it waits as the loop does. */
async function open(
  configuration: Configuration,
  cli: CliContext,
  { onOutage, byLedger = false, whileDown, shared }: OpenOptions,
): Promise<OpenKeeper> {
  const settings = settingsFromEnvironment(cli.environment);
  const { poll } = { ...DEFAULT_SETTINGS, ...settings };
  let meanwhile: Closable | undefined;
  try {
    for (let failures = 0; ; failures++) {
      try {
        return await openKeeper(configuration, cli.signal, settings, shared);
      } catch (error) {
        if (cli.signal.aborted || !isDown(error)) throw error;
        const known = byLedger && (await openKnownKeeper(configuration, settings, shared));
        if (known) {
          cli.tell(`${error.message} Going by the ledger until it answers.`);
          return known;
        }
        if (onOutage === "fail") throw error;
        const wait = Math.max(retryWait(poll, failures), askedWait(error));
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
