import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Configuration, PartialConfiguration } from "../../../launch/configuration.ts";
import { configure, ENVIRONMENT } from "../../../launch/configuration.ts";
import { DEFAULT_SETTINGS } from "../../../launch/context.ts";
import { openKnownKeeper } from "../../../launch/known-keeper.ts";
import type { OpenKeeper } from "../../../launch/open.ts";
import { openKeeper, openService } from "../../../launch/open.ts";
import { settingsFromEnvironment } from "../../../launch/settings-environment.ts";
import { systemClock } from "../../../ledger/system-clock.ts";
import { FleetkeeperError, isDown } from "../../../service/errors.ts";
import type { Service } from "../../../service/service.ts";
import { whyUnreadable } from "../../../service/unreadable.ts";
import type { FleetFile } from "../../fleet/fleet-file.ts";
import { parseFleetFile } from "../../fleet/fleet-file.ts";
import { askedWait, retryWait } from "../../reconcile/loop.ts";
import type { Prompts } from "../prompts.ts";

/** All that a command may use of the world. */
export interface CliContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Aborts when nobody reads the output any more. A command that only prints, again and again, then ends. */
  readonly unheard?: AbortSignal;
  /** Prints one line or more to standard output, for people or programs. */
  readonly print: (text: string) => void;
  /** Prints progress and warnings to standard error. */
  readonly tell: (text: string) => void;
  /** Whether what is printed may be coloured. */
  readonly color: boolean;
  /** A terminal to draw on. Undefined if standard output is no terminal. */
  readonly screen?: { readonly write: (text: string) => void; readonly rows: () => number } | undefined;
  /** Undefined if nobody sits at a terminal. */
  readonly ask?: Prompts | undefined;
  /** False if a program, a file or a service manager reads the output. */
  readonly terminal?: boolean;
  /** Calls `listener` at each SIGHUP. SIGHUP then does not end the process. */
  readonly onHangup?: (listener: () => void) => void;
  /** The version of this package. */
  readonly version?: string;
}

/** The command to print in lines for pasting: in a clone only npx finds the program. */
export function programName({ environment }: Pick<CliContext, "environment">): string {
  return environment.npm_command === "exec" ? "npx fleetkeeper" : "fleetkeeper";
}

/** An error in what was given to a command: exit code 2. */
export function mistake(text: string, options?: ErrorOptions): FleetkeeperError {
  return new FleetkeeperError("CONFIG", text, options);
}

/** Aborts when there is no reason to print any more. */
export function printingEnds({ signal, unheard }: CliContext): AbortSignal {
  return unheard ? AbortSignal.any([signal, unheard]) : signal;
}

/** The flags of commands that need only the ledger. */
export interface LedgerFlags {
  readonly config?: string;
  readonly ledger?: string;
}

/** The flags of commands that talk to the service. */
export interface CommonFlags extends LedgerFlags {
  readonly baseUrl?: string;
  readonly profile?: string;
  readonly account?: string;
}

/** The same for commands that only show something. */
export interface AskFlags extends CommonFlags {
  readonly json?: boolean;
}

const DEFAULT_FLEET_FILE = "fleet.yaml";

/** The fleet file that --config names, or `fleet.yaml` in this folder. Undefined if there is none. */
export function readFleetFile(flags: LedgerFlags): FleetFile | undefined {
  const content = fleetFileContent(flags);
  return content === undefined ? undefined : parseFleetFile(content, fleetFilePath(flags));
}

export function fleetFilePath(flags: LedgerFlags): string {
  return flags.config ?? DEFAULT_FLEET_FILE;
}

/** Undefined if none is named and this folder has none. */
export function fleetFileContent(flags: LedgerFlags): string | undefined {
  const path = fleetFilePath(flags);
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && flags.config === undefined) return undefined;
    const text = `The fleet file ${path} cannot be read: ${whyUnreadable(error)}.`;
    throw mistake(text, { cause: error });
  }
}

/** Whether the fleet file that declared a fleet was moved or deleted. */
export function isGone(source: string): boolean {
  return source.startsWith("file:") && !existsSync(source.slice("file:".length));
}

/** A flag counts before the environment, and that before the fleet file. */
export function configurationOf(
  flags: CommonFlags,
  file: FleetFile | undefined,
  cli: CliContext,
): Configuration {
  const { baseUrl, profile, ledger, account } = flags;
  const given = { baseUrl, profile, ledger, account } as PartialConfiguration;
  return configure(given, cli.environment, file?.configuration, {
    givenBy: (key) => `--${key}`,
    ways: (key) =>
      `service.${key} in the fleet file, ${key === "baseUrl" ? "--base-url" : "--profile"}, or ${ENVIRONMENT[key]}`,
    whereUnset: file ? "" : `\n${noFleetFile()}`,
  });
}

/** The same with the fleet file of these flags. */
export function configurationFrom(flags: CommonFlags, cli: CliContext): Configuration {
  return configurationOf(flags, readFleetFile(flags), cli);
}

/** For people in the wrong folder: they should not look for a missing line in a fleet file. */
export function noFleetFile(): string {
  return `No fleet file was read: there is no ${resolve(DEFAULT_FLEET_FILE)}, and --config names none. To write one: fleetkeeper init.`;
}

interface Closable {
  close(): unknown;
}

/** Works with something, and then closes it. */
export async function closing<O extends Closable, T>(opened: O, work: (opened: O) => Promise<T>): Promise<T> {
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

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
