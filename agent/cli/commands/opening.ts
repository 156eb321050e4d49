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

/** Works with an open keeper. If the service is down, "wait" asks until it answers. */
export async function withKeeper<T>(
  configuration: Configuration,
  cli: CliContext,
  work: (keeper: OpenKeeper) => Promise<T>,
  onOutage: "wait" | "fail" = "fail",
): Promise<T> {
  return closing(await open(configuration, cli, onOutage), work);
}

/**
 * The same for commands that run until they are stopped. If the service is down but the ledger knows the
 * account, the work begins with the ledger: an outage must not keep a page from being served, nor people from
 * being told. Else it waits for the service, and `whileDown` begins what runs meanwhile. Gives 0 if it is
 * stopped before the service answered.
 */
export async function keepOpen(
  configuration: Configuration,
  cli: CliContext,
  work: (keeper: OpenKeeper) => Promise<number>,
  whileDown?: () => Promise<Closable | undefined>,
): Promise<number> {
  const keeper = await open(configuration, cli, "go by the ledger", whileDown).catch((error: unknown) => {
    if (cli.signal.aborted) return undefined;
    throw error;
  });
  return keeper ? closing(keeper, work) : 0;
}

/** Opens a keeper. Between attempts it waits as the loop does. */
async function open(
  configuration: Configuration,
  cli: CliContext,
  onOutage: "wait" | "go by the ledger" | "fail",
  whileDown?: () => Promise<Closable | undefined>,
): Promise<OpenKeeper> {
  const settings = settingsFromEnvironment(cli.environment);
  const { poll } = { ...DEFAULT_SETTINGS, ...settings };
  let meanwhile: Closable | undefined;
  try {
    for (let failures = 0; ; failures++) {
      try {
        return await openKeeper(configuration, cli.signal, settings);
      } catch (error) {
        if (onOutage === "fail" || cli.signal.aborted || !isDown(error)) throw error;
        const known = onOutage === "go by the ledger" && (await openKnownKeeper(configuration, settings));
        if (known) {
          cli.tell(`${error.message} Going by the ledger until it answers.`);
          return known;
        }
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
