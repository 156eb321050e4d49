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

/** What a command may touch of the world. */
export interface CliContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Aborts when nobody reads the output any more. A command that only prints, over and over, ends then. */
  readonly unheard?: AbortSignal;
  /** One line or more for people or programs, to standard output. */
  readonly print: (text: string) => void;
  /** Progress and warnings, to standard error. */
  readonly tell: (text: string) => void;
  /** Whether what is printed may be coloured. */
  readonly color: boolean;
  /** Where something may be drawn again and again; undefined: standard output is no terminal. */
  readonly screen?: Screen | undefined;
  /** Undefined: nobody sits at a terminal. */
  readonly ask?: Prompts | undefined;
  /** False: a program, a file or a service manager reads what is printed. */
  readonly terminal?: boolean;
  /** Calls back at each SIGHUP, which then does not end the process. */
  readonly onHangup?: (listener: () => void) => void;
  /** Of this package. */
  readonly version?: string;
}

/** How this program is called, for lines that are pasted: in a clone only npx finds it. */
export function programName({ environment }: Pick<CliContext, "environment">): string {
  return environment.npm_command === "exec" ? "npx fleetkeeper" : "fleetkeeper";
}

/** Aborts when there is nothing left to print for. */
export function printingEnds({ signal, unheard }: CliContext): AbortSignal {
  return unheard ? AbortSignal.any([signal, unheard]) : signal;
}

/** A terminal, as far as it is drawn on. */
interface Screen {
  readonly write: (text: string) => void;
  /** How many lines it has now. */
  readonly rows: () => number;
}

/** The flags of commands that go by the ledger alone. */
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

const DEFAULT_FLEET_FILE = "fleet.yaml";

/** The fleet file that was named, or `fleet.yaml` here if there is one. */
export function readFleetFile(flags: LedgerFlags): FleetFile | undefined {
  const content = fleetFileContent(flags);
  return content === undefined ? undefined : parseFleetFile(content, fleetFilePath(flags));
}

export function fleetFilePath(flags: LedgerFlags): string {
  return flags.config ?? DEFAULT_FLEET_FILE;
}

/** Undefined: none was named, and there is none here. */
export function fleetFileContent(flags: LedgerFlags): string | undefined {
  const path = fleetFilePath(flags);
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT" && flags.config === undefined) return undefined;
    const text = `The fleet file ${path} cannot be read: ${whyUnreadable(error)}.`;
    throw new FleetkeeperError("CONFIG", text, { cause: error });
  }
}

/** The fleet file that once declared something is not there any more: it was moved, or deleted. */
export function isGone(source: string): boolean {
  return source.startsWith("file:") && !existsSync(source.slice("file:".length));
}

/** Flags before environment before file. */
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

/** Whoever forgot the file, or stands in another folder, should not look for a missing line in it. */
export function noFleetFile(): string {
  return `No fleet file was read: there is no ${resolve(DEFAULT_FLEET_FILE)}, and --config names none. To write one: fleetkeeper init.`;
}

/** Asks the service something that needs no ledger. */
export async function withService<T>(
  configuration: Configuration,
  cli: CliContext,
  work: (service: Service) => Promise<T>,
): Promise<T> {
  const { service, close } = openService(configuration, {
    ...DEFAULT_SETTINGS,
    ...settingsFromEnvironment(cli.environment),
  });
  try {
    return await work(service);
  } finally {
    await close();
  }
}

/**
 * Runs some work with an open keeper, and closes it whatever happens. `onOutage`: what to do about a service
 * that cannot be reached. "wait" asks it until it answers.
 */
export async function withKeeper<T>(
  configuration: Configuration,
  cli: CliContext,
  work: (keeper: OpenKeeper) => Promise<T>,
  onOutage: "wait" | "fail" = "fail",
): Promise<T> {
  const keeper = await open(configuration, cli, onOutage);
  try {
    return await work(keeper);
  } finally {
    await keeper.close();
  }
}

/** What goes on while the service is waited for. */
interface Meanwhile {
  close(): Promise<void>;
}

/**
 * The same for what runs until it is stopped: it waits for the service, and is done as well (0) when it is
 * stopped before the service has answered. Where the ledger knows the account, it begins with that: an outage
 * must not keep a page from being served, nor people from being told. Else `whileDown` begins what goes on
 * while the service is down.
 */
export async function keepOpen(
  configuration: Configuration,
  cli: CliContext,
  work: (keeper: OpenKeeper) => Promise<number>,
  whileDown?: () => Promise<Meanwhile | undefined>,
): Promise<number> {
  let keeper: OpenKeeper;
  try {
    keeper = await open(configuration, cli, "go by the ledger", whileDown);
  } catch (error) {
    if (cli.signal.aborted) return 0;
    throw error;
  }
  try {
    return await work(keeper);
  } finally {
    await keeper.close();
  }
}

/** Opens with the waits of the loop. */
async function open(
  configuration: Configuration,
  cli: CliContext,
  onOutage: "wait" | "go by the ledger" | "fail",
  whileDown?: () => Promise<Meanwhile | undefined>,
): Promise<OpenKeeper> {
  const settings = settingsFromEnvironment(cli.environment);
  const { poll } = { ...DEFAULT_SETTINGS, ...settings };
  let meanwhile: Meanwhile | undefined;
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
